#pragma once

#include <algorithm>  // std::equal

#include <sinter/base/container/algorithm.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/infer.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail {

using Types = Span<const TensorType>;
using Results = SmallVector<TensorType, 1>;
using InferFunction = Results (*)(const Node& node, Types types);

inline void require(bool condition, const Node& node, Types types, std::string_view what) {
  if (condition) return;
  std::string inputs;
  for (const TensorType& type : types) inputs += text(" ", type);
  throw InternalError(text(info(node.op).name, inputs, ": ", what));
}

inline void require_axes(const Node& node, Types types, const std::vector<std::int64_t>& axes) {
  std::int64_t last = -1;
  for (const std::int64_t axis : axes) {
    require(axis > last && axis < types[0].shape.size(), node, types, "axes must ascend");
    last = axis;
  }
}

SINTER_INLINE Results infer_named(const Node& node, Types types) {
  require(node.results.size() == 1, node, types, "the node must name its result");
  return node.results;
}

SINTER_INLINE Results infer_cast(const Node& node, Types types) {
  require(node.results.size() == 1, node, types, "the node must name its result");
  return {{node.results[0].dtype, types[0].shape}};
}

SINTER_INLINE Results infer_elementwise(const Node& node, Types types) {
  const std::size_t first = node.op == Op::select ? 1 : 0;
  if (first == 1) require(types[0].dtype == boolean, node, types, "the condition must be boolean");
  for (std::size_t i = 0; i < types.size(); ++i) {
    require(same(types[i].shape, types.back().shape), node, types, "shapes must be equal");
    if (i >= first) {
      require(types[i].dtype == types.back().dtype, node, types, "dtypes must be equal");
    }
  }
  const bool boolean_result = info(node.op).gives == Gives::boolean;
  return {{boolean_result ? boolean : types.back().dtype, types.back().shape}};
}

SINTER_INLINE Results infer_reduction(const Node& node, Types types) {
  const auto& axes = numbers(node, "axes");
  require_axes(node, types, axes);
  TensorType result{info(node.op).gives == Gives::index ? i64 : types[0].dtype, {}};
  for (int axis = 0; axis < types[0].shape.size(); ++axis) {
    if (!contains(axes, axis)) result.shape.push_back(types[0].shape[axis]);
  }
  return {result};
}

// A recording may have assumed that s0*s1 is s2*s3. That 2*s0 is s0 cannot be meant.
SINTER_INLINE bool may_be_equal(Extent a, Extent b) {
  if (same(a, b)) return true;
  const auto terms = terms_of(a), others = terms_of(b);
  const bool same_terms = std::equal(
      terms.begin(), terms.end(), others.begin(), others.end(),
      [](const ExtentTerm& x, const ExtentTerm& y) { return same(x.monomial, y.monomial); });
  return !same_terms && !proven_not_equal(a, b);
}

SINTER_INLINE Results infer_reshape(const Node& node, Types types) {
  require(node.results.size() == 1, node, types, "the node must name its result");
  const Shape& shape = node.results[0].shape;
  require(may_be_equal(numel(shape), numel(types[0].shape)), node, types, "sizes must be equal");
  return {{types[0].dtype, shape}};
}

SINTER_INLINE Results infer_permute(const Node& node, Types types) {
  const auto& axes = numbers(node, "axes");
  require(axes.size() == static_cast<std::size_t>(types[0].shape.size()), node, types, "rank");
  for (int axis = 0; axis < types[0].shape.size(); ++axis) {
    require(contains(axes, axis), node, types, "every axis must be there");
  }
  Shape shape;
  for (const std::int64_t axis : axes) shape.push_back(types[0].shape[static_cast<int>(axis)]);
  return {{types[0].dtype, shape}};
}

SINTER_INLINE Results infer_expand(const Node& node, Types types) {
  require(node.results.size() == 1, node, types, "the node must name its result");
  const Shape &from = types[0].shape, &to = node.results[0].shape;
  require(from.size() == to.size(), node, types, "ranks must be equal");
  for (int axis = 0; axis < to.size(); ++axis) {
    const bool fits = same(from[axis], to[axis]) || same(from[axis], Extent(1));
    require(fits, node, types, "an axis that is repeated must have extent 1");
  }
  return {{types[0].dtype, to}};
}

SINTER_INLINE Results infer_pad(const Node& node, Types types) {
  const Shape &low = attribute<Shape>(node, "low"), &high = attribute<Shape>(node, "high");
  require(low.size() == types[0].shape.size() && high.size() == low.size(), node, types, "rank");
  Shape shape;
  for (int axis = 0; axis < low.size(); ++axis) {
    shape.push_back(low[axis] + types[0].shape[axis] + high[axis]);
  }
  return {{types[0].dtype, shape}};
}

// The extents of a slice depend on its stop, which only the result knows.
SINTER_INLINE Results infer_slice(const Node& node, Types types) {
  require(node.results.size() == 1, node, types, "the node must name its result");
  const int rank = types[0].shape.size();
  require(attribute<Shape>(node, "start").size() == rank, node, types, "rank");
  require(numbers(node, "step").size() == static_cast<std::size_t>(rank), node, types, "rank");
  return {{types[0].dtype, node.results[0].shape}};
}

// As many windows as fit, which only the result knows in the program's terms.
SINTER_INLINE Results infer_unfold(const Node& node, Types types) {
  require(node.results.size() == 1, node, types, "the node must name its result");
  const auto axis = number(node, "axis");
  require(axis >= 0 && axis < types[0].shape.size(), node, types, "axis");
  const bool is_positive =
      number(node, "size") >= 1 && number(node, "step") >= 1 && number(node, "dilation") >= 1;
  require(is_positive, node, types, "size, step and dilation must be positive");
  Shape shape = types[0].shape;
  shape[static_cast<int>(axis)] = node.results[0].shape[static_cast<int>(axis)];
  shape.push_back(number(node, "size"));
  require(same(shape, node.results[0].shape), node, types, "another result");
  return node.results;
}

