#pragma once
// The memory of GPUs: recycled like that of the host, in order with the streams that use it.

#include <array>          // std::array
#include <cstddef>        // std::size_t
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::move
#include <vector>         // std::vector

#include <sinter/base/error.hpp>
#include <sinter/base/where.hpp>
#include <sinter/device/cuda/stream_order.hpp>
#include <sinter/device/host/size_class.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A piece of memory of a GPU. Its uses stay known when it is recycled: the first work that writes
/// to it again runs after them, on whatever stream.
struct CudaBlock final : StorageBlock {
  explicit CudaBlock(CudaContext& gpu) : context(gpu) {}
  CudaContext& context;
  std::vector<CudaUse> uses{};  // under cuda_mutex()
  Storage first{};              // of memory from outside: what was known at its address before
};

/// The memory of one GPU that is kept for the next allocations; under cuda_mutex().
struct CudaPool final : CudaContextState {
  std::array<detail::StorageBlock*, size_classes> idle{};
  MemoryStats stats{};

  /// Where each block of the GPU starts.
  std::unordered_map<const void*, detail::CudaBlock*> blocks{};

  /// Makes `block` idle.
  void put(detail::CudaBlock& block);
  /// Takes all idle blocks out, each in front of the next.
  detail::CudaBlock* take_all();
  /// Gives idle blocks back to a driver with no work in flight.
  void close(const CudaDriver& driver) noexcept override;
};

/// What Storage::allocate throws for a GPU, so that who knows what the memory is for can say more.
struct CudaOutOfMemory : ValueError {
  explicit CudaOutOfMemory(Report why) : ValueError(why), report(std::move(why)) {}
  Report report;
};

/// The storage of `device` that starts at `address` and is in use; none for memory of the host.
Storage memory_at(Device device, const void* address);

/// The address of memory of a GPU, as the driver takes it.
inline CudaDriver::Address device_address(const Storage& memory) {
  return reinterpret_cast<CudaDriver::Address>(memory.data());
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/memory.ipp>
#endif
