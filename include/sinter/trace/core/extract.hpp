#pragma once
// Converts lazy values that refer to each other into a Graph.

#include <vector>         // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/trace/core/handle.hpp>
#include <sinter/trace/value/walk.hpp>

namespace sinter::inline SINTER_ABI::detail {

class Recorder;

/// Copies values and their operands into a graph, each once. Evaluated values and placeholders
/// become inputs of the graph.
class Extractor {
 public:
  /// Sizes are written as `recorder` resolved them; without a recorder, unchanged.
  explicit Extractor(Graph& graph, const Recorder* recorder = nullptr,
                     Detached detached = Detached::as_values);

  /// Replaces symbols that are not resolved yet by the sizes of this call.
  void fix_sizes() { sizes_are_fixed_ = true; }
  /// Makes these constants inputs of rank 0 when they are reached.
  void lift(HashSet<const Lazy*> numbers) { lifted_ = std::move(numbers); }
  /// Makes `value` the next input of the graph; its operands are not visited.
  Value add_input(const Tensor& value);
  /// The value in the graph. Evaluated values and placeholders that it depends on become further
  /// inputs.
  Value add(const Tensor& value);

  /// The value that each input of the graph stands for.
  const std::vector<Tensor>& inputs() const { return inputs_; }
  /// The value in the graph of each Lazy that was reached.
  const HashMap<Lazy*, Value>& values() const { return values_; }

 private:
  void append_any(Lazy& lazy);
  void append(Lazy& lazy);
  void append_expression(Lazy& lazy);
  void resolve_sizes(Node& node) const;
  bool is_number(const Lazy& lazy) const;
  void append_number(Lazy& lazy);
  Value value_of(Lazy& lazy, std::uint32_t result) const;
  Shape resolve(const Shape& shape) const;
  TensorType resolve(const TensorType& type) const;

  Builder builder_;
  const Recorder* recorder_;
  ValueWalk walk_;
  bool sizes_are_fixed_ = false;
  HashMap<Lazy*, Value> values_;
  std::vector<Tensor> inputs_;
  HashSet<const Lazy*> lifted_;
};

}  // namespace sinter::inline SINTER_ABI::detail

#include <sinter/trace/core/recorder.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/extract.ipp>
#endif
