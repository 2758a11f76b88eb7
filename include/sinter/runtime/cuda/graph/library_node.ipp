#pragma once

#include <algorithm>  // std::find_if, std::rotate

#include <sinter/runtime/cuda/graph/capture.hpp>
#include <sinter/runtime/cuda/graph/library_node.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

SINTER_INLINE void CudaChild::place(CudaContext& context, std::span<void* const> buffers,
                                    std::span<const std::int64_t> symbols, Workspace workspace) {
  buffers_.assign(buffers.begin(), buffers.end());
  symbols_.assign(symbols.begin(), symbols.end());
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const auto& one) {
    const bool works_in_none = !one->run || one->run->workspace_bytes == 0;
    const bool fits = workspace == Workspace::allowed || works_in_none;
    return fits && one->buffers == buffers_ && one->symbols == symbols_;
  });
  run_ = known != known_.end() ? (*known)->run
                               : call_->resolve(context, buffers, symbols, workspace);
}

SINTER_INLINE const CudaGraph& CudaChild::graph(
    CudaContext& context, void* workspace, const std::function<void(CudaDriver::Handle)>& kernel,
    Where where) {
  if (workspace_bytes() == 0) workspace = nullptr;
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const auto& one) {
    return one->workspace == workspace && one->buffers == buffers_ && one->symbols == symbols_;
  });
  if (known != known_.end()) {
    std::rotate(known_.begin(), known, known + 1);
    return *known_.front()->graph;
  }
  ++captures_;
  auto fresh = std::make_unique<Known>(Known{buffers_, symbols_, run_, workspace, {}});
  fresh->graph = captured(
      context,
      [&](CudaDriver::Handle stream) {
        if (fresh->run && call_->give(context, stream, *fresh->run, workspace, where)) return;
        fresh->run.reset();
        fresh->workspace = nullptr;
        kernel(stream);
      },
      where);
  run_ = fresh->run;
  if (known_.size() == most_kept) known_.pop_back();
  known_.insert(known_.begin(), std::move(fresh));
  return *known_.front()->graph;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
