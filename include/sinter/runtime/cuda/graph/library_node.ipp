#pragma once

#include <algorithm>  // std::rotate

#include <sinter/base/container/algorithm.hpp>
#include <sinter/runtime/cuda/graph/capture.hpp>
#include <sinter/runtime/cuda/graph/library_node.hpp>
#include <sinter/runtime/cuda/library/stream_call.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

SINTER_INLINE void CudaLibraryNode::bind(CudaContext& context, Span<void* const> buffers,
                                         Span<const std::int64_t> symbols, Workspace workspace) {
  buffers_.assign(buffers.begin(), buffers.end());
  symbols_.assign(symbols.begin(), symbols.end());
  const auto cached = find_if(cache_, [&](const auto& one) {
    const bool needs_none = !one->run || one->run->workspace_bytes == 0;
    const bool fits = workspace == Workspace::allowed || needs_none;
    return fits && one->buffers == buffers_ && one->symbols == symbols_;
  });
  if (control_ != nullptr) return;
  run_ = cached != cache_.end() ? (*cached)->run
                                : call_->resolve(context, buffers, symbols, workspace);
}

SINTER_INLINE void CudaLibraryNode::enqueue(CudaContext& context, CudaDriver::Handle stream,
                                            Capture& capture, void* workspace,
                                            const std::function<void(CudaDriver::Handle)>& kernel,
                                            Where where) const {
  if (control_ != nullptr) {
    return StreamCall(*control_, buffers_, symbols_).enqueue(context.device(), stream);
  }
  if (capture.run && call_->enqueue(context, stream, *capture.run, workspace, where)) return;
  capture.run.reset();
  capture.workspace = nullptr;
  kernel(stream);
}

SINTER_INLINE const CudaGraph& CudaLibraryNode::graph(
    CudaContext& context, void* workspace, const std::function<void(CudaDriver::Handle)>& kernel,
    Where where) {
  if (workspace_bytes() == 0) workspace = nullptr;
  const auto cached = find_if(cache_, [&](const auto& one) {
    return one->workspace == workspace && one->buffers == buffers_ && one->symbols == symbols_;
  });
  if (cached != cache_.end()) {
    std::rotate(cache_.begin(), cached, cached + 1);
    return *cache_.front()->graph;
  }
  ++captures_;
  auto fresh = make_unique_ptr<Capture>(Capture{buffers_, symbols_, run_, workspace, {}});
  fresh->graph = capture_graph(
      context,
      [&](CudaDriver::Handle stream) {
        enqueue(context, stream, *fresh, workspace, kernel, where);
      },
      where);
  run_ = fresh->run;
  if (cache_.size() == max_cached) cache_.pop_back();
  cache_.insert(cache_.begin(), std::move(fresh));
  return *cache_.front()->graph;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
