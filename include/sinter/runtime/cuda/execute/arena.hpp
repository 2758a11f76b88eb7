#pragma once
// The arena for the intermediate values of the CUDA Graphs of a stream.

#include <cstddef>  // std::size_t

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/context.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Memory that every graph of a stream may write to. The graphs of a stream run one after another,
/// so all variants and programs share one arena, as large as the largest of them needs.
using CudaArena = SharedPtr<const Storage>;

/// The arenas of one GPU, by stream; guarded by cuda_mutex(). An arena lives while a graph holds
/// it.
struct CudaArenas final : CudaContextState {
  void close(const CudaDriver&) noexcept override { all.clear(); }

  HashMap<const CudaStream*, WeakPtr<const Storage>> all{};
};

/// The arena of `stream`, which belongs to this thread; replaced by a larger one if it has fewer
/// than `bytes`. Throws ValueError, at `where`, if memory runs out.
CudaArena arena_of(CudaStream& stream, std::size_t bytes, Where where);

/// The bytes of all arenas of a GPU, which graphs keep for later calls.
std::size_t bytes_of_arenas(CudaContext& context);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/execute/arena.ipp>
#endif
