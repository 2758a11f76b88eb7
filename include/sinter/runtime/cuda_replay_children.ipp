#pragma once

// Library calls of a replay, which are nodes of its graphs.

#include <algorithm>  // std::find_if, std::lower_bound, std::max

#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/runtime/cuda_replay.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// Of the memory that a library works in, with which the arena ends.
inline constexpr std::size_t workspace_alignment = 256;
// A call that does not hide its captures is a generated kernel after so many of them in runs one
// after the other: its arguments never stay. Those that stay for so many runs as this cost little,
// however often they change.
inline constexpr std::size_t most_captures = 4 * CudaChild::most_kept, runs_of_capture = 16;

}  // namespace detail

SINTER_INLINE StreamReplay::Child* StreamReplay::child_of(std::size_t launch) {
  const auto found =
      std::lower_bound(children_.begin(), children_.end(), launch,
                       [](const Child& one, std::size_t other) { return one.launch < other; });
  return found == children_.end() || found->launch != launch ? nullptr : &*found;
}

SINTER_INLINE std::size_t StreamReplay::arena_bytes() const {
  const auto bytes = static_cast<std::size_t>(plan_bytes_);
  if (workspace_bytes_ == 0) return bytes;
  constexpr std::size_t step = detail::workspace_alignment;
  return (bytes + step - 1) / step * step + workspace_bytes_;
}

// Gives the bytes that the largest of them works in.
SINTER_INLINE std::size_t StreamReplay::place_stale_children(CudaContext& context) {
  std::size_t result = 0;
  std::vector<void*> buffers;
  std::vector<long> sizes;
  for (Child& child : children_) {
    if (!child.is_stale) continue;
    const schedule::Launch& launch = of_.plan_.launches[child.launch];
    buffers.clear(), sizes.clear();
    for (const std::int32_t buffer : launch.buffers) {
      buffers.push_back(addresses_[static_cast<std::size_t>(buffer)]);
    }
    for (const Extent& size : launch.sizes) sizes.push_back(evaluate(size, symbols_));
    const auto& kernel = of_.plan_.kernels[static_cast<std::size_t>(launch.kernel)];
    child.calls.place(context, buffers, detail::by_id(kernel, sizes), workspace_);
    result = std::max(result, child.calls.workspace_bytes());
  }
  return result;
}

// All of them work in the same memory, at the end of the arena. Without so much memory, they do
// without.
SINTER_INLINE void StreamReplay::place_children(CudaContext& context, Where where) {
  while (true) {
    const std::size_t wanted = place_stale_children(context);
    if (wanted <= workspace_bytes_) return;
    workspace_bytes_ = wanted;
    try {
      take_arena(where);
    } catch (const ValueError&) {
      workspace_ = Workspace::none;
      workspace_bytes_ = 0;
      for (Child& child : children_) child.is_stale = true;
      take_arena(where);
    }
    bind_buffers();
  }
}

SINTER_INLINE void StreamReplay::give_kernel(const Child& child, const CudaCall& call,
                                             CudaDriver::Handle stream) const {
  const schedule::Launch& launch = of_.plan_.launches[child.launch];
  const auto number = static_cast<std::size_t>(launch.kernel);
  const CudaGrid& grid = of_.grids_[number];
  const CudaGridInCall now = grid_in_call(of_.plan_, launch, grid, symbols_);
  std::vector<void*> buffers;
  for (const std::int32_t buffer : launch.buffers) {
    buffers.push_back(addresses_[static_cast<std::size_t>(buffer)]);
  }
  auto arguments = arguments_of(of_.plan_, launch, now, buffers, nullptr);
  launch_kernel(stream_.context, stream, call.functions[number], grid, now, arguments, call.where);
}

// False if the graphs have to be made anew for what it is now.
SINTER_INLINE bool StreamReplay::update(Child& child, const CudaCall& call) {
  const std::vector<Where>& lines = of_.plan_.launches[child.launch].lines;
  void* const workspace = workspace_bytes_ == 0 ? nullptr
                                                : static_cast<std::byte*>(arena_->data()) +
                                                      arena_bytes() - workspace_bytes_;
  const std::size_t captures_before = child.calls.captures();
  child.graph = &child.calls.graph(
      stream_.context, workspace,
      [&](CudaDriver::Handle stream) { give_kernel(child, call, stream); },
      lines.empty() ? call.where : lines.front());
  if (child.calls.captures() != captures_before) {
    child.paid_at = std::max(child.paid_at, runs_) + detail::runs_of_capture;
  }
  if (graphs_.empty()) return false;
  if (child.calls.workspace_bytes() != 0 && !child.is_in_line) return false;
  return graphs_[graph_of(child.launch)]->set_child(nodes_[child.launch], *child.graph);
}

// A product with other arguments is captured again, unless it is known for these; the graphs stay,
// unless the driver finds that another kernel is more than another argument.
SINTER_INLINE void StreamReplay::set_children(const CudaCall& call) {
  if (children_.empty()) return;
  place_children(stream_.context, call.where);
  bool fits = true;
  for (Child& child : children_) {
    if (!child.is_stale) continue;
    fits = update(child, call) && fits;
  }
  constexpr std::size_t most_unpaid = (detail::runs_of_capture - 1) * (detail::most_captures + 1);
  const auto is_kernel = [this](const Child& one) {
    return one.paid_at > runs_ + most_unpaid && !one.calls.hides_captures();
  };
  const std::size_t given_up = std::erase_if(children_, is_kernel);
  if (given_up != 0) {
    log(Log::cudagraph, text(given_up, " of the products of ", detail::described(of_.plan_),
                             " become kernels: what they use moves too often"));
  }
  if (!fits || given_up != 0) graphs_.clear(), make_graphs(call);
  for (Child& child : children_) child.is_stale = false;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
