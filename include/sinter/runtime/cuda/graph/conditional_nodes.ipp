#pragma once

#include <algorithm>  // std::all_of, std::clamp, std::equal

#include <sinter/base/error.hpp>
#include <sinter/device/cuda/cublaslt.hpp>
#include <sinter/device/cuda/external_memory.hpp>
#include <sinter/runtime/cuda/graph/conditional_nodes.hpp>
#include <sinter/runtime/cuda/graph/dependencies.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

SINTER_INLINE void find_in_bodies(const schedule::Plan& plan, std::vector<bool>& found) {
  for (const schedule::Plan& body : plan.bodies) {
    for (const schedule::Launch& launch : body.launches) {
      if (launch.control < 0) found[static_cast<std::size_t>(launch.kernel)] = true;
    }
    find_in_bodies(body, found);
  }
}

// Of a graph whose condition is wanted; a driver without `else` gets two branches.
inline constexpr int first_with_else = 12080;

}  // namespace detail

SINTER_INLINE std::vector<bool> kernels_in_bodies(const schedule::Plan& plan) {
  std::vector<bool> result(plan.kernels.size());
  detail::find_in_bodies(plan, result);
  return result;
}

SINTER_INLINE std::string why_no_control(
    const schedule::Plan& plan, std::span<const std::shared_ptr<const CudaLibraryCall>> calls) {
  for (const schedule::Plan& body : plan.bodies) {
    if (body.launches.empty()) return "a body has nothing to launch";
    for (const schedule::Launch& launch : body.launches) {
      const auto kernel = static_cast<std::size_t>(std::max(launch.kernel, 0));
      const bool is_library = launch.control < 0 && kernel < calls.size() &&
                              calls[kernel] != nullptr && calls[kernel]->hides_launches();
      if (is_library && cublaslt() != nullptr) return "a library computes products in its body";
    }
    if (std::string reason = why_no_control(body, calls); !reason.empty()) return reason;
  }
  return "";
}

SINTER_INLINE CudaGraphControl::CudaGraphControl(const schedule::Plan& plan,
                                                 std::span<const CudaGrid> grids,
                                                 const CudaFaults& faults,
                                                 const CudaBodyFunctions& functions,
                                                 std::span<const std::int64_t> symbols,
                                                 CudaStream& stream, Where where)
    : plan_(plan),
      grids_(grids),
      functions_(functions),
      symbols_(symbols.begin(), symbols.end()),
      context_(stream.context),
      where_(where),
      words_(plan, faults) {
  const CudaDriver& driver = context_.driver();
  if (driver.create_condition == nullptr || driver.add_node == nullptr) {
    throw DeviceError({.op = "compile",
                       .what = "the CUDA driver has no conditional nodes",
                       .fix = "install a driver of CUDA 12.4 or newer"});
  }
  int version = 0;
  context_.check(driver.version(&version), "cuDriverGetVersion", where);
  has_else_ = version >= detail::first_with_else;
  memory_ = Storage::allocate(8 * words_.count(), context_.device(), where,
                              "what branches and loops hand to their bodies");
}

SINTER_INLINE std::uint64_t CudaGraphControl::words_address() const {
  return reinterpret_cast<std::uint64_t>(memory_.data());
}

SINTER_INLINE bool CudaGraphControl::fits(std::span<const std::int64_t> symbols) const {
  if (std::equal(symbols.begin(), symbols.end(), symbols_.begin(), symbols_.end())) return true;
  return std::all_of(sized_.begin(), sized_.end(), [&](const Sized& one) {
    const CudaGrid& grid = grids_[static_cast<std::size_t>(one.launch->kernel)];
    const CudaGridInCall now = grid_in_call(plan_, *one.launch, grid, symbols);
    return now.blocks == one.blocks && now.shared_bytes == one.shared_bytes;
  });
}

// Every launch comes with an upload, which is work with the words.
SINTER_INLINE void CudaGraphControl::await() const noexcept {
  try {
    await_work_with(memory_, where_);
  } catch (const UserError&) {  // a GPU that is lost runs nothing any more
  }
}

