#pragma once

#include <algorithm>  // std::equal
#include <cstring>    // std::memcmp, std::memcpy

#include <sinter/base/log.hpp>
#include <sinter/device/cuda_memory.hpp>
#include <sinter/runtime/cuda_replay.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::runtime {

// The nodes are made with no addresses, sizes and grids: the first call patches all of them.
SINTER_INLINE StreamReplay::StreamReplay(const CudaReplay& of, CudaStream& stream,
                                         std::span<const CudaDriver::Handle> functions, Where where)
    : of_(of), stream_(stream) {
  const schedule::Plan& plan = of.plan_;
  uses_.resize(plan.buffers.size());
  addresses_.resize(plan.buffers.size());
  offsets_.resize(plan.buffers.size());
  if (of.own_bytes_ != 0) {
    own_ = Storage::allocate(of.own_bytes_, stream.context.device(), where,
                             "faults in the data, and numbers");
  }
  numbers_.resize(of.own_bytes_ - of.faults_.bytes());
  numbers_changed_ = !numbers_.empty();
  graphs_.push_back(std::make_unique<CudaGraph>(stream.context, where));
  if (of.cut_ < plan.launches.size()) {
    graphs_.push_back(std::make_unique<CudaGraph>(stream.context, where));
  }
  add_launches(functions, where);
  for (const auto& graph : graphs_) graph->instantiate(where);
}

SINTER_INLINE std::byte* StreamReplay::own_address(std::size_t offset) const {
  return static_cast<std::byte*>(own_.data()) + offset;
}

SINTER_INLINE CudaGraph& StreamReplay::graph_of(std::size_t launch) {
  return *graphs_[launch < of_.cut_ ? 0 : 1];
}

SINTER_INLINE CudaGraph::Kernel StreamReplay::kernel_of(std::size_t launch,
                                                        CudaDriver::Handle function) const {
  const schedule::Launch& one = of_.plan_.launches[launch];
  const CudaGrid& grid = of_.grids_[static_cast<std::size_t>(one.kernel)];
  CudaGraph::Kernel result{.function = function, .threads = static_cast<unsigned>(grid.threads)};
  result.arguments.resize(one.buffers.size() + one.sizes.size() + 1);
  if (of_.faults_.has(launch)) {
    result.arguments.back() =
        reinterpret_cast<std::uint64_t>(own_address(of_.faults_.offset(launch)));
  }
  return result;
}

SINTER_INLINE void StreamReplay::add_launches(std::span<const CudaDriver::Handle> functions,
                                              Where where) {
  const std::vector<schedule::Launch>& launches = of_.plan_.launches;
  if (of_.faults_.any()) {
    graphs_[0]->add_zeros(device_address(own_), of_.faults_.bytes() / 4, where);
  }
  std::size_t edges = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    std::vector<CudaGraph::Node> after;
    for (const std::int32_t before : of_.order_[i]) {
      const auto launch = static_cast<std::size_t>(before);
      if (&graph_of(launch) == &graph_of(i)) after.push_back(nodes_[launch]);
    }
    if (of_.faults_.has(i)) after.push_back(0);
    const CudaDriver::Handle function = functions[static_cast<std::size_t>(launches[i].kernel)];
    nodes_.push_back(graph_of(i).add(kernel_of(i, function), after, where));
    for (std::size_t k = 0; k < launches[i].buffers.size(); ++k) {
      uses_[static_cast<std::size_t>(launches[i].buffers[k])].push_back({i, k});
    }
    edges += after.size();
  }
  log(Log::cudagraph,
      text(graphs_.size() == 1 ? "a graph" : "two graphs", " on ", stream_.context.device(), ": ",
           detail::described(of_.plan_), "; ", edges, " dependences"));
}

SINTER_INLINE void* StreamReplay::keep_number(std::size_t input, const void* number) {
  const std::int32_t slot = of_.number_slots_[input];
  if (slot < 0) return nullptr;
  const auto& buffer = of_.plan_.buffers[static_cast<std::size_t>(of_.plan_.inputs[input])];
  const std::size_t offset = detail::number_bytes * static_cast<std::size_t>(slot);
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
    graph_of(use.launch)
        .set_argument(nodes_[use.launch], use.argument, reinterpret_cast<std::uint64_t>(address));
  }
}

// Sizes, grids, and places in the arena.
SINTER_INLINE void StreamReplay::bind_sizes(std::span<const std::int64_t> symbols) {
  if (bound_ && std::equal(symbols.begin(), symbols.end(), symbols_.begin(), symbols_.end())) {
    return;
  }
  const schedule::Plan& plan = of_.plan_;
  bound_ = false;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const schedule::Launch& launch = plan.launches[i];
    const CudaGrid& grid = of_.grids_[static_cast<std::size_t>(launch.kernel)];
    const CudaGridInCall now = grid_in_call(plan, launch, grid, symbols);
    CudaGraph& graph = graph_of(i);
    graph.set_grid(nodes_[i], now.blocks, now.shared_bytes);
    for (std::size_t k = 0; k < now.sizes.size(); ++k) {
      graph.set_argument(nodes_[i], launch.buffers.size() + k,
                         static_cast<std::uint64_t>(now.sizes[k]));
    }
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].home == schedule::Home::arena) {
      offsets_[i] = evaluate(plan.buffers[i].offset, symbols);
    }
  }
  arena_bytes_ = evaluate(plan.arena_bytes, symbols);
  symbols_.assign(symbols.begin(), symbols.end());
  bound_ = true;
}

SINTER_INLINE void StreamReplay::bind_buffers(std::span<void* const> inputs,
                                              std::span<void* const> outputs) {
  auto* const arena = arena_ == nullptr ? nullptr : static_cast<std::byte*>(arena_->data());
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    const schedule::Buffer& buffer = of_.plan_.buffers[i];
    const auto position = static_cast<std::size_t>(buffer.position);
    switch (buffer.home) {
      case schedule::Home::input:
        bind(i, inputs[position]);
        break;
      case schedule::Home::output:
        bind(i, outputs[position]);
        break;
      case schedule::Home::arena:
        bind(i, arena + offsets_[i]);
    }
  }
}

// A smaller one goes before the larger one is there, if this is all that holds it.
SINTER_INLINE void StreamReplay::take_arena(CudaWork& work, Where where) {
  if (arena_bytes_ == 0) return;
  const auto bytes = static_cast<std::size_t>(arena_bytes_);
  if (arena_ != nullptr && arena_->bytes() < bytes) arena_ = nullptr;
  arena_ = arena_of(stream_, bytes, where);
  work.writes(*arena_);
}

SINTER_INLINE void StreamReplay::run(CudaWork& work, std::span<void* const> inputs,
                                     std::span<void* const> outputs,
                                     std::span<const std::int64_t> symbols, Where where) {
  bind_sizes(symbols);
  take_arena(work, where);
  if (own_) work.writes(own_);
  bind_buffers(inputs, outputs);
  upload_numbers(work);
  graphs_[0]->launch(work, where);
  throw_faults(work);
  if (graphs_.size() > 1) graphs_[1]->launch(work, where);
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
