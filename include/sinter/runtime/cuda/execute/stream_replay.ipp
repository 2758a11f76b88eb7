#pragma once

#include <algorithm>  // std::equal, std::fill, std::find_if, std::lower_bound, std::max
#include <cstring>    // std::memcmp, std::memcpy

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/runtime/cuda/execute/replay.hpp>
#include <sinter/runtime/cuda/execute/stream_replay.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// Alignment of the library workspace, which is at the end of the arena.
inline constexpr std::size_t workspace_alignment = 256;
// The cost model of captures: a capture pays off if 16 runs follow it. A node whose debt exceeds 32
// captures in a row becomes a generated kernel, unless its run time hides the captures.
inline constexpr std::size_t max_captures = 4 * CudaLibraryNode::max_cached, runs_per_capture = 16;

// Clears a list at the end of a scope, also when an exception leaves it.
struct ClearedAtExit {
  explicit ClearedAtExit(Vector<Storage>& some) : list(some) {}
  ClearedAtExit(const ClearedAtExit&) = delete;
  ClearedAtExit& operator=(const ClearedAtExit&) = delete;
  ~ClearedAtExit() { list.clear(); }
  Vector<Storage>& list;
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
    const Vector<std::int32_t>& buffers = plan.launches[i].buffers;
    const auto positions = positions_of_buffers(plan, plan.launches[i]);
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      const bool is_argument = k < positions.size();  // false for control flow
      uses_[static_cast<std::size_t>(buffers[k])].push_back({i, is_argument ? positions[k] : k});
    }
    if (enqueues(plan, plan.launches[i])) {
      const auto number = static_cast<std::size_t>(plan.launches[i].control);
      library_nodes_.push_back({.launch = i, .calls = CudaLibraryNode(plan.controls[number])});
    } else if (const CudaLibraryCall* const call = of.library_call(i)) {
      library_nodes_.push_back({.launch = i, .calls = CudaLibraryNode(*call)});
    }
  }
}

SINTER_INLINE StreamReplay::~StreamReplay() {
  if (control_ != nullptr) control_->await();
}

SINTER_INLINE std::byte* StreamReplay::own_address(std::size_t offset) const {
  return static_cast<std::byte*>(own_.data()) + offset;
}

SINTER_INLINE std::size_t StreamReplay::second_graph_begin() const {
  return of_.second_graph_begin_;
}

SINTER_INLINE CudaGraph::Kernel StreamReplay::kernel_of(std::size_t launch,
                                                        CudaDriver::Handle function) const {
  const schedule::Launch& one = of_.plan_.launches[launch];
  const CudaGrid& grid = of_.grids_[static_cast<std::size_t>(one.kernel)];
  const CudaLaunchConfig now = launch_config(of_.plan_, one, grid, symbols_);
  CudaGraph::Kernel result{.function = function,
                           .blocks = now.blocks,
                           .threads = static_cast<unsigned>(grid.threads),
                           .shared_bytes = now.shared_bytes,
                           .has_table = !now.first_blocks.empty()};
  Vector<void*> buffers;
  for (const std::int32_t buffer : one.buffers) {
    buffers.push_back(addresses_[static_cast<std::size_t>(buffer)]);
  }
  void* const fault = of_.faults_.has(launch) ? own_address(of_.faults_.offset(launch)) : nullptr;
  result.arguments = arguments_of(of_.plan_, one, now, buffers, fault);
  return result;
}

// The nodes that a launch depends on, in its graph.
SINTER_INLINE Vector<CudaGraph::Node> StreamReplay::nodes_before(
    std::size_t launch, const std::size_t* last_serialized) {
  Vector<CudaGraph::Node> result;
  const auto add = [&](std::size_t before) {
    if (graph_of(before) != graph_of(launch)) return;
    const CudaGraph::Node node = nodes_[before];
    if (!contains(result, node)) result.push_back(node);
  };
  for (const std::int32_t before : of_.dependencies_[launch]) add(static_cast<std::size_t>(before));
  // Loops read all fault words. Launches of the second graph run after the host checked for faults.
  const bool uses_faults = of_.faults_.has(launch) || (is_control(launch) && of_.faults_.any());
  if (uses_faults && graph_of(launch) == 0) result.push_back(0);
  if (last_serialized != nullptr) add(*last_serialized);
  return result;
}

SINTER_INLINE bool StreamReplay::is_control(std::size_t launch) const {
  return runtime::is_control(of_.plan_, of_.plan_.launches[launch]);
}

// Nodes in bodies are valid for some sizes only: for other sizes all graphs are created again.
SINTER_INLINE void StreamReplay::bind_control(const CudaCall& call) {
  if (!of_.has_controls_) return;
  if (control_ == nullptr || !control_->fits(call.symbols)) {
    graphs_.clear();
    control_ = nullptr;
    const std::size_t kernels =
        call.functions.size() - static_cast<std::size_t>(ControlKernel::count);
    const CudaBodyFunctions functions{call.functions.first(kernels), of_.bodies_.variants,
                                      call.functions.subspan(kernels)};
    control_ = make_unique_ptr<CudaGraphControl>(of_.plan_, of_.grids_, of_.faults_, functions,
                                                 call.symbols, stream_, call.where);
    std::fill(addresses_.begin(), addresses_.end(), nullptr);  // the new words hold no addresses
    addresses_changed_ = true;
  }
  control_->bind_sizes(call.symbols);
  control_offset_ =
      static_cast<std::size_t>(evaluate(detail::rounded_up(of_.plan_.arena_bytes), call.symbols));
  plan_bytes_ = static_cast<std::int64_t>(control_offset_) + control_->arena_bytes(call.symbols);
}

// Creates the graphs with the arguments of this call and the current captures.
SINTER_INLINE void StreamReplay::make_graphs(const CudaCall& call) {
  const Vector<schedule::Launch>& launches = of_.plan_.launches;
  Graphs graphs;
  graphs.push_back(make_unique_ptr<CudaGraph>(stream_.context, call.where));
  if (second_graph_begin() < launches.size()) {
    graphs.push_back(make_unique_ptr<CudaGraph>(stream_.context, call.where));
  }
  if (of_.faults_.any()) {
    graphs[0]->add_zeros(device_address(own_), of_.faults_.bytes() / 4, call.where);
  }
  nodes_.clear();
  std::size_t edges = 0, last = 0;
  bool has_serialized = false;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    LibraryNode* const child = library_node_of(i);
    const bool is_serialized = child != nullptr && child->calls.workspace_bytes() != 0;
    const auto after = nodes_before(i, is_serialized && has_serialized ? &last : nullptr);
    CudaGraph& graph = *graphs[graph_of(i)];
    edges += after.size();
    if (is_control(i)) {
      nodes_.push_back(graph.adopt(control_->add(graph.handle(), i, graph.handles(after))));
      continue;
    }
    const auto kernel = static_cast<std::size_t>(launches[i].kernel);
    nodes_.push_back(child != nullptr
                         ? graph.add_child(*child->graph, after, call.where)
                         : graph.add(kernel_of(i, call.functions[kernel]), after, call.where));
    if (child != nullptr) child->is_serialized = is_serialized;
    if (is_serialized) last = i, has_serialized = true;
  }
  for (const auto& graph : graphs) graph->instantiate(call.where);
  graphs_ = std::move(graphs);
  log(Log::cudagraph,
      text(graphs_.size() == 1 ? "a graph" : "two graphs", " on ", stream_.context.device(), ": ",
           detail::describe(of_.plan_), "; ", edges, edges == 1 ? " dependency" : " dependencies"));
}

// Releases a too small arena first, in case this is its only holder. The library workspace moves
// with the arena, so nodes that use it become stale even if their operands have not moved.
SINTER_INLINE void StreamReplay::take_arena(Where where) {
  const std::size_t bytes = arena_bytes();
  if (bytes == 0) return;
  const void* const before = arena_ == nullptr ? nullptr : arena_->data();
  if (arena_ != nullptr && arena_->bytes() < bytes) arena_ = nullptr, addresses_changed_ = true;
  arena_ = arena_of(stream_, bytes, where);
  if (arena_->data() == before) return;
  addresses_changed_ = true;
  for (LibraryNode& child : library_nodes_) {
    if (child.calls.workspace_bytes() != 0) child.is_stale = true;
  }
}

