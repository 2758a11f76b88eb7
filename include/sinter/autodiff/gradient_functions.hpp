#pragma once
// The functions of the room gradient, for stages that need them only if somebody differentiates: a
// header-only program without gradients does not compile them.

#include <atomic>  // std::atomic

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

/// Each member points to the function of the same name.
struct GradientFunctions {
  Vector<Value> (*gradient)(Graph& graph, Value output, Span<const Value> with_respect_to);
  Vector<bool> (*varying_outputs)(const Graph& graph, const Vector<bool>& wanted);
  Vector<Value> (*saved_values)(const Graph& graph, const Vector<bool>& wanted);
};

/// Null until the first value of the process is differentiated.
inline std::atomic<const GradientFunctions*>& gradient_functions() {
  static std::atomic<const GradientFunctions*> functions{nullptr};
  return functions;
}

/// Called before a value is differentiated.
void provide_gradient_functions();

}  // namespace sinter::inline SINTER_ABI::detail::autodiff

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient_functions.ipp>
#endif
