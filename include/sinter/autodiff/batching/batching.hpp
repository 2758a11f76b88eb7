#pragma once
// The context of a batching rule: a node to be computed for each sample of a batch.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/builder.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

/// A value of a batch: the samples lie along axis 0, or all of them have the same.
struct Batched {
  Value value{};
  bool is_batched = false;
};

/// One node of a batch. Its types are those of one sample.
struct Batching {
  Builder& builder;
  const Graph& sample;
  const Node& node;
  Span<const Batched> inputs;
  Extent count;                   ///< The number of samples.
  Optional<Value> active{};       ///< boolean[count]: false for samples whose results are unused,
                                  ///< which must not fault.

  bool is_batched(std::size_t input) const { return inputs[input].is_batched; }
  Vector<bool> batched_inputs() const;
  const TensorType& type(std::size_t input) const { return sample.type(node.inputs[input]); }
  /// The value of an input that is batched, and of one that is not, repeated for each sample.
  Value batched(std::size_t input) const { return repeated(inputs[input]); }

  Value repeated(Batched x) const;
  /// The shape of a batch. Throws ShapeError if it would have more than max_rank dimensions.
  Shape with_count(const Shape& shape) const;
  /// boolean[count] as a condition on values of `shape`, which is that of one sample.
  Value spread(Value condition, const Shape& shape) const;
  /// `x`, batched, where the sample is active, else `otherwise`.
  Value where_active(Value x, std::int64_t otherwise) const;
  /// The node without inputs, bodies and results.
  Node bare_node() const;
};

/// True if `node` is a draw whose numbers are the same for all samples of the innermost batch: it
/// was first made before that batch began.
bool is_shared_draw(const Node& node);
/// `node`, whose draws, and those of its bodies, are shared across `batches` more of the innermost
/// batches; -1 after the node has been batched once.
Node with_shared_draws(Node node, std::int64_t batches);
Graph with_shared_draws(Graph graph, std::int64_t batches);

/// The results of the node.
using BatchingFunction = Vector<Batched> (*)(const Batching& at);

/// Each of `axes` behind that of the batch.
AxisList behind_count(const AxisList& axes);
/// first, first + 1, ..., `count` of them.
AxisList axes_from(std::int64_t first, std::int64_t count);
/// `x` with its axis `from` as axis `to`; the others keep their order.
Value move_axis(Builder& builder, Value x, std::int64_t from, std::int64_t to);
/// `size` as i64[].
Value size_of(Builder& builder, Extent size);
/// `x`, of rank 0, repeated.
Value fill(Builder& builder, Value x, const Shape& shape);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/batching/batching.ipp>
#endif
