#pragma once

#include <algorithm>  // std::clamp, std::equal

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/cublaslt.hpp>
#include <sinter/device/cuda/external_memory.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/runtime/cuda/graph/conditional_nodes.hpp>
#include <sinter/runtime/cuda/graph/dependencies.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

SINTER_INLINE void find_in_bodies(const schedule::Plan& plan, Vector<bool>& found) {
  for (const schedule::Plan& body : plan.bodies) {
    for (const schedule::Launch& launch : body.launches) {
      if (launch.control < 0) found[static_cast<std::size_t>(launch.kernel)] = true;
    }
    find_in_bodies(body, found);
  }
}

// The first driver version whose `if` nodes have an `else`; older drivers get two `if` nodes.
inline constexpr int first_with_else = 12080;

}  // namespace detail

SINTER_INLINE Vector<bool> kernels_in_bodies(const schedule::Plan& plan) {
  Vector<bool> result(plan.kernels.size());
  detail::find_in_bodies(plan, result);
  return result;
}

SINTER_INLINE std::string why_control_needs_host(const schedule::Plan& plan,
                                                 Span<const SharedPtr<const CudaLibraryCall>> calls,
                                                 bool is_body) {
  for (const schedule::Control& control : plan.controls) {
    if (control.op != Op::custom) continue;
    if (control.code->on_stream == nullptr) return text("it calls ", control.code->name);
    if (is_body) return text("a branch or loop enqueues ", control.code->name);
  }
  for (const schedule::Plan& body : plan.bodies) {
    if (body.launches.empty()) return "a body has nothing to launch";
    for (const schedule::Launch& launch : body.launches) {
      const auto kernel = static_cast<std::size_t>(std::max(launch.kernel, 0));
      const bool is_library = launch.control < 0 && kernel < calls.size() &&
                              calls[kernel] != nullptr && calls[kernel]->hides_launches();
      if (is_library && cublaslt() != nullptr) return "a library computes products in its body";
    }
    if (std::string reason = why_control_needs_host(body, calls, true); !reason.empty())
      return reason;
  }
  return "";
}

SINTER_INLINE CudaGraphControl::CudaGraphControl(const schedule::Plan& plan,
                                                 Span<const CudaGrid> grids,
                                                 const CudaFaults& faults,
                                                 const CudaBodyFunctions& functions,
                                                 Span<const std::int64_t> symbols,
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
                              "arguments of branches and loops");
}

SINTER_INLINE std::uint64_t CudaGraphControl::words_address() const {
  return reinterpret_cast<std::uint64_t>(memory_.data());
}

SINTER_INLINE bool CudaGraphControl::fits(Span<const std::int64_t> symbols) const {
  if (std::equal(symbols.begin(), symbols.end(), symbols_.begin(), symbols_.end())) return true;
  return all_of(sized_, [&](const Sized& one) {
    const CudaGrid& grid = grids_[static_cast<std::size_t>(one.launch->kernel)];
    const CudaLaunchConfig now = launch_config(plan_, *one.launch, grid, symbols);
    return now.blocks == one.blocks && now.shared_bytes == one.shared_bytes;
  });
}

// Every launch of the graph is ordered after an upload, which uses the words' memory.
SINTER_INLINE void CudaGraphControl::await() const noexcept {
  try {
    await_work_with(memory_, where_);
  } catch (const UserError&) {  // a lost GPU runs nothing any more
  }
}

SINTER_INLINE void CudaGraphControl::upload(CudaSubmission& work, const void* arena,
                                            const void* faults) {
  work.writes(memory_);
  words_.set_addresses(words_address(), reinterpret_cast<std::uint64_t>(arena),
                       reinterpret_cast<std::uint64_t>(faults));
  if (words_.take_changed()) is_uploaded_ = false;
  if (is_uploaded_) return;
  work.check(work.driver().copy_to_device_async(words_address(), words_.values().data(),
                                                8 * words_.count(), work.stream().handle),
             "cuMemcpyHtoDAsync");
  is_uploaded_ = true;
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_kernel(Handle graph, Handle function,
                                                              unsigned blocks, unsigned threads,
                                                              unsigned shared_bytes,
                                                              Vector<std::uint64_t> arguments,
                                                              Span<const Handle> after) {
  allow_shared_bytes(context_, function, shared_bytes, where_);
  Vector<void*> pointers;
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
    Handle graph, ControlKernel kernel, Vector<std::uint64_t> arguments, Span<const Handle> after) {
  const Handle function = functions_.control[static_cast<std::size_t>(kernel)];
  const unsigned threads = kernel == ControlKernel::decide ? 1 : 128;
  return add_kernel(graph, function, 1, threads, 0, std::move(arguments), after);
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_launch(Handle graph,
                                                              const schedule::Launch& launch,
                                                              Span<const long> arguments,
                                                              Span<const Handle> after) {
  const auto kernel = static_cast<std::size_t>(launch.kernel);
  const CudaGrid& grid = grids_[kernel];
  const CudaLaunchConfig now = launch_config(plan_, launch, grid, symbols_);
  sized_.push_back({&launch, now.blocks, now.shared_bytes});
  Vector<std::uint64_t> all{words_address()};
  for (const long word : arguments) all.push_back(static_cast<std::uint64_t>(word));
  const auto variant = static_cast<std::size_t>(functions_.variants[kernel]);
  return add_kernel(graph, functions_.kernels[variant], now.blocks,
                    static_cast<unsigned>(grid.threads), now.shared_bytes, std::move(all), after);
}

SINTER_INLINE Vector<CudaDriver::Handle> CudaGraphControl::add_body(Handle graph,
                                                                    const BodyLayout& layout,
                                                                    Span<const Handle> after) {
  const Vector<schedule::Launch>& launches = layout.plan->launches;
  const auto order = launch_dependencies(*layout.plan, {}, plan_.kernels);
  Handles nodes;
  Vector<bool> waited(launches.size());
  std::size_t kernels = 0, controls = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    Handles before;
    for (const std::int32_t one : order[i]) {
      before.push_back(nodes[static_cast<std::size_t>(one)]);
      waited[static_cast<std::size_t>(one)] = true;
    }
    if (before.empty()) before.assign(after.begin(), after.end());
    nodes.push_back(launches[i].control >= 0
                        ? add_control(graph, layout.controls[controls++], before)
                        : add_launch(graph, launches[i], layout.arguments[kernels++], before));
  }
  Handles ends;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!waited[i]) ends.push_back(nodes[i]);
  }
  return ends;
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add(Handle graph, std::size_t launch,
                                                       Span<const Handle> after) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < launch; ++i) number += is_control(plan_, plan_.launches[i]) ? 1 : 0;
  return add_control(graph, words_.layout().controls[number], after);
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_control(Handle graph,
                                                               const ControlLayout& layout,
                                                               Span<const Handle> after) {
  const bool is_loop = layout.table >= 0;
  return is_loop ? add_loop(graph, layout, after) : add_branch(graph, layout, after);
}

