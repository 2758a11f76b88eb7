#pragma once

#include <sinter/autodiff/batching/indexed_rules.hpp>
#include <sinter/base/container/vector.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

namespace detail {

// A gather or scatter_add in which each sample has its own indices.
class JoinedSamples {
 public:
  explicit JoinedSamples(const Batching& at)
      : at_(at), axis_(number(at.node, "axis")), size_(at.type(0).shape[static_cast<int>(axis_)]) {}

  // [n, before.., size, after..] to [n * size, before.., after..]
  Value join(Value x) const {
    const Value moved = move_axis(at_.builder, x, axis_ + 1, 1);
    Shape shape{at_.count * size_};
    for (int axis = 2; axis < at_.builder.shape(moved).size(); ++axis) {
      shape.push_back(at_.builder.shape(moved)[axis]);
    }
    return at_.builder.reshape(moved, shape);
  }

  // And back.
  Value part(Value x) const {
    Shape shape{at_.count, size_};
    for (int axis = 1; axis < at_.builder.shape(x).size(); ++axis) {
      shape.push_back(at_.builder.shape(x)[axis]);
    }
    return move_axis(at_.builder, at_.builder.reshape(x, shape), 1, axis_ + 1);
  }

  // Where in the joined axis each sample finds what it looks for; past the end for what it has not.
  Value positions(Value indices) const {
    Builder& build = at_.builder;
    const Shape shape = build.shape(indices);
    const Value size = fill(build, size_of(build, size_), shape);
    const Value none = fill(build, size_of(build, at_.count * size_), shape);
    const Value zero = build.constant_like(indices, 0);
    const Value is_negative = build.elementwise(Op::lt, {indices, zero});
    const Value index = build.select(is_negative, build.add(indices, size), indices);
    const Value is_inside = build.elementwise(
        Op::bitwise_and,
        {build.elementwise(Op::ge, {index, zero}), build.elementwise(Op::lt, {index, size})});
    const Value start = build.mul(build.iota({i64, shape}, 0), size);
    return build.select(is_inside, build.add(start, index), none);
  }

  // Of a value with the axes of the indices in the place of the joined one: [n, indices..,
  // before.., after..] to [n, before.., indices.., after..], or back.
  Value arrange(Value x, bool back) const {
    const std::int64_t indices = at_.type(1).shape.size();
    AxisList axes{0};
    const auto add = [&axes](std::int64_t first, std::int64_t count) {
      for (const std::int64_t axis : axes_from(first, count)) axes.push_back(axis);
    };
    const std::int64_t rank = at_.builder.shape(x).size();
    add(1 + (back ? axis_ : indices), back ? indices : axis_);
    add(1, back ? axis_ : indices);
    add(1 + indices + axis_, rank - 1 - indices - axis_);
    return axes == axes_from(0, rank) ? x : at_.builder.permute(x, axes);
  }

 private:
  const Batching& at_;
  std::int64_t axis_;
  Extent size_;
};

}  // namespace detail

SINTER_INLINE Vector<Batched> gather(const Batching& at) {
  Builder& build = at.builder;
  const std::int64_t axis = number(at.node, "axis");
  at.with_count(at.node.results[0].shape);
  if (!at.is_batched(1) && !at.active) {
    return {{build.gather(at.batched(0), at.inputs[1].value, axis + 1), true}};
  }
  const Value indices = at.where_active(at.batched(1), 0);
  if (!at.is_batched(0)) {
    return {{move_axis(build, build.gather(at.inputs[0].value, indices, axis), axis, 0), true}};
  }
  const detail::JoinedSamples samples(at);
  const Value found = build.gather(samples.join(at.batched(0)), samples.positions(indices), 0);
  return {{samples.arrange(found, false), true}};
}

SINTER_INLINE Vector<Batched> scatter_add(const Batching& at) {
  Builder& build = at.builder;
  const std::int64_t axis = number(at.node, "axis");
  const Value x = at.batched(0), y = at.batched(2);
  if (!at.is_batched(1) && !at.active) {
    return {{build.scatter_add(x, at.inputs[1].value, y, axis + 1), true}};
  }
  const detail::JoinedSamples samples(at);
  const Value indices = samples.positions(at.where_active(at.batched(1), 0));
  const Value sums = build.scatter_add(samples.join(x), indices, samples.arrange(y, true), 0);
  return {{samples.part(sums), true}};
}

SINTER_INLINE Vector<Batched> dot_general(const Batching& at) {
  DotAxes axes{numbers(at.node, "lhs_batch"), numbers(at.node, "rhs_batch"),
               numbers(at.node, "lhs_contract"), numbers(at.node, "rhs_contract")};
  at.with_count(at.node.results[0].shape);
  std::int64_t place = static_cast<std::int64_t>(axes.lhs_batch.size());
  if (!at.is_batched(0)) {
    place = at.type(0).shape.size() - static_cast<std::int64_t>(axes.lhs_contract.size());
  }
  const auto shift = [&](std::size_t side, AxisList& batch, AxisList& contract) {
    if (at.is_batched(side)) batch = behind_count(batch), contract = behind_count(contract);
  };
  shift(0, axes.lhs_batch, axes.lhs_contract);
  shift(1, axes.rhs_batch, axes.rhs_contract);
  if (at.is_batched(0) && at.is_batched(1)) {
    axes.lhs_batch.insert(axes.lhs_batch.begin(), 0);
    axes.rhs_batch.insert(axes.rhs_batch.begin(), 0);
    place = 0;
  }
  const Value product = at.builder.dot_general(at.inputs[0].value, at.inputs[1].value, axes);
  return {{move_axis(at.builder, product, place, 0), true}};
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of