SINTER_INLINE void StreamReplay::run(CudaSubmission& work, const CudaCall& call) {
  const detail::ClearedAtExit copies{copies_};
  ++runs_;
  bind_sizes(call.symbols);
  bind_control(call);
  take_arena(call.where);
  bind_arguments(work, call);
  bind_buffers();
  update_library_nodes(call);
  if (graphs_.empty()) make_graphs(call);
  if (arena_ != nullptr) work.writes(*arena_);
  if (own_) work.writes(own_);
  work.reads(call.held.first(inputs_.size()));
  work.writes(call.held.subspan(inputs_.size()));
  upload_numbers(work);
  if (control_ != nullptr) control_->upload(work, arena_at(control_offset_), own_.data());
  graphs_[0]->launch(work, call.where);
  throw_faults(work, call.where);
  if (graphs_.size() > 1) graphs_[1]->launch(work, call.where);
}

SINTER_INLINE void StreamReplay::throw_faults(CudaSubmission& work, Where where) const {
  if (!of_.faults_.any()) return;
  await_others(work.context(), stream_.handle, where);
  Vector<std::byte> found(of_.faults_.bytes());
  work.check(work.driver().copy_to_host_async(found.data(), device_address(own_), found.size(),
                                              stream_.handle),
             "cuMemcpyDtoHAsync");
  work.wait();
  of_.faults_.throw_first(of_.plan_, found.data());
}

// Binding: arguments, sizes and host scalars of a call.

// Copies a host scalar for upload and returns its GPU address.
SINTER_INLINE void* StreamReplay::keep_number(std::size_t input, const void* number) {
  const auto& buffer = of_.plan_.buffers[static_cast<std::size_t>(of_.plan_.inputs[input])];
  const auto slot = static_cast<std::size_t>(of_.number_slots_[input]);
  const std::size_t offset = detail::number_bytes * slot;
  const auto bytes = static_cast<std::size_t>(info(buffer.dtype).size);
  if (std::memcmp(numbers_.data() + offset, number, bytes) != 0) {
    std::memcpy(numbers_.data() + offset, number, bytes);
    numbers_changed_ = true;
  }
  return own_address(of_.faults_.bytes() + offset);
}

// Uploads all host scalars in one copy.
SINTER_INLINE void StreamReplay::upload_numbers(const CudaSubmission& work) {
  if (!numbers_changed_) return;
  const auto to = device_address(own_) + of_.faults_.bytes();
  work.check(
      work.driver().copy_to_device_async(to, numbers_.data(), numbers_.size(), stream_.handle),
      "cuMemcpyHtoDAsync");
  numbers_changed_ = false;
}

SINTER_INLINE void StreamReplay::bind(std::size_t buffer, void* address) {
  if (addresses_[buffer] == address) return;
  addresses_[buffer] = address;
  for (const Use& use : uses_[buffer]) {
    if (is_control(use.launch)) {
      control_->bind_buffer(buffer, address);
    } else if (LibraryNode* const child = library_node_of(use.launch)) {
      child->is_stale = true;
    } else if (!graphs_.empty()) {
      graphs_[graph_of(use.launch)]->set_argument(nodes_[use.launch], use.argument,
                                                  reinterpret_cast<std::uint64_t>(address));
    }
  }
}

SINTER_INLINE void StreamReplay::bind_launch(std::size_t launch) {
  if (is_control(launch)) return;
  if (LibraryNode* const child = library_node_of(launch)) child->is_stale = true;
  if (library_node_of(launch) != nullptr || graphs_.empty()) return;
  const CudaGraph::Kernel now = kernel_of(launch, nullptr);
  CudaGraph& graph = *graphs_[graph_of(launch)];
  graph.set_grid(nodes_[launch], now.blocks, now.shared_bytes);
  for (std::size_t k = 0; k < now.arguments.size(); ++k) {
    graph.set_argument(nodes_[launch], k, now.arguments[k]);
  }
}

// Binds sizes, grids and arena offsets.
SINTER_INLINE void StreamReplay::bind_sizes(Span<const std::int64_t> symbols) {
  if (bound_ && std::equal(symbols.begin(), symbols.end(), symbols_.begin(), symbols_.end())) {
    return;
  }
  const schedule::Plan& plan = of_.plan_;
  bound_ = false;
  addresses_changed_ = true;
  symbols_.assign(symbols.begin(), symbols.end());
  for (std::size_t i = 0; i < plan.launches.size(); ++i) bind_launch(i);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].home == schedule::Home::arena) {
      offsets_[i] = evaluate(plan.buffers[i].offset, symbols);
    }
  }
  plan_bytes_ = evaluate(plan.arena_bytes, symbols);
  bound_ = true;
}

