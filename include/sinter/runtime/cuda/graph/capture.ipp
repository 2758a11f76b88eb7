#pragma once

#include <mutex>    // std::lock_guard
#include <utility>  // std::exchange

#include <sinter/runtime/cuda/graph/capture.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// A stream capture that ends with its scope.
//
// The mode is relaxed: in its first call for a shape, a library loads kernels and allocates memory,
// as other threads do at any time. The other modes would invalidate the capture.
class ScopedCapture {
 public:
  ScopedCapture(CudaContext& context, CudaDriver::Handle stream, Where where)
      : context_(context), stream_(stream) {
    context.check(context.driver().begin_capture(stream, CudaDriver::capture_relaxed),
                  "cuStreamBeginCapture", where);
  }
  ScopedCapture(const ScopedCapture&) = delete;
  ScopedCapture& operator=(const ScopedCapture&) = delete;
  ~ScopedCapture() {
    CudaDriver::Handle graph = nullptr;
    if (is_open_ && context_.driver().end_capture(stream_, &graph) == 0 && graph != nullptr) {
      context_.driver().destroy_graph(graph);
    }
  }

  CudaDriver::Handle end(Where where) {
    is_open_ = false;
    CudaDriver::Handle graph = nullptr;
    context_.check(context_.driver().end_capture(stream_, &graph), "cuStreamEndCapture", where);
    return graph;
  }

 private:
  CudaContext& context_;
  const CudaDriver::Handle stream_;
  bool is_open_ = true;
};

}  // namespace detail

// The capture stream is used for nothing else: other threads record events on the streams of
// threads and wait for them, which is not allowed on a capturing stream.
SINTER_INLINE UniquePtr<CudaGraph> capture_graph(
    CudaContext& context, const std::function<void(CudaDriver::Handle)>& enqueue, Where where) {
  CudaGraphs& graphs = context.state<CudaGraphs>();
  const std::lock_guard lock(graphs.capturing);
  if (graphs.capture_stream == nullptr) {
    context.check(
        context.driver().create_stream(&graphs.capture_stream, CudaDriver::stream_non_blocking),
        "cuStreamCreate", where);
  }
  detail::ScopedCapture capture(context, graphs.capture_stream, where);
  enqueue(graphs.capture_stream);
  return make_unique_ptr<CudaGraph>(context, capture.end(where));
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
