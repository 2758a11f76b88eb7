#pragma once

#include <algorithm>  // std::max
#include <cstring>    // std::memcpy
#include <memory>     // std::unique_ptr
#include <utility>    // std::move
#include <vector>     // std::vector

#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/gpu.hpp>
#include <sinter/device/host/size_class.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/interop/dlpack.hpp>
#include <sinter/trace/ops/creation/create.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

static_assert(sizeof(dlpack::View) == 48 && sizeof(dlpack::ManagedTensor) == 64);
static_assert(sizeof(dlpack::ManagedTensorVersioned) == 80);

inline constexpr std::uint8_t dlpack_signed = 0, dlpack_unsigned = 1, dlpack_floating = 2,
                              dlpack_bfloat = 4, dlpack_boolean = 6;
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 47;  // the limit of the address space

// Calls the deleter at scope exit unless ownership was transferred.
template <class Managed>
struct DlpackDeleter {
  void operator()(Managed* managed) const noexcept {
    if (managed->deleter != nullptr) managed->deleter(managed);
  }
};
template <class Managed>
using DlpackOwner = std::unique_ptr<Managed, DlpackDeleter<Managed>>;

[[noreturn]] SINTER_INLINE void throw_dlpack(std::string what, std::string found, std::string rule,
                                             Where where) {
  throw ValueError({.op = "from_dlpack",
                    .what = what,
                    .facts = {{"found", std::move(found)}},
                    .rule = rule,
                    .fix = "check what made the tensor, and that it was not consumed before",
                    .where = where});
}

SINTER_INLINE dlpack::DataType dlpack_dtype(DType dtype) {
  const std::uint8_t bits = static_cast<std::uint8_t>(info(dtype).size * 8);
  if (dtype == boolean) return {dlpack_boolean, bits, 1};
  if (dtype == bf16) return {dlpack_bfloat, bits, 1};
  if (dtype == u8) return {dlpack_unsigned, bits, 1};
  return {is_floating(dtype) ? dlpack_floating : dlpack_signed, bits, 1};
}

SINTER_INLINE DType dtype_of_dlpack(const dlpack::DataType& type, Where where) {
  for (const DType dtype : {boolean, u8, i8, i16, i32, i64, f16, bf16, f32, f64}) {
    const dlpack::DataType known = dlpack_dtype(dtype);
    if (known.code == type.code && known.bits == type.bits && type.lanes == 1) return dtype;
  }
  throw DTypeError({.op = "from_dlpack",
                    .what = "no dtype matches these elements",
                    .facts = {{"code", text(int{type.code})},
                              {"bits", text(int{type.bits})},
                              {"lanes", text(type.lanes)}},
                    .rule = "boolean, u8, i8, i16, i32, i64, f16, bf16, f32 or f64, one lane",
                    .fix = "convert it in the library that it comes from",
                    .where = where,
                    .see = "dtypes"});
}

// The device of the memory: the host (pinned memory included), or a usable GPU.
SINTER_INLINE Device device_of(const dlpack::Device& device, Where where) {
  if (device.type == 1 || device.type == 3) return cpu();
  const bool is_cuda = device.type == 2 || device.type == 13;
  const Device gpu = cuda(device.id);
  const std::string reason =
      is_cuda ? why_not_runnable(gpu) : "it is of neither the host nor a GPU of NVIDIA";
  if (reason.empty()) return gpu;
  const std::string memory = text("the memory is on ", to_string(gpu), ", where nothing can run");
  throw DeviceError(
      {.op = "from_dlpack",
       .what = is_cuda ? memory : "no operation can run where the memory is",
       .facts = {{"device type", text(device.type)}, {"id", text(device.id)}, {"reason", reason}},
       .rule = "device type 1 or 3 of the host, 2 or 13 of a GPU of this machine",
       .fix = "copy it to the host in the library that it comes from",
       .where = where,
       .see = "devices"});
}

// Validates the extents: the number of elements must not overflow.
SINTER_INLINE Shape shape_of(const dlpack::View& view, Where where) {
  const bool is_sound = view.ndim >= 0 && (view.ndim == 0 || view.shape != nullptr);
  if (!is_sound) throw_dlpack("there is no shape", text(view.ndim, " axes"), "ndim >= 0", where);
  std::int64_t bytes = 8;  // of the largest element
  Shape result;
  for (int axis = 0; axis < view.ndim; ++axis) {
    const std::int64_t extent = view.shape[axis];
    if (extent < 0) throw_dlpack("an extent is negative", text(extent), "extents >= 0", where);
    if (extent != 0 && bytes > most_bytes / extent) {
      throw_dlpack("the extents are too large", text(extent), "they fit into memory", where);
    }
    bytes *= std::max<std::int64_t>(extent, 1);
    result.push_back(extent, where);
  }
  return result;
}

