#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/base/container/vector.hpp>
#include <sinter/device/host/size_class.hpp>
#include <sinter/runtime/cuda/execute/arena.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

SINTER_INLINE CudaArena arena_of(CudaStream& stream, std::size_t bytes, Where where) {
  CudaArenas& arenas = stream.context.state<CudaArenas>();
  CudaArena result;  // outlives the lock: freeing memory takes it
  {
    const std::lock_guard lock(cuda_mutex());
    result = arenas.all[&stream].lock();
  }
  if (result != nullptr && result->bytes() >= bytes) return result;
  result = nullptr;
  // Round up to a size class, so that slightly growing sizes do not need a new arena each time.
  const std::size_t capacity = class_bytes(size_class(bytes));
  result = make_shared_ptr<const Storage>(
      Storage::allocate(capacity, stream.context.device(), where, "intermediate values"));
  const std::lock_guard lock(cuda_mutex());
  arenas.all[&stream] = result;
  return result;
}

SINTER_INLINE std::size_t bytes_of_arenas(CudaContext& context) {
  CudaArenas& arenas = context.state<CudaArenas>();
  Vector<CudaArena> held;  // outlives the lock: freeing memory takes it
  const std::lock_guard lock(cuda_mutex());
  std::size_t result = 0;
  for (const auto& [stream, arena] : arenas.all) {
    held.push_back(arena.lock());
    if (held.back() != nullptr) result += held.back()->bytes();
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
