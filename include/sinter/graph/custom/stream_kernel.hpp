#pragma once
// StreamKernel: a custom operation whose work a library enqueues on a GPU.

#include <span>  // std::span

#include <sinter/config.hpp>
#include <sinter/graph/custom/raw_tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A custom operation that enqueues its work on a stream of a GPU, whose memory it gets. A capture
/// of the stream may record it: a node of a CUDA Graph.
class StreamKernel {
 public:
  virtual ~StreamKernel() = default;
  /// What the host has to do before enqueue(): in a replayed graph, where the sizes are new.
  virtual void prepare(std::span<const RawTensor> in, std::span<const RawTensor> out,
                       int gpu) const = 0;
  virtual void enqueue(std::span<const RawTensor> in, std::span<const RawTensor> out, int gpu,
                       void* stream) const = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail
