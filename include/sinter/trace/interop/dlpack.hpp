#pragma once
// Exchanges tensors with other libraries in this process by DLPack, without a copy where that is
// safe.

#include <cstdint>  // std::int32_t, std::uint64_t

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// The structs of DLPack version 1. May be used together with dlpack.h.
///
/// Source   https://dmlc.github.io/dlpack/latest/c_api.html
namespace dlpack {

struct Device {
  /// 1 host memory, 2 CUDA device, 3 CUDA pinned host memory, 13 CUDA managed memory.
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

/// The corresponding struct of dlpack.h.
template <class T>
concept Managed = requires(T* managed) {
  managed->dl_tensor.byte_offset;
  managed->manager_ctx;
  managed->deleter(managed);
}
&&(sizeof(T) == sizeof(ManagedTensor) || sizeof(T) == sizeof(ManagedTensorVersioned));

}  // namespace dlpack

/// Imports the tensor that `managed` describes and takes ownership: the deleter is called once,
/// here if the elements are copied or an error is thrown, else when no tensor needs the memory any
/// more.
///
/// Dense, row-major, aligned memory is read in place; it is never written or passed on, and must
/// stay unchanged while it is needed. Anything else is copied, as are booleans, whose bytes may
/// have any value.
///
/// GPU memory is read in place, on cuda(id). The structs name no stream: writes to the elements
/// must be complete before the call, and the host waits for all reads before it calls the deleter.
/// The required alignment on a GPU is 64 bytes.
///
/// Throws   ValueError for null, an unsupported version or an invalid description; DTypeError for
///          unsupported elements; DeviceError for memory of a device that cannot run operations;
///          ShapeError for more than 8 axes
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

/// Exports `x` to another library, which calls the deleter once when it is done. That library may
/// write to the memory, so it is a copy unless `x` is the last handle: to_dlpack(std::move(x)).
///
/// The memory stays on the device of `x`. On a GPU, the host waits for pending work on the memory,
/// since the struct names no stream. On the host, this is a read.
dlpack::ManagedTensor* to_dlpack(Tensor x, Where where = Where::current());
/// The same with a version and flags. Shares the memory of `x`, marked read-only; copies only
/// memory that was itself imported.
dlpack::ManagedTensorVersioned* to_dlpack_versioned(Tensor x, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/interop/dlpack.ipp>
#endif
