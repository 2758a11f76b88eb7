#pragma once

#include <mutex>    // std::lock_guard
#include <utility>  // std::exchange

#include <sinter/runtime/cuda/graph/capture.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// A capture that ends, whatever happens in it.
//
// It is relaxed, since at its first call for a shape a library loads kernels and asks for memory,
// as other threads do all the time: in the other modes that would end the capture.
class OpenCapture {
 public:
  OpenCapture(CudaContext& context, CudaDriver::Handle stream, Where where)
      : context_(context), stream_(stream) {
    context.check(context.driver().begin_capture(stream, CudaDriver::capture_relaxed),
                  "cuStreamBeginCapture", where);
  }
  OpenCapture(const OpenCapture&) = delete;
  OpenCapture& operator=(const OpenCapture&) = delete;
  ~OpenCapture() {
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

// The stream is used for nothing else: other threads record events on the streams of threads, and
// wait for them, neither of which a stream may meet while it captures.
SINTER_INLINE std::unique_ptr<CudaGraph> captured(
    CudaContext& context, const std::function<void(CudaDriver::Handle)>& give, Where where) {
  CudaGraphs& graphs = context.part<CudaGraphs>();
  const std::lock_guard lock(graphs.capturing);
  if (graphs.capture_stream == nullptr) {
    context.check(
        context.driver().create_stream(&graphs.capture_stream, CudaDriver::stream_non_blocking),
        "cuStreamCreate", where);
  }
  detail::OpenCapture capture(context, graphs.capture_stream, where);
  give(graphs.capture_stream);
  return std::make_unique<CudaGraph>(context, capture.end(where));
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
