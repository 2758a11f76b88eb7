#pragma once
// Backends of the user: their view of a graph, what they give for it, and their names.

#include <cstddef>      // std::size_t
#include <span>         // std::span
#include <string>       // std::string
#include <type_traits>  // std::is_invocable_r_v
#include <utility>      // std::move, std::pair
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

struct Graph;

/// A copyable function of an argument, which it owns.
template <class Result, class Argument>
class OwnedFunction {
 public:
  template <class F>
  requires(!std::is_same_v<F, OwnedFunction> && std::is_invocable_r_v<Result, F&, Argument>)
      OwnedFunction(F function)
      : function_(make_shared_ptr<F>(std::move(function))), call_([](void* f, Argument argument) {
          return static_cast<Result>((*static_cast<F*>(f))(argument));
        }) {}
  Result operator()(Argument argument) const { return call_(function_.get(), argument); }

 private:
  SharedPtr<void> function_;
  Result (*call_)(void* function, Argument argument);
};

}  // namespace detail

/// Result `result` of node `node`.
struct GraphValue {
  std::size_t node = 0, result = 0;
  bool operator==(const GraphValue&) const = default;
};

/// A type in a graph. Sizes are numbers, or symbols of the sizes that differ between calls.
struct GraphType {
  DType dtype{};
  Shape shape{};
};

class GraphView;

/// A primitive operation, as docs/operations.md explains it.
struct GraphNode {
  std::string op{};        ///< "mul", "dot_general"; "input" and "constant" are nodes as well.
  std::string function{};  ///< The public function that was called: "softmax".
  std::vector<GraphValue> operands{};                             ///< Of earlier nodes.
  std::vector<GraphType> results{};                               ///< One, but for control flow.
  std::vector<std::pair<std::string, std::string>> attributes{};  ///< {"axes", "[0, 1]"}
  std::vector<GraphView> bodies;  ///< The branches of a cond, the body of a loop.
  Where where{};                  ///< The line of the user's program.
  std::string module{};           ///< "encoder.layers.3"; empty outside of modules.
};

/// A recorded graph, as a backend sees it.
class GraphView {
 public:
  explicit GraphView(detail::SharedPtr<const detail::Graph> graph);

  std::vector<GraphNode> nodes{};
  std::vector<std::size_t> inputs{};  ///< The nodes of the inputs, in the order of the tensors.
  std::vector<GraphValue> outputs{};

  /// What SINTER_LOGS=graph prints: a line for each node.
  std::string text() const;
  /// The outputs, by the interpreter. A graph with symbols is interpreted only by the function that
  /// the backend gave for it, while it is called, and on its thread.
  std::vector<Tensor> interpret(std::span<const Tensor> values) const;

 private:
  detail::SharedPtr<const detail::Graph> graph_;
};

/// Computes the outputs of a graph: evaluated tensors of its input types, whose memory belongs to
/// the call, to tensors of its output types.
using GraphFunction = detail::OwnedFunction<std::vector<Tensor>, std::span<const Tensor>>;

/// Called once for each graph that is compiled, possibly on several threads at once.
using GraphCompiler = detail::OwnedFunction<GraphFunction, const GraphView&>;

namespace detail::jit {

/// During its lifetime, GraphView::interpret() on this thread knows the sizes of the symbols.
class SymbolScope {
 public:
  explicit SymbolScope(const std::vector<std::int64_t>& sizes);
  SymbolScope(const SymbolScope&) = delete;
  SymbolScope& operator=(const SymbolScope&) = delete;
  ~SymbolScope();

 private:
  const std::vector<std::int64_t>* outer_;
};

}  // namespace detail::jit

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/custom_backend.ipp>
#endif
