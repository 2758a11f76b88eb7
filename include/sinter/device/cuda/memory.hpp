#pragma once
// The GPU allocator: recycles blocks like the host allocator, in stream order.

#include <array>          // std::array
#include <cstddef>        // std::size_t
#include <cstdint>        // std::int64_t
#include <string_view>    // std::string_view

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/where.hpp>
#include <sinter/device/cuda/stream_order.hpp>
#include <sinter/device/host/size_class.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A block of GPU memory. It keeps its uses when it is recycled: the first work that writes to it
/// again, on any stream, runs after them. The members from `device` to `uses` share a cache line,
/// so a submission reads one line of each block that it uses.
struct alignas(64) CudaBlock final : StorageBlock {
  explicit CudaBlock(CudaContext& gpu) : context(gpu) {}
  CudaContext& context;
  CudaUses uses{};  // guarded by cuda_mutex()
  Storage first{};  // of borrowed memory: the storage found at the same address
};

/// The idle blocks of one GPU, for later allocations; guarded by cuda_mutex().
struct CudaPool final : CudaContextState {
  std::array<detail::StorageBlock*, size_classes> idle{};
  MemoryStats stats{};

  /// The blocks of the GPU by address.
  HashMap<const void*, detail::CudaBlock*> blocks{};

  /// Makes `block` idle.
  void put(detail::CudaBlock& block);
  /// Removes all idle blocks; returns them as a linked list.
  detail::CudaBlock* take_all();
  /// Frees the idle blocks. No work is in flight.
  void close(const CudaDriver& driver) noexcept override;
};

/// The allocations of GPUs; see Storage and GpuBackend.
struct CudaMemory {
  static Storage allocate(std::size_t bytes, Device device, Where where, std::string_view purpose);
  // See device/cuda/external_memory.hpp.
  static Storage borrow(Device device, const void* memory, std::size_t bytes,
                        void (*release)(void*), void* owner, Where where);
  static void give_back(CudaBlock* block) noexcept;

  static void recycle(StorageBlock* block) noexcept;
  static MemoryStats stats(Device device, Where where);
  static void reset_stats(Device device, Where where);
  static std::int64_t release_idle(Device device, Where where);
  static CudaBlock& block_of(const Storage& memory) {
    return *static_cast<CudaBlock*>(memory.block_);
  }
  static Storage at(Device device, const void* address);
};

/// The live storage of `device` that starts at `address`; empty for host memory.
Storage memory_at(Device device, const void* address);

/// The driver address of GPU memory.
inline CudaDriver::Address device_address(const Storage& memory) {
  return reinterpret_cast<CudaDriver::Address>(memory.data());
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/memory.ipp>
#endif
