#pragma once

#include <algorithm>  // std::min

#include <sinter/runtime/cuda_grid.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::runtime {

namespace detail {

// The sizes of a launch by the ids that its kernel gives the symbols.
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
                                    std::span<const std::int64_t> symbols) {
  return evaluate(buffer.elements, symbols) * static_cast<std::int64_t>(info(buffer.dtype).size);
}

}  // namespace detail

SINTER_INLINE CudaGridInCall grid_in_call(const schedule::Plan& plan,
                                          const schedule::Launch& launch, const CudaGrid& grid,
                                          std::span<const std::int64_t> symbols) {
  CudaGridInCall result;
  for (const Extent& size : launch.sizes) result.sizes.push_back(evaluate(size, symbols));
  const schedule::Kernel& kernel = plan.kernels[static_cast<std::size_t>(launch.kernel)];
  const std::vector<std::int64_t> known = detail::by_id(kernel, result.sizes);
  constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;
  result.blocks = static_cast<unsigned>(std::min(evaluate(grid.blocks, known), most_blocks));
  result.shared_bytes = static_cast<unsigned>(evaluate(grid.shared_bytes, known));
  return result;
}

SINTER_INLINE void launch_kernel(const CudaContext& context, CudaDriver::Handle stream,
                                 CudaDriver::Handle function, const CudaGrid& grid,
                                 CudaGridInCall& now, std::span<void*> buffers, void* fault,
                                 Where where) {
  std::vector<void*> arguments;
  for (void*& buffer : buffers) arguments.push_back(&buffer);
  for (long& size : now.sizes) arguments.push_back(&size);
  arguments.push_back(&fault);
  allow_shared_bytes(context, function, now.shared_bytes, where);
  context.check(
      context.driver().launch(function, now.blocks, 1, 1, static_cast<unsigned>(grid.threads), 1, 1,
                              now.shared_bytes, stream, arguments.data(), nullptr),
      "cuLaunchKernel", where);
}

SINTER_INLINE void allow_shared_bytes(const CudaContext& context, CudaDriver::Handle function,
                                      unsigned bytes, Where where) {
  constexpr unsigned usual = 48 << 10;
  if (bytes <= usual) return;
  context.check(context.driver().set_function_attribute(
                    function, CudaDriver::function_most_dynamic_bytes, static_cast<int>(bytes)),
                "cuFuncSetAttribute", where);
}

}  // namespace sinter::inline SINTER_ABI::runtime
