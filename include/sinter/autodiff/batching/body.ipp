#pragma once

#include <sinter/autodiff/batching/batch.hpp>
#include <sinter/autodiff/batching/body.hpp>
#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

SINTER_INLINE bool any_of(const Flags& flags) { return contains(flags, true); }

SINTER_INLINE Batched BatchedBody::add_input(const TensorType& sample, bool is_batched) {
  const Shape shape = is_batched ? outer_.with_count(sample.shape) : sample.shape;
  return {builder_.input({sample.dtype, shape}), is_batched};
}

SINTER_INLINE void BatchedBody::add_inputs(const Graph& body, const Flags& flags) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    inputs.push_back(add_input(body.type(body.inputs[i]), flags[i]));
  }
  if (outer_.active) active = add_input({boolean, {}}, true).value;
}

SINTER_INLINE Vector<Batched> BatchedBody::batched(const Graph& body, Span<const Batched> operands,
                                                   Optional<Value> mask) {
  return batch(builder_, body, operands, outer_.count, mask);
}

SINTER_INLINE Batching BatchedBody::inside() {
  return {builder_, outer_.sample, outer_.node, outer_.inputs, outer_.count, active};
}

SINTER_INLINE Graph BatchedBody::finish(Vector<Value> outputs) {
  graph_.outputs = std::move(outputs);
  return rewrite(graph_, {});
}

SINTER_INLINE Flags flags_of(const Batching& at, const Graph& body, const Flags& flags) {
  BatchedBody written(at);
  written.add_inputs(body, flags);
  Flags result;
  for (const Batched& output : written.batched(body)) result.push_back(output.is_batched);
  return result;
}

SINTER_INLINE Graph body_of(const Batching& at, const Graph& body, const Flags& flags,
                            const Flags& outputs) {
  BatchedBody written(at);
  written.add_inputs(body, flags);
  const Vector<Batched> found = written.batched(body);
  const Batching inside = written.inside();
  Vector<Value> values;
  for (std::size_t i = 0; i < found.size(); ++i) {
    values.push_back(outputs[i] ? inside.repeated(found[i]) : found[i].value);
  }
  return written.finish(std::move(values));
}

SINTER_INLINE void add_operands(const Batching& at, const Flags& flags, Node& node,
                                std::size_t first) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const Batched& input = at.inputs[first + i];
    node.inputs.push_back(flags[i] ? at.repeated(input) : input.value);
  }
  if (at.active) node.inputs.push_back(*at.active);
}

SINTER_INLINE Vector<Batched> results_of(const Batching& at, Node node, const Flags& flags) {
  const NodeId id = at.builder.append(std::move(node));
  Vector<Batched> result;
  for (std::uint32_t i = 0; i < flags.size(); ++i) result.push_back({{id, i}, flags[i]});
  return result;
}

SINTER_INLINE Value both(Builder& builder, Optional<Value> a, Value b) {
  return a ? builder.elementwise(Op::bitwise_and, {*a, b}) : b;
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of
