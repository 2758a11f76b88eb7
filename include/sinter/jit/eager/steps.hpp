#pragma once
// Graphs, evaluated outside of compiled functions, in which nodes call what was compiled.

#include <map>      // std::map
#include <memory>   // std::shared_ptr
#include <span>     // std::span
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class CompiledCallee;

/// True if a node of `graph` calls a compiled function.
bool has_calls(const Graph& graph);

/// A graph as a list of steps: its calls by their own programs, one after the other, and what lies
/// between them, as few times as the order of the calls allows.
class GraphWithCalls {
 public:
  using Evaluate =
      FunctionRef<std::vector<Storage>(const Graph& graph, std::span<const Storage> inputs)>;

  explicit GraphWithCalls(const Graph& graph);

  /// What lies between the calls is compiled as well, when it first runs, and rounded at every
  /// operation. Without effect if one of the functions is frozen.
  void compile_parts();
  /// The outputs of the graph. What lies between the calls is computed by `evaluate`, unless it is
  /// compiled.
  std::vector<Storage> run(std::span<const Storage> inputs, Device device, Evaluate evaluate) const;

 private:
  using Slot = std::size_t;

  struct Step {
    std::shared_ptr<const CompiledCallee> callee{};  ///< Null if the graph is evaluated.
    Graph graph{};
    std::vector<std::int64_t> sizes{};
    Where where{};
    std::vector<Slot> inputs{};
    std::vector<Slot> results{};
  };

  friend class StepsOfGraph;

  std::vector<Step> steps_{};
  std::vector<Slot> outputs_{};
  std::size_t slots_ = 0;  ///< Those of the inputs come first.
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/eager/steps.ipp>
#endif