SINTER_INLINE void CudaGraphControl::upload(CudaWork& work, const void* arena, const void* faults) {
  work.writes(memory_);
  words_.set_addresses(words_address(), reinterpret_cast<std::uint64_t>(arena),
                       reinterpret_cast<std::uint64_t>(faults));
  if (words_.take_changed()) are_there_ = false;
  if (are_there_) return;
  work.check(work.driver().copy_to_device_async(words_address(), words_.values().data(),
                                                8 * words_.count(), work.stream().handle),
             "cuMemcpyHtoDAsync");
  are_there_ = true;
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_kernel(Handle graph, Handle function,
                                                              unsigned blocks, unsigned threads,
                                                              unsigned shared_bytes,
                                                              std::vector<std::uint64_t> arguments,
                                                              std::span<const Handle> after) {
  allow_shared_bytes(context_, function, shared_bytes, where_);
  std::vector<void*> pointers;
  for (std::uint64_t& argument : arguments) pointers.push_back(&argument);
  const CudaKernelNode node{.function = function,
                            .grid_x = blocks,
                            .block_x = threads,
                            .shared_bytes = shared_bytes,
                            .arguments = pointers.data()};
  Handle result = nullptr;
  context_.check(
      context_.driver().add_kernel_node(&result, graph, after.data(), after.size(), &node),
      "cuGraphAddKernelNode", where_);
  return result;
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_control_kernel(
    Handle graph, ControlKernel kernel, std::vector<std::uint64_t> arguments,
    std::span<const Handle> after) {
  const Handle function = functions_.control[static_cast<std::size_t>(kernel)];
  const unsigned threads = kernel == ControlKernel::decide ? 1 : 128;
  return add_kernel(graph, function, 1, threads, 0, std::move(arguments), after);
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_launch(Handle graph,
                                                              const schedule::Launch& launch,
                                                              std::span<const long> arguments,
                                                              std::span<const Handle> after) {
  const auto kernel = static_cast<std::size_t>(launch.kernel);
  const CudaGrid& grid = grids_[kernel];
  const CudaGridInCall now = grid_in_call(plan_, launch, grid, symbols_);
  sized_.push_back({&launch, now.blocks, now.shared_bytes});
  std::vector<std::uint64_t> all{words_address()};
  for (const long word : arguments) all.push_back(static_cast<std::uint64_t>(word));
  const auto form = static_cast<std::size_t>(functions_.forms[kernel]);
  return add_kernel(graph, functions_.kernels[form], now.blocks,
                    static_cast<unsigned>(grid.threads), now.shared_bytes, std::move(all), after);
}

SINTER_INLINE std::vector<CudaDriver::Handle> CudaGraphControl::add_body(
    Handle graph, const BodyPlace& place, std::span<const Handle> after) {
  const std::vector<schedule::Launch>& launches = place.plan->launches;
  const auto order = launch_order(*place.plan, {}, plan_.kernels);
  Handles nodes;
  std::vector<bool> waited(launches.size());
  std::size_t kernels = 0, controls = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    Handles before;
    for (const std::int32_t one : order[i]) {
      before.push_back(nodes[static_cast<std::size_t>(one)]);
      waited[static_cast<std::size_t>(one)] = true;
    }
    if (before.empty()) before.assign(after.begin(), after.end());
    nodes.push_back(launches[i].control >= 0
                        ? add_place(graph, place.controls[controls++], before)
                        : add_launch(graph, launches[i], place.arguments[kernels++], before));
  }
  Handles ends;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!waited[i]) ends.push_back(nodes[i]);
  }
  return ends;
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add(Handle graph, std::size_t launch,
                                                       std::span<const Handle> after) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < launch; ++i) number += plan_.launches[i].control >= 0 ? 1 : 0;
  return add_place(graph, words_.place().controls[number], after);
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_place(Handle graph,
                                                             const ControlPlace& place,
                                                             std::span<const Handle> after) {
  const bool is_loop = place.table >= 0;
  return is_loop ? add_loop(graph, place, after) : add_branch(graph, place, after);
}

