#pragma once
// Evaluates graphs with nodes that call compiled functions, outside of compiled functions.

#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class CompiledCallee;

/// True if a node of `graph` calls a compiled function.
bool has_calls(const Graph& graph);

/// A graph as a list of steps: its calls, each run by its own program, and the operations between
/// them, grouped into as few steps as the order of the calls allows.
class GraphSteps {
 public:
  using Evaluate = FunctionRef<Vector<Storage>(const Graph& graph, Span<const Storage> inputs)>;

  explicit GraphSteps(const Graph& graph);

  /// Compiles the steps between the calls as well, on their first run, with Numerics::strict. No
  /// effect if one of the functions is frozen.
  void compile_evaluated_steps();
  /// The outputs of the graph. Steps that are not compiled are computed by `evaluate`.
  Vector<Storage> run(Span<const Storage> inputs, Device device, Evaluate evaluate) const;

 private:
  using Slot = std::size_t;

  struct Step {
    SharedPtr<const CompiledCallee> callee{};  ///< Null if `graph` is evaluated.
    Graph graph{};
    std::vector<std::int64_t> sizes{};
    Where where{};
    Vector<Slot> inputs{};
    Vector<Slot> results{};
  };

  friend class StepBuilder;

  Vector<Step> steps_{};
  Vector<Slot> outputs_{};
  std::size_t slots_ = 0;  ///< The inputs come first.
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/eager/steps.ipp>
#endif
