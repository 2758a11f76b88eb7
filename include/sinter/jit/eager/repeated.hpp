#pragma once
// Graphs with calls of compiled functions that are evaluated again and again, as the loss of a
// training loop is: their steps are made once, and what lies between the calls is compiled.

#include <memory>         // std::shared_ptr
#include <span>           // std::span
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/eager/steps.hpp>
#include <sinter/jit/state/number_inputs.hpp>
#include <sinter/trace/subgraph/called_value.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The steps of a graph, and which of the values that are known its inputs are.
struct CallPlan {
  GraphWithCalls steps;
  std::vector<std::size_t> inputs{};
};

/// Equal for graphs that compute the same on the same lines of the user, with the same functions.
Hash key_of_calls(const Graph& graph);

/// What computes the first output of `graph` and its gradients with respect to the next `count`.
/// The outputs that follow are known.
CallPlan plan_gradients(const Graph& graph, std::size_t count);

/// Safe from several threads.
class RepeatedCalls {
 public:
  /// The plan that `make` makes of `graph()`, compiled. Null the first time that `key` is looked
  /// up; the second time, the plan is made.
  std::shared_ptr<const CallPlan> find(const Hash& key, FunctionRef<Graph()> graph,
                                       FunctionRef<CallPlan(const Graph&)> make);
  /// Implements Evaluator::value_and_gradients(): empty the first time that a value occurs.
  std::vector<Storage> value_and_gradients(const CalledValue& value, FunctionRef<void()> unlock);

 private:
  static constexpr std::size_t most = 1024;

  struct Known {
    std::shared_ptr<const CallPlan> plan{};
    Hash graph{};  // symbols included, under SINTER_VERIFY
  };

  std::vector<bool> choose_inputs(const Hash& kind, std::span<const std::uint64_t> numbers);

  ProcessMutex mutex_{};
  std::unordered_map<Hash, Known, HashOfHash> known_{};
  NumberInputs numbers_{};  // which numbers of each value change between evaluations
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/eager/repeated.ipp>
#endif