// The default is 0: a body whose condition no kernel has set does not run.
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
                                                                   Span<const Handle> after) {
  node.context = context_.handle();
  Handle result = nullptr;
  context_.check(context_.driver().add_node(&result, graph, after.data(), after.size(), &node),
                 "cuGraphAddNode", where_);
  return result;
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_branch(Handle graph,
                                                              const ControlLayout& layout,
                                                              Span<const Handle> after) {
  CudaConditionalNode taken{.handle = new_condition(graph), .size = has_else_ ? 2u : 1u};
  CudaConditionalNode refused{.handle = has_else_ ? 0 : new_condition(graph)};
  const Handle decision = add_control_kernel(
      graph, ControlKernel::decide,
      {taken.handle, refused.handle, words_address(), static_cast<std::uint64_t>(layout.condition),
       static_cast<std::uint64_t>(layout.faults), 0},
      after);
  Handle last = add_conditional(graph, taken, {&decision, 1});
  add_body(taken.bodies[0], layout.bodies[0], {});
  if (has_else_) {
    add_body(taken.bodies[1], layout.bodies[1], {});
    return last;
  }
  last = add_conditional(graph, refused, {&last, 1});
  add_body(refused.bodies[0], layout.bodies[1], {});
  return last;
}

// Adds the predicate of a while_loop and the kernel that sets the condition.
SINTER_INLINE Vector<CudaDriver::Handle> CudaGraphControl::add_decision(Handle graph,
                                                                        const ControlLayout& layout,
                                                                        std::uint64_t condition,
                                                                        Span<const Handle> after) {
  const Handles ends = add_body(graph, layout.bodies[0], after);
  return {add_control_kernel(
      graph, ControlKernel::decide,
      {condition, 0, words_address(), static_cast<std::uint64_t>(layout.condition),
       static_cast<std::uint64_t>(layout.faults), static_cast<std::uint64_t>(layout.fault_count)},
      ends)};
}

SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_loop(Handle graph,
                                                            const ControlLayout& layout,
                                                            Span<const Handle> after) {
  const bool is_while = layout.condition >= 0;
  CudaConditionalNode loop{.handle = new_condition(graph), .kind = CudaConditionalNode::while_node};
  const Vector<std::uint64_t> arguments{
      loop.handle, words_address(), static_cast<std::uint64_t>(layout.table),
      static_cast<std::uint64_t>(layout.faults), static_cast<std::uint64_t>(layout.fault_count)};
  Handles before{add_control_kernel(graph, ControlKernel::enter, arguments, after)};
  if (is_while) before = add_decision(graph, layout, loop.handle, before);
  const Handle node = add_conditional(graph, loop, before);
  const Handle inside = loop.bodies[0];
  const Handles ends = add_body(inside, layout.bodies[is_while ? 1 : 0], {});
  const Handle step = add_control_kernel(inside, ControlKernel::step, arguments, ends);
  if (is_while) add_decision(inside, layout, loop.handle, {&step, 1});
  return add_result_copy(graph, layout, node);
}

// Copies the final states to the results. Scans of at least one step need no copy: their last step
// writes the results.
SINTER_INLINE CudaDriver::Handle CudaGraphControl::add_result_copy(Handle graph,
                                                                   const ControlLayout& layout,
                                                                   Handle after) {
  const schedule::Control& control = *layout.control;
  const bool steps =
      control.op == Op::scan && control.length.is_number() && control.length.number() > 0;
  if (steps || control.states == 0) return after;
  std::int64_t bytes = 0;
  for (std::int32_t i = 0; i < control.states; ++i) {
    bytes += evaluate(control.bytes[static_cast<std::size_t>(i)], symbols_);
  }
  constexpr std::int64_t threads = 256, bytes_per_thread = 32, max_blocks = 512;
  const std::int64_t blocks =
      std::clamp<std::int64_t>(bytes / (threads * bytes_per_thread), 1, max_blocks);
  return add_kernel(graph, functions_.control[static_cast<std::size_t>(ControlKernel::finish)],
                    static_cast<unsigned>(blocks), threads, 0,
                    {words_address(), static_cast<std::uint64_t>(layout.table)}, {&after, 1});
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