// Nothing runs where no kernel has set the condition.
SINTER_INLINE std::uint64_t CudaGraphControl::new_condition(Handle graph) {
  constexpr unsigned assign_default = 1;
  std::uint64_t result = 0;
  context_.check(
      context_.driver().create_condition(&result, graph, context_.handle(), 0, assign_default),
      "cuGraphConditionalHandleCreate", where_);
  return result;
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_conditional(Handle graph,
                                                                   CudaConditionalNode& node,
                                                                   std::span<const Handle> after) {
  node.context = context_.handle();
  Handle result = nullptr;
  context_.check(context_.driver().add_node(&result, graph, after.data(), after.size(), &node),
                 "cuGraphAddNode", where_);
  return result;
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_branch(Handle graph,
                                                              const ControlPlace& place,
                                                              std::span<const Handle> after) {
  CudaConditionalNode taken{.handle = new_condition(graph), .size = has_else_ ? 2u : 1u};
  CudaConditionalNode refused{.handle = has_else_ ? 0 : new_condition(graph)};
  const Handle decision = add_control_kernel(
      graph, ControlKernel::decide,
      {taken.handle, refused.handle, words_address(), static_cast<std::uint64_t>(place.condition),
       static_cast<std::uint64_t>(place.faults), 0},
      after);
  Handle last = add_conditional(graph, taken, {&decision, 1});
  add_body(taken.bodies[0], place.bodies[0], {});
  if (has_else_) {
    add_body(taken.bodies[1], place.bodies[1], {});
    return last;
  }
  last = add_conditional(graph, refused, {&last, 1});
  add_body(refused.bodies[0], place.bodies[1], {});
  return last;
}

// What decides whether a while_loop takes another step.
SINTER_INLINE std::vector<CudaDriver::Handle> CudaGraphControl::add_decision(
    Handle graph, const ControlPlace& place, std::uint64_t condition,
    std::span<const Handle> after) {
  const Handles ends = add_body(graph, place.bodies[0], after);
  return {add_control_kernel(
      graph, ControlKernel::decide,
      {condition, 0, words_address(), static_cast<std::uint64_t>(place.condition),
       static_cast<std::uint64_t>(place.faults), static_cast<std::uint64_t>(place.fault_count)},
      ends)};
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_loop(Handle graph, const ControlPlace& place,
                                                            std::span<const Handle> after) {
  const bool is_while = place.condition >= 0;
  CudaConditionalNode loop{.handle = new_condition(graph), .kind = CudaConditionalNode::while_node};
  const std::vector<std::uint64_t> arguments{
      loop.handle, words_address(), static_cast<std::uint64_t>(place.table),
      static_cast<std::uint64_t>(place.faults), static_cast<std::uint64_t>(place.fault_count)};
  Handles before{add_control_kernel(graph, ControlKernel::enter, arguments, after)};
  if (is_while) before = add_decision(graph, place, loop.handle, before);
  const Handle node = add_conditional(graph, loop, before);
  const Handle inside = loop.bodies[0];
  const Handles ends = add_body(inside, place.bodies[is_while ? 1 : 0], {});
  const Handle step = add_control_kernel(inside, ControlKernel::step, arguments, ends);
  if (is_while) add_decision(inside, place, loop.handle, {&step, 1});
  return add_finish(graph, place, node);
}

// The last step of a scan writes the results, but where there is none.
SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_finish(Handle graph,
                                                              const ControlPlace& place,
                                                              Handle after) {
  const schedule::Control& control = *place.control;
  const bool steps =
      control.op == Op::scan && control.length.is_number() && control.length.number() > 0;
  if (steps || control.states == 0) return after;
  std::int64_t bytes = 0;
  for (std::int32_t i = 0; i < control.states; ++i) {
    bytes += evaluate(control.bytes[static_cast<std::size_t>(i)], symbols_);
  }
  constexpr std::int64_t threads = 256, bytes_of_thread = 32, most_blocks = 512;
  const std::int64_t blocks =
      std::clamp<std::int64_t>(bytes / (threads * bytes_of_thread), 1, most_blocks);
  return add_kernel(graph, functions_.control[static_cast<std::size_t>(ControlKernel::finish)],
                    static_cast<unsigned>(blocks), threads, 0,
                    {words_address(), static_cast<std::uint64_t>(place.table)}, {&after, 1});
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
