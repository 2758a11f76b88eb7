#pragma once
// Caches step plans for graphs with calls of compiled functions that are evaluated repeatedly, such
// as the loss of a training loop. The operations between the calls are compiled.

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/eager/steps.hpp>
#include <sinter/jit/state/number_inputs.hpp>
#include <sinter/trace/subgraph/called_value.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The steps of a graph, and which of the known values are its inputs.
struct StepPlan {
  GraphSteps steps;
  Vector<std::size_t> inputs{};
};

/// Equal for graphs with the same operations, source lines and callees.
Hash step_plan_key(const Graph& graph);

/// The plan that computes the first output of `graph` and its gradients with respect to the next
/// `count` outputs. The remaining outputs are known values.
StepPlan plan_gradients(const Graph& graph, std::size_t count);

/// Thread-safe.
class StepPlanCache {
 public:
  /// The plan that `make` builds from `graph()`, compiled. Null the first time that `key` is looked
  /// up; built the second time.
  SharedPtr<const StepPlan> find(const Hash& key, FunctionRef<Graph()> graph,
                                 FunctionRef<StepPlan(const Graph&)> make);
  /// Implements Evaluator::value_and_gradients(). Empty the first time that a value occurs.
  Vector<Storage> value_and_gradients(const CalledValue& value, FunctionRef<void()> unlock);

 private:
  static constexpr std::size_t most = 1024;

  struct Known {
    SharedPtr<const StepPlan> plan{};
    Hash graph{};  // with symbols, under SINTER_VERIFY
  };

  Vector<bool> choose_inputs(const Hash& kind, Span<const std::uint64_t> numbers);

  ProcessMutex mutex_{};
  HashMap<Hash, Known, HashOfHash> known_{};
  NumberInputs numbers_{};  // which constants change between evaluations
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/eager/step_plan.ipp>
#endif
