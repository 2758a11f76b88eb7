#pragma once

#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/autodiff/gradient/partition.hpp>
#include <sinter/autodiff/gradient_functions.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

SINTER_INLINE void provide_gradient_functions() {
  static constexpr GradientFunctions functions{
      .gradient = [](Graph& graph, Value output,
                     Span<const Value> variables) { return gradient(graph, output, variables); },
      .varying_outputs = varying_outputs,
      .saved_values = saved_values,
  };
  gradient_functions().store(&functions, std::memory_order_release);
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