SINTER_INLINE Results infer_row(const Node& node, Types types) {
  const auto axis = number(node, "axis");
  require(axis >= 0 && axis < types[0].shape.size(), node, types, "axis");
  const bool gives_index = info(node.op).gives == Gives::index;
  return {{gives_index ? i64 : types[0].dtype, types[0].shape}};
}

SINTER_INLINE Results infer_concatenate(const Node& node, Types types) {
  require(!types.empty(), node, types, "something must be there");
  const auto axis = static_cast<int>(number(node, "axis"));
  TensorType result = types[0];
  require(axis >= 0 && axis < result.shape.size(), node, types, "axis");
  result.shape[axis] = 0;
  for (const TensorType& type : types) {
    require(type.dtype == result.dtype, node, types, "dtypes must be equal");
    require(type.shape.size() == result.shape.size(), node, types, "ranks must be equal");
    for (int i = 0; i < type.shape.size(); ++i) {
      if (i != axis) require(same(type.shape[i], result.shape[i]), node, types, "other extents");
    }
    result.shape[axis] += type.shape[axis];
  }
  return {result};
}

SINTER_INLINE Results infer_flip(const Node& node, Types types) {
  require_axes(node, types, numbers(node, "axes"));
  return {types[0]};
}

SINTER_INLINE Results infer_gather(const Node& node, Types types) {
  const auto axis = static_cast<int>(number(node, "axis"));
  require(types[1].dtype == i64, node, types, "indices must be i64");
  require(axis >= 0 && axis < types[0].shape.size(), node, types, "axis");
  Shape shape;
  for (int i = 0; i < types[0].shape.size(); ++i) {
    if (i != axis) {
      shape.push_back(types[0].shape[i]);
      continue;
    }
    for (const Extent& extent : types[1].shape) shape.push_back(extent);
  }
  return {{types[0].dtype, shape}};
}

SINTER_INLINE Results infer_scatter_add(const Node& node, Types types) {
  const TensorType added = infer_gather(node, types)[0];
  require(same(added, types[2]), node, types, "the added tensor must have the shape of a gather");
  return {types[0]};
}

SINTER_INLINE Results infer_dot_general(const Node& node, Types types) {
  const auto &lhs_batch = numbers(node, "lhs_batch"), &rhs_batch = numbers(node, "rhs_batch");
  const auto &lhs_over = numbers(node, "lhs_contract"), &rhs_over = numbers(node, "rhs_contract");
  require(types[0].dtype == types[1].dtype, node, types, "dtypes must be equal");
  require(lhs_batch.size() == rhs_batch.size() && lhs_over.size() == rhs_over.size(), node, types,
          "both operands must list the same number of axes");
  const auto meet = [&](const auto& lhs_axes, const auto& rhs_axes) {
    for (std::size_t i = 0; i < lhs_axes.size(); ++i) {
      require(may_be_equal(types[0].shape[static_cast<int>(lhs_axes[i])],
                           types[1].shape[static_cast<int>(rhs_axes[i])]),
              node, types, "extents must be equal");
    }
  };
  meet(lhs_batch, rhs_batch);
  meet(lhs_over, rhs_over);
  TensorType result{types[0].dtype, {}};
  for (auto axis : lhs_batch) result.shape.push_back(types[0].shape[static_cast<int>(axis)]);
  const auto append_free = [&result](const Shape& shape, const auto& batch, const auto& over) {
    for (int axis = 0; axis < shape.size(); ++axis) {
      if (!contains(batch, axis) && !contains(over, axis)) result.shape.push_back(shape[axis]);
    }
  };
  append_free(types[0].shape, lhs_batch, lhs_over);
  append_free(types[1].shape, rhs_batch, rhs_over);
  return {result};
}

SINTER_INLINE Results infer_control(const Node& node, Types types) {
  const std::string mistake = control_mistake(node, types);
  require(mistake.empty(), node, types, mistake);
  return control_results(node, types);
}

SINTER_INLINE InferFunction infer_rule(Op op) {
  if (is_control(op)) return infer_control;
  switch (op) {
    case Op::cast:
      return infer_cast;
    case Op::reshape:
      return infer_reshape;
    case Op::permute:
      return infer_permute;
    case Op::expand:
      return infer_expand;
    case Op::pad:
      return infer_pad;
    case Op::slice:
      return infer_slice;
    case Op::unfold:
      return infer_unfold;
    case Op::flip:
      return infer_flip;
    case Op::gather:
      return infer_gather;
    case Op::scatter_add:
      return infer_scatter_add;
    case Op::concatenate:
      return infer_concatenate;
    case Op::dot_general:
      return infer_dot_general;
    default:
      break;
  }
  if (info(op).kind == OpKind::leaf) return infer_named;
  if (info(op).kind == OpKind::row) return infer_row;
  return is_reduction(op) ? infer_reduction : infer_elementwise;
}

SINTER_INLINE SmallVector<TensorType, 1> infer(const Node& node, Span<const TensorType> types) {
  const OpInfo& row = info(node.op);
  detail::require(row.arity == -1 || types.size() == static_cast<std::size_t>(row.arity), node,
                  types, "the wrong number of inputs");
  const bool fits = types.empty() || takes(row.takes, types.back().dtype);
  detail::require(fits, node, types, "a dtype that the operation does not take");
  return detail::infer_rule(node.op)(node, types);
}

}  // namespace sinter::inline SINTER_ABI::detail
