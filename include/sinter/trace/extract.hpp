#pragma once
// From values that refer to each other to a Graph.

#include <span>           // std::span
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/symbol/function_ref.hpp>
#include <sinter/trace/recorder.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Whether detached values are inputs of their own or what they stand for.
enum class Detached : std::uint8_t { as_inputs, as_values };

/// Copies values into a graph, each once, with what they are computed from. Elements that are there
/// already, and placeholders, become inputs of the graph.
class Extractor {
 public:
  /// Sizes are written as `recorder` resolved them; without one, as they are.
  explicit Extractor(Graph& graph, const Recorder* recorder = nullptr,
                     Detached detached = Detached::as_values);

  /// `value` is the next input of the graph; what it is computed from is not looked at.
  Value add_input(const Tensor& value);
  /// The value in the graph. Reads elements and placeholders as further inputs.
  Value add(const Tensor& value);

  /// What each input of the graph stands for.
  const std::vector<Tensor>& inputs() const { return inputs_; }
  /// The value in the graph of each Lazy that was reached.
  const std::unordered_map<Lazy*, Value>& values() const { return values_; }

 private:
  void visit(Lazy* root);
  void append(Lazy& lazy);
  TensorType resolve(const TensorType& type) const;
  Lazy* target(Lazy* lazy) const;

  Builder builder_;
  const Recorder* recorder_;
  Detached detached_;
  std::unordered_map<Lazy*, Value> values_;
  std::vector<Tensor> inputs_;
};

/// The value itself, or what it stands for.
inline Lazy* target_of(Lazy* lazy) {
  while (lazy->stands_for) lazy = lazy->stands_for.get();
  return lazy;
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/extract.ipp>
#endif
