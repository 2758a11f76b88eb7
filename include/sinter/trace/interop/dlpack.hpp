#pragma once
// Tensors exchanged with other libraries in this process, without a copy where that is safe.

#include <cstdint>  // std::int32_t, std::uint64_t

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// The structs of DLPack, of its version 1, as every library lays them out in memory. Those of
/// dlpack.h can be included as well.
///
/// Source   https://dmlc.github.io/dlpack/latest/c_api.html
namespace dlpack {

struct Device {
  /// 1 is memory of the host, 3 that which CUDA pinned, 2 a GPU of NVIDIA, 13 its managed memory.
  std::int32_t type = 1;
  std::int32_t id = 0;
};

struct DataType {
  std::uint8_t code = 0;  ///< 0 signed, 1 unsigned, 2 floating, 4 bfloat, 6 boolean.
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
};

struct View {
  void* data = nullptr;
  Device device{};
  std::int32_t ndim = 0;
  DataType dtype{};
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  ///< In elements; none for dense row-major memory.
  std::uint64_t byte_offset = 0;
};

/// What a capsule named "dltensor" refers to.
struct ManagedTensor {
  View dl_tensor{};
  void* manager_ctx = nullptr;
  void (*deleter)(ManagedTensor*) = nullptr;
};

struct Version {
  std::uint32_t major = 1, minor = 1;
};

inline constexpr std::uint64_t read_only = 1, is_copied = 2;

/// What a capsule named "dltensor_versioned" refers to.
struct ManagedTensorVersioned {
  Version version{};
  void* manager_ctx = nullptr;
  void (*deleter)(ManagedTensorVersioned*) = nullptr;
  std::uint64_t flags = 0;
  View dl_tensor{};
};

/// The struct of dlpack.h, by whatever name.
template <class T>
concept Managed = requires(T* managed) {
  managed->dl_tensor.byte_offset;
  managed->manager_ctx;
  managed->deleter(managed);
}
&&(sizeof(T) == sizeof(ManagedTensor) || sizeof(T) == sizeof(ManagedTensorVersioned));

}  // namespace dlpack

/// The tensor that `managed` describes, which it takes over: its deleter is called once, here if
/// the elements are copied or an error is thrown, else when no tensor needs the memory any more.
///
/// Memory that is dense, row-major and aligned is read in place: never written, never given away,
/// and it must stay unchanged while it is needed. Anything else is copied, as are booleans, whose
/// bytes may be any.
///
/// Memory of a GPU is read there, by cuda(id). The structs name no stream: what writes the elements
/// has to be done before, and before the deleter is called the host waits for what reads them.
/// Aligned is 64 bytes there.
///
/// Throws   ValueError for null, another version or a description that makes no sense; DTypeError
///          for elements that no dtype stands for; DeviceError for memory of a device that cannot
///          run operations; ShapeError for more than 8 axes
Tensor from_dlpack(dlpack::ManagedTensor* managed, Where where = Where::current());
Tensor from_dlpack(dlpack::ManagedTensorVersioned* managed, Where where = Where::current());
/// The same for the structs of dlpack.h.
template <dlpack::Managed T>
Tensor from_dlpack(T* managed, Where where = Where::current()) {
  if constexpr (sizeof(T) == sizeof(dlpack::ManagedTensor)) {
    return from_dlpack(reinterpret_cast<dlpack::ManagedTensor*>(managed), where);
  } else {
    return from_dlpack(reinterpret_cast<dlpack::ManagedTensorVersioned*>(managed), where);
  }
}

/// `x` for another library, which calls the deleter once when it is done. That library may write to
/// the memory, so it is a copy unless `x` is the last handle: to_dlpack(std::move(x)).
///
/// It stays where `x` is. Of a GPU: the host waits until what was given with the memory is done,
/// since the struct names no stream. Else a read on the host.
dlpack::ManagedTensor* to_dlpack(Tensor x, Where where = Where::current());
/// The same with a version and flags. The memory is that of `x`, marked as read-only, and a copy
/// only of memory that came from outside.
dlpack::ManagedTensorVersioned* to_dlpack_versioned(Tensor x, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/interop/dlpack.ipp>
#endif