// True if the elements are row-major and dense; throws for invalid strides.
SINTER_INLINE bool is_dense(const dlpack::View& view, Where where) {
  if (view.strides == nullptr) return true;
  bool dense = true;
  std::int64_t expected = 1;
  for (int axis = view.ndim; axis-- > 0;) {
    const std::int64_t extent = view.shape[axis], stride = view.strides[axis];
    if (extent <= 1) continue;
    const std::int64_t most = most_bytes / extent;
    if (stride > most || stride < -most) {
      throw_dlpack("a stride is too large", text(stride), "they fit into memory", where);
    }
    dense = dense && stride == expected;
    expected *= extent;
  }
  return dense;
}

// Copies the elements of `view`, `size` bytes each, in row-major order.
SINTER_INLINE Storage copied(const dlpack::View& view, const std::byte* first, std::int64_t count,
                             std::size_t size, Where where) {
  const Storage result = Storage::allocate(static_cast<std::size_t>(count) * size, cpu(), where);
  auto* to = static_cast<std::byte*>(result.data());
  std::vector<std::int64_t> position(static_cast<std::size_t>(view.ndim));
  std::vector<std::int64_t> strides(position.size(), 1);
  for (std::size_t axis = position.size(); axis-- > 0;) {
    const bool is_last = axis + 1 == position.size();
    const std::int64_t dense = is_last ? 1 : strides[axis + 1] * view.shape[axis + 1];
    strides[axis] = view.strides != nullptr ? view.strides[axis] : dense;
  }
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < count; ++i, to += size) {
    std::memcpy(to, first + offset * static_cast<std::int64_t>(size), size);
    for (std::size_t axis = position.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++position[axis] < view.shape[axis]) break;
      offset -= position[axis] * strides[axis];
      position[axis] = 0;
    }
  }
  return result;
}

// Copies the GPU memory spanned by `view` to the host; `first` is its lowest address.
SINTER_INLINE Storage host_span(const dlpack::View& view, const std::byte*& first,
                                std::int64_t count, std::size_t size, Device device, Where where) {
  std::int64_t low = 0, high = view.strides == nullptr ? count - 1 : 0;
  for (int axis = 0; view.strides != nullptr && axis < view.ndim; ++axis) {
    const std::int64_t last = (view.shape[axis] - 1) * view.strides[axis];
    (last < 0 ? low : high) += last;
  }
  const std::int64_t before = low * static_cast<std::int64_t>(size);
  const std::size_t bytes = static_cast<std::size_t>(high - low + 1) * size;
  const GpuBackend& gpus = gpus_for(device, where);
  const Storage there = gpus.borrow(
      device, first + before, bytes, [](void*) {}, nullptr, where);
  Storage result = copied_to(there, cpu(), where);
  first = static_cast<const std::byte*>(result.data()) - before;
  return result;
}

