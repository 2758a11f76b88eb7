#pragma once

#include <sinter/base/log.hpp>
#include <sinter/device/cuda_copy.hpp>
#include <sinter/device/cuda_memory.hpp>
#include <sinter/runtime/cuda_replay.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// A list that is empty in the end, also where something is thrown.
struct Emptied {
  explicit Emptied(std::vector<Storage>& some) : list(some) {}
  Emptied(const Emptied&) = delete;
  Emptied& operator=(const Emptied&) = delete;
  ~Emptied() { list.clear(); }
  std::vector<Storage>& list;
};

}  // namespace detail

SINTER_INLINE StreamReplay::StreamReplay(const CudaReplay& of, CudaStream& stream, Where where)
    : of_(of), stream_(stream) {
  const schedule::Plan& plan = of.plan_;
  uses_.resize(plan.buffers.size());
  addresses_.resize(plan.buffers.size());
  offsets_.resize(plan.buffers.size());
  inputs_.resize(plan.inputs.size());
  outputs_.resize(plan.outputs.size());
  if (of.own_bytes_ != 0) {
    own_ = Storage::allocate(of.own_bytes_, stream.context.device(), where,
                             "faults in the data, and numbers");
  }
  numbers_.resize(of.own_bytes_ - of.faults_.bytes());
  numbers_changed_ = !numbers_.empty();
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const std::vector<std::int32_t>& buffers = plan.launches[i].buffers;
    const auto positions = positions_of_buffers(plan, plan.launches[i]);
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      const bool is_argument = k < positions.size();  // not of control flow
      uses_[static_cast<std::size_t>(buffers[k])].push_back({i, is_argument ? positions[k] : k});
    }
    const CudaLibraryCall* const call = is_control(i) ? nullptr : of.library_call(i);
    if (call != nullptr) children_.push_back({.launch = i, .calls = CudaChild(*call)});
  }
}

SINTER_INLINE StreamReplay::~StreamReplay() {
  if (control_ != nullptr) control_->await();
}

SINTER_INLINE std::byte* StreamReplay::own_address(std::size_t offset) const {
  return static_cast<std::byte*>(own_.data()) + offset;
}

SINTER_INLINE std::size_t StreamReplay::cut() const { return of_.cut_; }

SINTER_INLINE CudaGraph::Kernel StreamReplay::kernel_of(std::size_t launch,
                                                        CudaDriver::Handle function) const {
  const schedule::Launch& one = of_.plan_.launches[launch];
  const CudaGrid& grid = of_.grids_[static_cast<std::size_t>(one.kernel)];
  const CudaGridInCall now = grid_in_call(of_.plan_, one, grid, symbols_);
  CudaGraph::Kernel result{.function = function,
                           .blocks = now.blocks,
                           .threads = static_cast<unsigned>(grid.threads),
                           .shared_bytes = now.shared_bytes,
                           .has_table = !now.firsts.empty()};
  std::vector<void*> buffers;
  for (const std::int32_t buffer : one.buffers) {
    buffers.push_back(addresses_[static_cast<std::size_t>(buffer)]);
  }
  void* const fault = of_.faults_.has(launch) ? own_address(of_.faults_.offset(launch)) : nullptr;
  result.arguments = arguments_of(of_.plan_, one, now, buffers, fault);
  return result;
}

// Those that a node waits for, in its graph.
SINTER_INLINE std::vector<CudaGraph::Node> StreamReplay::nodes_before(
    std::size_t launch, const std::size_t* last_in_line) {
  std::vector<CudaGraph::Node> result;
  const auto add = [&](std::size_t before) {
    if (graph_of(before) != graph_of(launch)) return;
    const CudaGraph::Node node = nodes_[before];
    if (std::find(result.begin(), result.end(), node) == result.end()) result.push_back(node);
  };
  for (const std::int32_t before : of_.order_[launch]) add(static_cast<std::size_t>(before));
  // Loops read all faults. What a second graph checks was found right before it.
  const bool looks = of_.faults_.has(launch) || (is_control(launch) && of_.faults_.any());
  if (looks && graph_of(launch) == 0) result.push_back(0);
  if (last_in_line != nullptr) add(*last_in_line);
  return result;
}

SINTER_INLINE bool StreamReplay::is_control(std::size_t launch) const {
  return of_.plan_.launches[launch].control >= 0;
}

