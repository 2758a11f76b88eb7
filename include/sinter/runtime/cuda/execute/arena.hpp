#pragma once
// Memory for what the graphs of a stream compute on the way.

#include <cstddef>        // std::size_t
#include <memory>         // std::shared_ptr
#include <unordered_map>  // std::unordered_map

#include <sinter/config.hpp>
#include <sinter/device/cuda/context.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// A piece of memory that every graph of a stream may write to. They run one after the other, so
/// that variants and programs share one, as large as the largest of them needs.
using CudaArena = std::shared_ptr<const Storage>;

/// The arenas of one GPU, by their stream; under cuda_mutex(). They live while a graph holds them.
struct CudaArenas final : CudaPart {
  void close(const CudaDriver&) noexcept override { all.clear(); }

  std::unordered_map<const CudaStream*, std::weak_ptr<const Storage>> all{};
};

/// The arena of `stream`, which is that of this thread, where it has `bytes`; else a larger one,
/// which is that of the stream from now on. ValueError, at `where`, if there is not so much memory.
CudaArena arena_of(CudaStream& stream, std::size_t bytes, Where where);

/// What graphs keep of a GPU for the next calls: the bytes of the arenas of its streams.
std::size_t bytes_of_arenas(CudaContext& context);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/execute/arena.ipp>
#endif
