#pragma once

#include <algorithm>  // std::equal, std::fill, std::find, std::find_if, std::lower_bound, std::max
#include <cstring>    // std::memcmp, std::memcpy

#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/runtime/cuda/execute/replay.hpp>
#include <sinter/runtime/cuda/execute/stream_replay.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// Of the memory that a library works in, with which the arena ends.
inline constexpr std::size_t workspace_alignment = 256;
// A call that does not hide its captures is a generated kernel after so many of them in runs one
// after the other: its arguments never stay. Those that stay for so many runs as this cost little,
// however often they change.
inline constexpr std::size_t most_captures = 4 * CudaChild::most_kept, runs_of_capture = 16;

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

// What graphs find at the addresses that their nodes name: arguments, sizes, numbers of the host.

// The address where the graphs find a number that the host has at `number`.
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

// All of them, since there are few.
SINTER_INLINE void StreamReplay::upload_numbers(const CudaWork& work) {
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
    } else if (Child* const child = child_of(use.launch)) {
      child->is_stale = true;
    } else if (!graphs_.empty()) {
      graphs_[graph_of(use.launch)]->set_argument(nodes_[use.launch], use.argument,
                                                  reinterpret_cast<std::uint64_t>(address));
    }
  }
}

SINTER_INLINE void StreamReplay::bind_launch(std::size_t launch) {
  if (is_control(launch)) return;
  if (Child* const child = child_of(launch)) child->is_stale = true;
  if (child_of(launch) != nullptr || graphs_.empty()) return;
  const CudaGraph::Kernel now = kernel_of(launch, nullptr);
  CudaGraph& graph = *graphs_[graph_of(launch)];
  graph.set_grid(nodes_[launch], now.blocks, now.shared_bytes);
  for (std::size_t k = 0; k < now.arguments.size(); ++k) {
    graph.set_argument(nodes_[launch], k, now.arguments[k]);
  }
}

// Sizes, grids, and places in the arena.
SINTER_INLINE void StreamReplay::bind_sizes(std::span<const std::int64_t> symbols) {
  if (bound_ && std::equal(symbols.begin(), symbols.end(), symbols_.begin(), symbols_.end())) {
    return;
  }
  const schedule::Plan& plan = of_.plan_;
  bound_ = false;
  moved_ = true;
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

SINTER_INLINE void* StreamReplay::on_gpu(CudaWork& work, const CudaCall& call, std::size_t input) {
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
  moved_ = true;
}

// An address is of the same memory in every call, so that those that are given again need no look;
// but what the host has there may have changed.
SINTER_INLINE void StreamReplay::bind_arguments(CudaWork& work, const CudaCall& call) {
  if (std::equal(given_.begin(), given_.end(), call.inputs.begin(), call.inputs.end())) {
    for (const std::size_t i : of_host_) bind_input(i, on_gpu(work, call, i));
  } else {
    given_.clear(), of_host_.clear();
    const Device device = stream_.context.device();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_there = call.held[i] != nullptr && call.held[i]->device() == device;
      if (!is_there) of_host_.push_back(i);
      bind_input(i, is_there ? call.inputs[i] : on_gpu(work, call, i));
    }
    given_.assign(call.inputs.begin(), call.inputs.end());
  }
  if (std::equal(outputs_.begin(), outputs_.end(), call.outputs.begin())) return;
  outputs_.assign(call.outputs.begin(), call.outputs.end());
  moved_ = true;
}

SINTER_INLINE std::byte* StreamReplay::arena_at(std::size_t offset) const {
  return arena_ == nullptr ? nullptr : static_cast<std::byte*>(arena_->data()) + offset;
}

SINTER_INLINE void StreamReplay::bind_buffers() {
  if (!moved_) return;
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
  moved_ = false;
}

// Library calls of a replay, which are nodes of its graphs.

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
