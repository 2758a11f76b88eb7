#pragma once

// What graphs find at the addresses that their nodes name: arguments, sizes, numbers of the host.

#include <algorithm>  // std::equal
#include <cstring>    // std::memcmp, std::memcpy

#include <sinter/device/cuda_copy.hpp>
#include <sinter/device/cuda_memory.hpp>
#include <sinter/runtime/cuda_replay.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

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

}  // namespace sinter::inline SINTER_ABI::detail::runtime
