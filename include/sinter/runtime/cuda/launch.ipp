#pragma once

#include <algorithm>  // std::max, std::min

#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/schedule/launch/batched.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

SINTER_INLINE std::vector<std::int64_t> by_id(const schedule::Kernel& kernel,
                                              const std::vector<long>& sizes) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto id = static_cast<std::size_t>(kernel.symbols[i].id());
    if (result.size() <= id) result.resize(id + 1);
    result[id] = sizes[i];
  }
  return result;
}

SINTER_INLINE std::int64_t bytes_of(const schedule::Buffer& buffer,
                                    Span<const std::int64_t> symbols) {
  return evaluate(buffer.elements, symbols) * static_cast<std::int64_t>(info(buffer.dtype).size);
}

inline constexpr std::int64_t max_blocks = (std::int64_t{1} << 31) - 1;

SINTER_INLINE const schedule::Kernel& kernel_of(const schedule::Plan& plan,
                                                const schedule::Launch& launch) {
  return plan.kernels[static_cast<std::size_t>(launch.kernel)];
}

// The blocks of each entry of a batched launch, one range after another.
SINTER_INLINE void add_batched_blocks(const schedule::Plan& plan, const schedule::Launch& launch,
                                      const CudaGrid& grid, CudaLaunchConfig& result) {
  const auto max_blocks_per_kernel = max_blocks / static_cast<std::int64_t>(launch.entries.size());
  result.blocks = 0;
  schedule::for_each_entry(launch, [&](const schedule::Entry& entry, std::size_t, std::size_t at) {
    const auto from = result.sizes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto known = by_id(kernel_of(plan, launch), {from, from + entry.sizes});
    result.first_blocks.push_back(result.blocks);
    result.blocks +=
        static_cast<unsigned>(std::min(evaluate(grid.blocks, known), max_blocks_per_kernel));
    const auto bytes = static_cast<unsigned>(evaluate(grid.shared_bytes, known));
    result.shared_bytes = std::max(result.shared_bytes, bytes);
  });
}

}  // namespace detail

SINTER_INLINE bool enqueues(const schedule::Plan& plan, const schedule::Launch& launch) {
  if (launch.control < 0) return false;
  const schedule::Control& control = plan.controls[static_cast<std::size_t>(launch.control)];
  return control.op == Op::custom && control.code->on_stream != nullptr;
}

SINTER_INLINE bool is_control(const schedule::Plan& plan, const schedule::Launch& launch) {
  return launch.control >= 0 && !enqueues(plan, launch);
}

SINTER_INLINE CudaLaunchConfig launch_config(const schedule::Plan& plan,
                                             const schedule::Launch& launch, const CudaGrid& grid,
                                             Span<const std::int64_t> symbols) {
  CudaLaunchConfig result;
  for (const Extent& size : launch.sizes) result.sizes.push_back(evaluate(size, symbols));
  const schedule::Kernel& kernel = detail::kernel_of(plan, launch);
  if (kernel.batch_capacity != 0) {
    detail::add_batched_blocks(plan, launch, grid, result);
    return result;
  }
  const std::vector<std::int64_t> known = detail::by_id(kernel, result.sizes);
  result.blocks = static_cast<unsigned>(std::min(evaluate(grid.blocks, known), detail::max_blocks));
  result.shared_bytes = static_cast<unsigned>(evaluate(grid.shared_bytes, known));
  return result;
}

SINTER_INLINE Vector<std::uint64_t> arguments_of(const schedule::Plan& plan,
                                                 const schedule::Launch& launch,
                                                 const CudaLaunchConfig& now,
                                                 Span<void* const> buffers, void* fault) {
  Vector<std::uint64_t> result;
  const auto add = [&](const schedule::Entry& entry, std::size_t buffer, std::size_t size) {
    for (std::int32_t i = 0; i < entry.buffers; ++i) {
      result.push_back(reinterpret_cast<std::uint64_t>(buffers[buffer++]));
    }
    for (std::int32_t i = 0; i < entry.sizes; ++i) {
      result.push_back(static_cast<std::uint64_t>(now.sizes[size++]));
    }
  };
  const schedule::Kernel& kernel = detail::kernel_of(plan, launch);
  if (kernel.batch_capacity == 0) {
    schedule::for_each_entry(launch, add);
    result.push_back(reinterpret_cast<std::uint64_t>(fault));
    return result;
  }
  std::size_t number = 0;
  schedule::for_each_entry(launch,
                           [&](const schedule::Entry& entry, std::size_t buffer, std::size_t size) {
                             result.push_back(now.first_blocks[number++]);
                             add(entry, buffer, size);
                           });
  result.resize(schedule::table_words(kernel), now.blocks);
  return result;
}

SINTER_INLINE Vector<std::size_t> positions_of_buffers(const schedule::Plan& plan,
                                                       const schedule::Launch& launch) {
  Vector<std::size_t> result;
  if (launch.control >= 0) return result;
  const bool has_table = detail::kernel_of(plan, launch).batch_capacity != 0;
  std::size_t next = 0;
  schedule::for_each_entry(launch, [&](const schedule::Entry& entry, std::size_t, std::size_t) {
    next += has_table ? 1 : 0;
    for (std::int32_t i = 0; i < entry.buffers; ++i) result.push_back(next++);
    next += static_cast<std::size_t>(entry.sizes);
  });
  return result;
}

SINTER_INLINE Vector<void*> pointers_to(Span<std::uint64_t> arguments, bool has_table) {
  if (has_table) return {arguments.data()};
  Vector<void*> result;
  for (std::uint64_t& argument : arguments) result.push_back(&argument);
  return result;
}

SINTER_INLINE void launch_kernel(const CudaContext& context, CudaDriver::Handle stream,
                                 CudaDriver::Handle function, const CudaGrid& grid,
                                 const CudaLaunchConfig& now, Span<std::uint64_t> arguments,
                                 Where where) {
  Vector<void*> pointers = pointers_to(arguments, !now.first_blocks.empty());
  allow_shared_bytes(context, function, now.shared_bytes, where);
  context.check(
      context.driver().launch(function, now.blocks, 1, 1, static_cast<unsigned>(grid.threads), 1, 1,
                              now.shared_bytes, stream, pointers.data(), nullptr),
      "cuLaunchKernel", where);
}

SINTER_INLINE void allow_shared_bytes(const CudaContext& context, CudaDriver::Handle function,
                                      unsigned bytes, Where where) {
  constexpr unsigned default_limit = 48 << 10;
  if (bytes <= default_limit) return;
  context.check(context.driver().set_function_attribute(
                    function, CudaDriver::function_most_dynamic_bytes, static_cast<int>(bytes)),
                "cuFuncSetAttribute", where);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
