#pragma once

#include <utility>  // std::move

#include <sinter/dist/collective/gpu_transport.hpp>
#include <sinter/dist/collective/kernel.hpp>
#include <sinter/dist/collective/rules.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

SINTER_INLINE AxisList axis_first(int axis, int rank) {
  AxisList result{axis};
  for (int i = 0; i < rank; ++i) {
    if (i != axis) result.push_back(i);
  }
  return result;
}

SINTER_INLINE AxisList axis_back(int axis, int rank) {
  AxisList result;
  for (int i = 0; i < rank; ++i) result.push_back(i == axis ? 0 : i < axis ? i + 1 : i);
  return result;
}

SINTER_INLINE Shape moved_to_front(const Shape& shape, int axis) {
  Shape result;
  for (const auto i : axis_first(axis, static_cast<int>(shape.size()))) {
    result.push_back(shape[static_cast<int>(i)]);
  }
  return result;
}

class CollectiveRules : public CustomRules {
 public:
  explicit CollectiveRules(const Collective& collective) : collective_(collective) {}

  const Collective& collective() const { return collective_; }

  Vector<Value> gradients(Builder& builder, const Node& node, Span<const Value> results,
                          Span<const Value> gradients) const override {
    const Value x = node.inputs[0], g = gradients[0];
    const TensorType type = builder.type(x);
    const auto is = [&](dist::Reduce reduce) { return collective_.reduce == reduce; };
    switch (collective_.kind) {
      case Kind::all_reduce:
        if (collective_.is_replicated) return {replicated_input(builder, g, type)};
        if (is(dist::Reduce::min) || is(dist::Reduce::max)) {
          return {of_extremum(builder, x, results[0], run(builder, Kind::all_reduce, g, type))};
        }
        return {run(builder, Kind::all_reduce, g, type, collective_.reduce)};
      case Kind::all_gather:
        return {run(builder, Kind::reduce_scatter, g, type)};
      case Kind::reduce_scatter:
        return {of_scatter(builder, x, results[0], g)};
      case Kind::broadcast:
        return {run(builder, Kind::reduce, g, type)};
      case Kind::reduce:
        return {run(builder, Kind::broadcast, g, type)};
      case Kind::all_to_all:
        return {run(builder, Kind::all_to_all, g, type)};
      default:
        return {builder.constant_like(x, 0)};
    }
  }

  Vector<Value> batched(Builder& builder, const Node& node, Span<const Value> operands,
                        Extent count) const override {
    Collective collective = collective_;
    ++collective.axis;  // the batch axis comes first
    collective.gradient = -1;
    collective.is_of_parameter = false;
    TensorType type{node.results[0].dtype, {count}};
    for (const Extent& extent : node.results[0].shape) type.shape.push_back(extent);
    return {append(builder, collective, operands[0], type)};
  }

 private:
  static Value append(Builder& builder, Collective collective, Value x, TensorType type) {
    const bool is_moved = collective.on_gpu && collective.is_along_axis() && collective.axis != 0;
    const int axis = collective.axis, rank = static_cast<int>(type.shape.size());
    if (is_moved) {  // on a GPU the ranks divide axis 0
      x = builder.permute(x, axis_first(axis, rank));
      type.shape = moved_to_front(type.shape, axis);
      collective.axis = 0;
    }
    Node node = node_of(collective, std::move(type));
    node.inputs = {x};
    const Value y = builder.append(std::move(node));
    return is_moved ? builder.permute(y, axis_back(axis, rank)) : y;
  }

  // Another collective over the same ranks and axis.
  Value run(Builder& builder, Kind kind, Value x, TensorType type,
            dist::Reduce reduce = dist::Reduce::sum) const {
    Collective other = collective_;
    other.kind = kind;
    other.reduce = reduce;
    other.gradient = -1;
    other.is_of_parameter = other.is_replicated = false;
    return append(builder, other, x, std::move(type));
  }