// The nodes in bodies are right for some sizes only: for others all is made anew.
SINTER_INLINE void StreamReplay::bind_control(const CudaCall& call) {
  if (of_.plan_.controls.empty()) return;
  if (control_ == nullptr || !control_->fits(call.symbols)) {
    graphs_.clear();
    control_ = nullptr;
    const std::size_t kernels =
        call.functions.size() - static_cast<std::size_t>(ControlKernel::count);
    const CudaBodyFunctions functions{call.functions.first(kernels), of_.bodies_.forms,
                                      call.functions.subspan(kernels)};
    control_ = std::make_unique<CudaGraphControl>(of_.plan_, of_.grids_, of_.faults_, functions,
                                                  call.symbols, stream_, call.where);
    std::fill(addresses_.begin(), addresses_.end(), nullptr);  // in no words yet
    moved_ = true;
  }
  control_->bind_sizes(call.symbols);
  control_offset_ =
      static_cast<std::size_t>(evaluate(detail::rounded_up(of_.plan_.arena_bytes), call.symbols));
  plan_bytes_ = static_cast<std::int64_t>(control_offset_) + control_->arena_bytes(call.symbols);
}

// With the arguments of this call, and with what children are now.
SINTER_INLINE void StreamReplay::make_graphs(const CudaCall& call) {
  const std::vector<schedule::Launch>& launches = of_.plan_.launches;
  Graphs graphs;
  graphs.push_back(std::make_unique<CudaGraph>(stream_.context, call.where));
  if (cut() < launches.size()) {
    graphs.push_back(std::make_unique<CudaGraph>(stream_.context, call.where));
  }
  if (of_.faults_.any()) {
    graphs[0]->add_zeros(device_address(own_), of_.faults_.bytes() / 4, call.where);
  }
  nodes_.clear();
  std::size_t edges = 0, line = 0;
  bool has_line = false;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    Child* const child = child_of(i);
    const bool is_in_line = child != nullptr && child->calls.workspace_bytes() != 0;
    const auto after = nodes_before(i, is_in_line && has_line ? &line : nullptr);
    CudaGraph& graph = *graphs[graph_of(i)];
    edges += after.size();
    if (is_control(i)) {
      nodes_.push_back(graph.adopt(control_->add(graph.handle(), i, graph.handles(after))));
      continue;
    }
    const CudaDriver::Handle function =
        call.functions[static_cast<std::size_t>(launches[i].kernel)];
    nodes_.push_back(child != nullptr ? graph.add_child(*child->graph, after, call.where)
                                      : graph.add(kernel_of(i, function), after, call.where));
    if (child != nullptr) child->is_in_line = is_in_line;
    if (is_in_line) line = i, has_line = true;
  }
  for (const auto& graph : graphs) graph->instantiate(call.where);
  graphs_ = std::move(graphs);
  log(Log::cudagraph,
      text(graphs_.size() == 1 ? "a graph" : "two graphs", " on ", stream_.context.device(), ": ",
           detail::described(of_.plan_), "; ", edges, edges == 1 ? " dependence" : " dependences"));
}

// A smaller one goes before the larger one is there, if this is all that holds it. Where a library
// works moves with it, though nothing that it reads or writes may have moved.
SINTER_INLINE void StreamReplay::take_arena(Where where) {
  const std::size_t bytes = arena_bytes();
  if (bytes == 0) return;
  const void* const before = arena_ == nullptr ? nullptr : arena_->data();
  if (arena_ != nullptr && arena_->bytes() < bytes) arena_ = nullptr, moved_ = true;
  arena_ = arena_of(stream_, bytes, where);
  if (arena_->data() == before) return;
  moved_ = true;
  for (Child& child : children_) {
    if (child.calls.workspace_bytes() != 0) child.is_stale = true;
  }
}

SINTER_INLINE void StreamReplay::run(CudaWork& work, const CudaCall& call) {
  const detail::Emptied copies{copies_};
  ++runs_;
  bind_sizes(call.symbols);
  bind_control(call);
  take_arena(call.where);
  bind_arguments(work, call);
  bind_buffers();
  set_children(call);
  if (graphs_.empty()) make_graphs(call);
  if (arena_ != nullptr) work.writes(*arena_);
  if (own_) work.writes(own_);
  work.reads(call.held.first(inputs_.size()));
  work.writes(call.held.subspan(inputs_.size()));
  upload_numbers(work);
  if (control_ != nullptr) control_->upload(work, arena_at(control_offset_), own_.data());
  graphs_[0]->launch(work, call.where);
  throw_faults(work);
  if (graphs_.size() > 1) graphs_[1]->launch(work, call.where);
}

SINTER_INLINE void StreamReplay::throw_faults(CudaWork& work) const {
  if (!of_.faults_.any()) return;
  std::vector<std::byte> found(of_.faults_.bytes());
  work.check(work.driver().copy_to_host_async(found.data(), device_address(own_), found.size(),
                                              stream_.handle),
             "cuMemcpyDtoHAsync");
  work.wait();
  of_.faults_.throw_first(of_.plan_, found.data());
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
