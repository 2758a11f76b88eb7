#pragma once

#include <algorithm>  // std::equal
#include <cstring>    // std::memcmp, std::memcpy

#include <sinter/base/log.hpp>
#include <sinter/device/cuda_copy.hpp>
#include <sinter/device/cuda_memory.hpp>
#include <sinter/runtime/cuda_replay.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::runtime {

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
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      uses_[static_cast<std::size_t>(buffers[k])].push_back({i, k});
    }
    const CudaLibraryCall* const call = is_control(i) ? nullptr : of.library_call(i);
    if (call != nullptr) children_.push_back({.launch = i, .calls = CudaChild(*call)});
  }
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
                           .shared_bytes = now.shared_bytes};
  for (const std::int32_t buffer : one.buffers) {
    void* const address = addresses_[static_cast<std::size_t>(buffer)];
    result.arguments.push_back(reinterpret_cast<std::uint64_t>(address));
  }
  for (const long size : now.sizes) result.arguments.push_back(static_cast<std::uint64_t>(size));
  std::byte* const fault =
      of_.faults_.has(launch) ? own_address(of_.faults_.offset(launch)) : nullptr;
  result.arguments.push_back(reinterpret_cast<std::uint64_t>(fault));
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
  if (of_.faults_.has(launch)) result.push_back(0);
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
           detail::described(of_.plan_), "; ", edges, " dependences"));
}

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
  const schedule::Launch& one = of_.plan_.launches[launch];
  const CudaGrid& grid = of_.grids_[static_cast<std::size_t>(one.kernel)];
  const CudaGridInCall now = grid_in_call(of_.plan_, one, grid, symbols_);
  CudaGraph& graph = *graphs_[graph_of(launch)];
  graph.set_grid(nodes_[launch], now.blocks, now.shared_bytes);
  for (std::size_t k = 0; k < now.sizes.size(); ++k) {
    graph.set_argument(nodes_[launch], one.buffers.size() + k,
                       static_cast<std::uint64_t>(now.sizes[k]));
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

SINTER_INLINE void StreamReplay::bind_arguments(CudaWork& work, const CudaCall& call) {
  const Device device = stream_.context.device();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Storage* const held = call.held[i];
    const bool is_there = held != nullptr && held->device() == device;
    void* const address = is_there ? call.inputs[i] : on_gpu(work, call, i);
    if (inputs_[i] == address) continue;
    inputs_[i] = address;
    moved_ = true;
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

// A smaller one goes before the larger one is there, if this is all that holds it.
SINTER_INLINE void StreamReplay::take_arena(Where where) {
  const std::size_t bytes = arena_bytes();
  if (bytes == 0) return;
  const void* const before = arena_ == nullptr ? nullptr : arena_->data();
  if (arena_ != nullptr && arena_->bytes() < bytes) arena_ = nullptr, moved_ = true;
  arena_ = arena_of(stream_, bytes, where);
  moved_ = moved_ || arena_->data() != before;
}

SINTER_INLINE void StreamReplay::run(CudaWork& work, const CudaCall& call) {
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
  copies_.clear();
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

}  // namespace sinter::inline SINTER_ABI::runtime
