#pragma once
// Graphs, evaluated outside of compiled functions, in which nodes call what was compiled.

#include <map>      // std::map
#include <span>     // std::span
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/device/storage.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/symbol/function_ref.hpp>

namespace sinter::inline SINTER_ABI::jit {

/// True if a node of `graph` calls a compiled function.
bool has_calls(const Graph& graph);

/// The outputs of `graph`: its calls by their own programs, one after the other, and what lies
/// between them by `evaluate`, as few times as the order of the calls allows.
class GraphWithCalls {
 public:
  using Evaluate =
      FunctionRef<std::vector<Storage>(const Graph& graph, std::span<const Storage> inputs)>;

  GraphWithCalls(const Graph& graph, std::span<const Storage> inputs, Device device);

  std::vector<Storage> run(Evaluate evaluate);

 private:
  using Key = std::pair<NodeId, std::uint32_t>;
  static Key key(Value value) { return {value.node, value.result}; }

  void find_levels();
  void find_wanted();
  void want(Value value, int reader);
  void compute(const std::vector<Value>& wanted, Evaluate evaluate);
  void call(NodeId id);

  const Graph& graph_;
  Device device_;
  std::vector<int> levels_{};                 // how many calls come before a node
  std::vector<std::vector<Value>> wanted_{};  // by level: what calls and later levels read
  std::map<Key, Storage> elements_{};
};

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/calls.ipp>
#endif