SINTER_INLINE void* StreamReplay::on_gpu(CudaSubmission& work, const CudaCall& call,
                                         std::size_t input) {
  if (of_.number_slots_[input] >= 0) return keep_number(input, call.inputs[input]);
  const auto& buffer = of_.plan_.buffers[static_cast<std::size_t>(of_.plan_.inputs[input])];
  const auto bytes = static_cast<std::size_t>(detail::bytes_of(buffer, call.symbols));
  const Device device = stream_.context.device();
  copies_.push_back(copied_to(Storage::borrow(call.inputs[input], bytes), device, call.where));
  work.reads(copies_.back());
  return copies_.back().data();
}

SINTER_INLINE void StreamReplay::bind_input(std::size_t input, void* address) {
  if (inputs_[input] == address) return;
  inputs_[input] = address;
  addresses_changed_ = true;
}

// Inputs with the same addresses as in the last call need no lookup, except that host memory may
// have changed.
SINTER_INLINE void StreamReplay::bind_arguments(CudaSubmission& work, const CudaCall& call) {
  if (std::equal(given_.begin(), given_.end(), call.inputs.begin(), call.inputs.end())) {
    for (const std::size_t i : host_inputs_) bind_input(i, on_gpu(work, call, i));
  } else {
    given_.clear(), host_inputs_.clear();
    const Device device = stream_.context.device();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_on_gpu = call.held[i] != nullptr && call.held[i]->device() == device;
      if (!is_on_gpu) host_inputs_.push_back(i);
      bind_input(i, is_on_gpu ? call.inputs[i] : on_gpu(work, call, i));
    }
    given_.assign(call.inputs.begin(), call.inputs.end());
  }
  if (std::equal(outputs_.begin(), outputs_.end(), call.outputs.begin())) return;
  outputs_.assign(call.outputs.begin(), call.outputs.end());
  addresses_changed_ = true;
}

SINTER_INLINE std::byte* StreamReplay::arena_at(std::size_t offset) const {
  return arena_ == nullptr ? nullptr : static_cast<std::byte*>(arena_->data()) + offset;
}

SINTER_INLINE void StreamReplay::bind_buffers() {
  if (!addresses_changed_) return;
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    const schedule::Buffer& buffer = of_.plan_.buffers[i];
    const auto position = static_cast<std::size_t>(buffer.position);
    switch (buffer.home) {
      case schedule::Home::input:
        bind(i, inputs_[position]);
        break;
      case schedule::Home::output:
        bind(i, outputs_[position]);
        break;
      case schedule::Home::arena:
        bind(i, arena_at(static_cast<std::size_t>(offsets_[i])));
    }
  }
  addresses_changed_ = false;
}

// Library calls, which are child graph nodes.

SINTER_INLINE StreamReplay::LibraryNode* StreamReplay::library_node_of(std::size_t launch) {
  const auto found = std::lower_bound(
      library_nodes_.begin(), library_nodes_.end(), launch,
      [](const LibraryNode& one, std::size_t other) { return one.launch < other; });
  return found == library_nodes_.end() || found->launch != launch ? nullptr : &*found;
}

SINTER_INLINE std::size_t StreamReplay::arena_bytes() const {
  const auto bytes = static_cast<std::size_t>(plan_bytes_);
  if (workspace_bytes_ == 0) return bytes;
  constexpr std::size_t step = detail::workspace_alignment;
  return (bytes + step - 1) / step * step + workspace_bytes_;
}

// Returns the largest workspace in bytes.
SINTER_INLINE std::size_t StreamReplay::place_stale_nodes(CudaContext& context) {
  std::size_t result = 0;
  Vector<void*> buffers;
  std::vector<long> sizes;
  for (LibraryNode& child : library_nodes_) {
    if (!child.is_stale) continue;
    const schedule::Launch& launch = of_.plan_.launches[child.launch];
    buffers.clear(), sizes.clear();
    for (const std::int32_t buffer : launch.buffers) {
      buffers.push_back(addresses_[static_cast<std::size_t>(buffer)]);
    }
    for (const Extent& size : launch.sizes) sizes.push_back(evaluate(size, symbols_));
    const auto kernel = static_cast<std::size_t>(launch.kernel);
    child.calls.bind(
        context, buffers,
        launch.control >= 0 ? symbols_ : detail::by_id(of_.plan_.kernels[kernel], sizes),
        workspace_);
    result = std::max(result, child.calls.workspace_bytes());
  }
  return result;
}