  Value replicated_input(Builder& builder, Value x, const TensorType& type) const {
    Node node = replicated_input_node(collective_.group, type, collective_.where);
    node.inputs = {x};
    return builder.append_typed(std::move(node));
  }

  // Divides `g`, the sum of the gradients of all ranks, among the ranks where `x` equals the
  // extremum `y`.
  Value of_extremum(Builder& builder, Value x, Value y, Value g) const {
    const Value zero = builder.constant_like(x, 0), one = builder.constant_like(x, 1);
    const Value is_held = builder.elementwise(Op::eq, {x, y});
    const Value held = builder.select(is_held, one, zero);
    const Value holders = run(builder, Kind::all_reduce, held, builder.type(x));
    const Value some = builder.elementwise(Op::maximum, {holders, one});  // no x equals a NaN
    return builder.select(is_held, builder.div(g, some), zero);
  }

  Value of_scatter(Builder& builder, Value x, Value y, Value g) const {
    const TensorType type = builder.type(x);
    const Value gathered = run(builder, Kind::all_gather, g, type);
    if (collective_.reduce == dist::Reduce::sum) return gathered;
    if (collective_.reduce == dist::Reduce::mean) {
      const int size = group(collective_.group, op_of(collective_), collective_.where).size();
      return builder.div(gathered, builder.constant_like(gathered, size));
    }
    return of_extremum(builder, x, run(builder, Kind::all_gather, y, type), gathered);
  }

  Collective collective_;
};

// Messages go through the host: with NCCL the sender would wait for the receiver.
SINTER_INLINE SharedPtr<const StreamKernel> stream_kernel_of(const Collective& collective) {
  if (collective.is_between_two()) return {};
  return make_shared_ptr<const GpuCollective>(collective);
}

SINTER_INLINE SharedPtr<const CustomCode> code_of(const Collective& collective) {
  CustomCode code{.name = op_of(collective),
                  .call = make_shared_ptr<const CollectiveKernel>(collective),
                  .on_stream = stream_kernel_of(collective),
                  .rules = make_shared_ptr<const CollectiveRules>(collective),
                  .has_side_effects = true,  // all ranks run it, in the order of the program
                  .where = collective.where};
  code.text_hash = Hasher()
                       .add(described(collective))
                       .add(static_cast<std::uint64_t>(collective.group))
                       .add(static_cast<std::uint64_t>(collective.gradient))
                       .add(collective.is_of_parameter ? 1 : 0)
                       .add(collective.is_replicated ? 1 : 0)
                       .result();
  // Errors name the line, so equal collectives on two lines are different nodes.
  code.identity = Hasher().add(code.text_hash).add(word_of(collective.where)).result();
  return make_shared_ptr<const CustomCode>(std::move(code));
}

SINTER_INLINE Node node_of(const Collective& collective, TensorType result) {
  Node node{.op = Op::custom,
            .attributes = {{"code", code_of(collective)}, {"operands", constant(1)}},
            .where = collective.where};
  node.results.push_back(std::move(result));
  return node;
}

SINTER_INLINE Node replicated_input_node(int group, const TensorType& type, Where where) {
  Node node{.op = Op::call, .results = {type}, .where = where};
  Graph forward, backward;
  forward.outputs = {Builder(forward).input(type)};
  Builder builder(backward);
  for (int i = 0; i < 2; ++i) builder.input(type);  // the input and the result
  Node sum = node_of(
      {.kind = Kind::all_reduce, .group = group, .is_replicated = true, .where = where}, type);
  sum.inputs = {builder.input(type)};
  backward.outputs = {builder.append_typed(std::move(sum))};
  node.bodies = {std::move(forward), std::move(backward)};
  return node;
}

SINTER_INLINE const Collective* collective_of(const Node& node) {
  if (node.op != Op::custom) return nullptr;
  const auto* const rules = dynamic_cast<const CollectiveRules*>(custom_code(node).rules.get());
  return rules == nullptr ? nullptr : &rules->collective();
}

}  // namespace sinter::inline SINTER_ABI::detail::collective