// A copy of the elements of `view` on `device`.
SINTER_INLINE Storage gathered(const dlpack::View& view, const std::byte* first, std::int64_t count,
                               DType dtype, Device device, Where where) {
  const std::size_t size = info(dtype).size;
  Storage span;
  if (device.is_cuda()) span = host_span(view, first, count, size, device, where);
  Storage elements = copied(view, first, count, size, where);
  if (dtype == boolean) {
    auto* const bytes = static_cast<unsigned char*>(elements.data());
    for (std::int64_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0;
  }
  return device.is_cuda() ? copied_to(elements, device, where) : elements;
}

// The elements in place, with ownership by `owner`; a copy if GPU kernels cannot use the memory.
template <class Managed>
Storage in_place(DlpackOwner<Managed>& owner, const std::byte* first, std::size_t bytes,
                 Device device, Where where) {
  const auto release = [](void* context) { DlpackOwner<Managed>(static_cast<Managed*>(context)); };
  if (device.is_cpu()) {
    Storage elements = Storage::borrow(first, bytes, release, owner.get());
    static_cast<void>(owner.release());
    return elements;
  }
  const GpuBackend& gpus = gpus_for(device, where);
  Storage elements = gpus.borrow(device, first, bytes, release, owner.get(), where);
  static_cast<void>(owner.release());
  // Kernels load vectors from the start of tensors, and look tensors up by address.
  const bool is_usable = reinterpret_cast<std::uintptr_t>(first) % storage_alignment == 0 &&
                         gpus.memory_at(device, first).bytes() == bytes;
  return is_usable ? elements : copied_to(elements, device, where);
}

// The first element of the non-empty `view`.
SINTER_INLINE const std::byte* first_of(const dlpack::View& view, Where where) {
  const auto offset = static_cast<std::int64_t>(view.byte_offset);
  if (view.data == nullptr || offset < 0 || offset > most_bytes) {
    throw_dlpack("there is no memory", text("offset ", view.byte_offset), "data is set", where);
  }
  return static_cast<const std::byte*>(view.data) + offset;
}

template <class Managed>
Tensor taken_over(Managed* managed, Where where) {
  if (managed == nullptr) throw_dlpack("there is no tensor", "null", "a managed tensor", where);
  DlpackOwner<Managed> owner(managed);
  if constexpr (requires { managed->version; }) {
    const dlpack::Version version = managed->version;
    if (version.major != 1) {
      throw_dlpack("another version of DLPack", text(version.major, ".", version.minor),
                   "version 1", where);
    }
  }
  const dlpack::View& view = managed->dl_tensor;
  const DType dtype = dtype_of_dlpack(view.dtype, where);
  const Device device = device_of(view.device, where);
  const Shape shape = shape_of(view, where);
  const std::int64_t count = numel(shape).number();
  const std::size_t size = info(dtype).size;
  if (count == 0) return made_on_host({dtype, shape}, Storage::allocate(0, device, where), where);
  const bool is_dense = detail::is_dense(view, where);
  const std::byte* const first = first_of(view, where);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(first) % size == 0;
  if (!is_dense || !is_aligned || dtype == boolean) {
    return made_on_host({dtype, shape}, gathered(view, first, count, dtype, device, where), where);
  }
  const std::size_t bytes = static_cast<std::size_t>(count) * size;
  return made_on_host({dtype, shape}, in_place(owner, first, bytes, device, where), where);
}

// Owned by an exported tensor until its deleter is called.
template <class Managed>
struct Exported {
  Managed managed{};
  Storage elements{};
  std::vector<std::int64_t> shape{}, strides{};
};

template <class Managed>
Exported<Managed>* exported(Tensor x, bool shares, Where where) {
  auto result = std::make_unique<Exported<Managed>>();
  Storage elements = elements_of(x, where);
  const TensorType type = x.type(where);
  x = Tensor();
  const bool is_given = !elements.borrowed() && (shares || elements.unique());
  if (!is_given) elements = copied_to(elements, elements.device(), where);
  const Device device = elements.device();
  if (device.is_cuda()) gpus_for(device, where).await_work_with(elements, where);
  for (const Extent extent : type.shape) result->shape.push_back(extent.number());
  result->strides.assign(result->shape.size(), 1);
  for (std::size_t axis = result->shape.size(); axis-- > 1;) {
    result->strides[axis - 1] =
        result->strides[axis] * std::max<std::int64_t>(result->shape[axis], 1);
  }
  dlpack::View& view = result->managed.dl_tensor;
  view.data = elements.data();
  view.device = {device.is_cuda() ? 2 : 1, device.index()};
  view.ndim = type.shape.size(), view.dtype = dlpack_dtype(type.dtype);
  view.shape = result->shape.data(), view.strides = result->strides.data();
  result->elements = std::move(elements);
  result->managed.manager_ctx = result.get();
  result->managed.deleter = [](Managed* managed) {
    delete static_cast<Exported<Managed>*>(managed->manager_ctx);
  };
  if constexpr (requires { result->managed.flags; }) {
    result->managed.flags = is_given ? dlpack::read_only : dlpack::is_copied;
  }
  return result.release();
}

}  // namespace detail

SINTER_INLINE Tensor from_dlpack(dlpack::ManagedTensor* managed, Where where) {
  return detail::taken_over(managed, where);
}

SINTER_INLINE Tensor from_dlpack(dlpack::ManagedTensorVersioned* managed, Where where) {
  return detail::taken_over(managed, where);
}

SINTER_INLINE dlpack::ManagedTensor* to_dlpack(Tensor x, Where where) {
  return &detail::exported<dlpack::ManagedTensor>(std::move(x), false, where)->managed;
}

SINTER_INLINE dlpack::ManagedTensorVersioned* to_dlpack_versioned(Tensor x, Where where) {
  return &detail::exported<dlpack::ManagedTensorVersioned>(std::move(x), true, where)->managed;
}

}  // namespace sinter::inline SINTER_ABI