// All library nodes share one workspace, at the end of the arena. If memory for it runs out, they
// use algorithms without a workspace.
SINTER_INLINE void StreamReplay::place_library_nodes(CudaContext& context, Where where) {
  while (true) {
    const std::size_t wanted = place_stale_nodes(context);
    if (wanted <= workspace_bytes_) return;
    workspace_bytes_ = wanted;
    try {
      take_arena(where);
    } catch (const ValueError&) {
      workspace_ = Workspace::none;
      workspace_bytes_ = 0;
      for (LibraryNode& child : library_nodes_) child.is_stale = true;
      take_arena(where);
    }
    bind_buffers();
  }
}

SINTER_INLINE void StreamReplay::enqueue_kernel(const LibraryNode& child, const CudaCall& call,
                                                CudaDriver::Handle stream) const {
  const schedule::Launch& launch = of_.plan_.launches[child.launch];
  const auto number = static_cast<std::size_t>(launch.kernel);
  const CudaGrid& grid = of_.grids_[number];
  const CudaLaunchConfig now = launch_config(of_.plan_, launch, grid, symbols_);
  Vector<void*> buffers;
  for (const std::int32_t buffer : launch.buffers) {
    buffers.push_back(addresses_[static_cast<std::size_t>(buffer)]);
  }
  auto arguments = arguments_of(of_.plan_, launch, now, buffers, nullptr);
  launch_kernel(stream_.context, stream, call.functions[number], grid, now, arguments, call.where);
}

// Captures the node for its current arguments; false if the graphs have to be created again.
SINTER_INLINE bool StreamReplay::update(LibraryNode& child, const CudaCall& call) {
  const std::vector<Where>& lines = of_.plan_.launches[child.launch].lines;
  void* const workspace = workspace_bytes_ == 0 ? nullptr
                                                : static_cast<std::byte*>(arena_->data()) +
                                                      arena_bytes() - workspace_bytes_;
  const std::size_t captures_before = child.calls.captures();
  child.graph = &child.calls.graph(
      stream_.context, workspace,
      [&](CudaDriver::Handle stream) { enqueue_kernel(child, call, stream); },
      lines.empty() ? call.where : lines.front());
  if (child.calls.captures() != captures_before) {
    child.amortized_at = std::max(child.amortized_at, runs_) + detail::runs_per_capture;
  }
  if (graphs_.empty()) return false;
  if (child.calls.workspace_bytes() != 0 && !child.is_serialized) return false;
  return graphs_[graph_of(child.launch)]->set_child(nodes_[child.launch], *child.graph);
}

// Captures the stale nodes, unless the cache has a capture for their arguments. The graphs are kept
// if the driver accepts the new child graphs as updates. Nodes whose captures do not pay off become
// kernels.
SINTER_INLINE void StreamReplay::update_library_nodes(const CudaCall& call) {
  if (library_nodes_.empty()) return;
  place_library_nodes(stream_.context, call.where);
  bool fits = true;
  for (LibraryNode& child : library_nodes_) {
    if (!child.is_stale) continue;
    fits = update(child, call) && fits;
  }
  constexpr std::size_t max_debt = (detail::runs_per_capture - 1) * (detail::max_captures + 1);
  const auto gives_up = [this](const LibraryNode& one) {
    return one.amortized_at > runs_ + max_debt && !one.calls.hides_captures();
  };
  const std::size_t given_up = erase_if(library_nodes_, gives_up);
  if (given_up != 0) {
    log(Log::cudagraph, text(given_up, " of the products of ", detail::describe(of_.plan_),
                             " become kernels: their addresses change too often"));
  }
  if (!fits || given_up != 0) graphs_.clear(), make_graphs(call);
  for (LibraryNode& child : library_nodes_) child.is_stale = false;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
