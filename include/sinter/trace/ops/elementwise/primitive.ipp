#pragma once

#include <algorithm>  // std::max

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/elementwise/primitive.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void require_broadcast(std::string_view op, const Operand& lhs, const Operand& rhs) {
  const Operand operands[]{lhs, rhs};
  broadcast_shapes(op, operands);
}

// The dtype in which `op` computes on operands promoted to `dtype`.
SINTER_INLINE DType computed_by(Op op, OperandType type, const Operand& first) {
  DType dtype = type.dtype;
  if (type.weak && dtype == f64) dtype = f32;  // only numbers: as for a tensor of them
  if (info(op).takes == Takes::floating && !is_floating(dtype)) dtype = f32;
  if (takes(info(op).takes, dtype)) return dtype;
  const bool integral = info(op).takes == Takes::integral;
  throw DTypeError({.op = std::string(info(op).name),
                    .what = text("the operation does not take ", dtype),
                    .facts = {{"x", to_string(first)}},
                    .rule = integral ? "operands are integers or boolean" : "operands are numbers",
                    .fix = integral ? "compare first, as in (x > 0) & (y > 0), or cast to i64"
                                    : "cast first: x.to(f32)",
                    .where = first.where,
                    .see = "dtypes"});
}

SINTER_INLINE void require_floating(std::string_view op, const Operand& x) {
  const OperandType type = x.type();
  if (is_floating(type.dtype) || type.weak) return;
  throw DTypeError({.op = op,
                    .what = text("the operation does not take ", type.dtype),
                    .facts = {{"x", to_string(x)}},
                    .rule = "operands are floating",
                    .fix = "cast first: x.to(f32)",
                    .where = x.where,
                    .see = "dtypes"});
}

SINTER_INLINE DType common_dtype(Op op, const Operand& lhs, const Operand& rhs) {
  return computed_by(op, promote(lhs.type(), rhs.type()), lhs);
}

SINTER_INLINE Optional<Extent> meet(Extent a, Extent b, Where where) {
  if (same(a, b) || same(b, Extent(1))) return a;
  if (same(a, Extent(1)) || is_computed_one(a, where)) return b;
  if (is_computed_one(b, where)) return a;
  if (equal_sizes(a, b, where)) return a.is_number() ? a : current_recorder()->resolve(a);
  if (fix_one(a, where)) return b;
  return fix_one(b, where) ? Optional<Extent>(a) : std::nullopt;
}

SINTER_INLINE Optional<Shape> meet(const Shape& a, const Shape& b, Where where) {
  const int rank = std::max(a.size(), b.size());
  Shape result;
  for (int axis = -rank; axis < 0; ++axis) {
    const Extent x = axis >= -a.size() ? a[axis] : Extent(1);
    const Extent y = axis >= -b.size() ? b[axis] : Extent(1);
    const auto met = meet(x, y, where);
    if (!met) return std::nullopt;
    result.push_back(*met);
  }
  return result;
}

// A symbolic extent of `shape` that is 1 in this call but is not broadcast; null if there is none.
SINTER_INLINE const Extent* symbol_of_one(const Shape& shape) {
  const Recorder* const recorder = current_recorder();
  for (const Extent& extent : shape) {
    const bool is_one = recorder != nullptr && recorder->hint(extent) == 1;
    if (is_one && !extent.is_number()) return &extent;
  }
  return nullptr;
}

[[noreturn]] SINTER_INLINE void throw_broadcast(std::string_view op, const Operand& lhs,
                                                const Operand& rhs) {
  Report report{.op = std::string(op),
                .what = "shapes do not broadcast",
                .facts = {{"lhs", to_string(lhs)}, {"rhs", to_string(rhs)}},
                .rule = "from the last axis on, extents are equal or one of them is 1",
                .fix = "add an axis of extent 1 with unsqueeze, or transpose an operand",
                .where = lhs.where,
                .see = "broadcasting"};
  const Shape shapes[]{lhs.shape(), rhs.shape()};
  for (const Shape& shape : shapes) {
    const Extent* const one = symbol_of_one(shape);
    if (one == nullptr) continue;
    report.facts.push_back({"dim", current_recorder()->describe(*one)});
    report.facts.push_back({"size", "1 in this call"});
    report.rule =
        "a dimension that is marked or named is never taken to be 1, so it is not repeated";
    report.fix = "leave a dimension that is to be repeated unmarked";
    break;
  }
  throw ShapeError(std::move(report));
}

SINTER_INLINE Shape broadcast_shapes(std::string_view op, Span<const Operand> operands) {
  Shape shape = operands[0].shape();
  for (const Operand& operand : operands.subspan(1)) {
    const auto met = detail::meet(shape, operand.shape(), operands[0].where);
    if (!met) detail::throw_broadcast(op, operands[0], operand);
    shape = *met;
  }
  return shape;
}

// A number becomes a constant of the full shape, so that rewrite rules need not look through an
// expand.
SINTER_INLINE Tensor convert(const Operand& x, const TensorType& type, Where where) {
  const PublicCall call("convert", where);
  if (const auto* number = x.value.get_if<Constant>()) {
    return constant_tensor(*number, type, where);
  }
  const Tensor tensor = cast({x.tensor(), where}, type.dtype);
  return same(tensor.shape(), type.shape) ? tensor : expand({tensor, where}, type.shape);
}

// The tensor of an operand that needs no conversion; null if it needs one.
SINTER_INLINE const Tensor* as_it_is(const Operand& x, const TensorType& type) {
  const Tensor* const tensor = x.value.get_if<Tensor>();
  if (tensor == nullptr || tensor->dtype() != type.dtype) return nullptr;
  return same(tensor->shape(), type.shape) ? tensor : nullptr;
}

// An operand as a value of a type, without a copy if it has that type.
class Converted {
 public:
  Converted(const Operand& x, const TensorType& type, Where where)
      : tensor_(as_it_is(x, type)), own_(tensor_ ? Tensor() : convert(x, type, where)) {}
  operator OperandRef() const { return tensor_ ? *tensor_ : own_; }

 private:
  const Tensor* tensor_;
  Tensor own_;
};

// The result type of `op` for operands of `type`.
SINTER_INLINE TensorType given_by(Op op, const TensorType& type) {
  return {info(op).gives == Gives::boolean ? boolean : type.dtype, type.shape};
}

SINTER_INLINE Shape common_shape(Op op, const Operand& lhs, const Operand& rhs) {
  if (lhs.is_number()) return rhs.shape();
  if (rhs.is_number()) return lhs.shape();
  const auto *const x = lhs.value.get_if<Tensor>(), *const y = rhs.value.get_if<Tensor>();
  if (x != nullptr && y != nullptr && same(x->shape(lhs.where), y->shape(rhs.where))) {
    return x->shape();
  }
  const Operand operands[]{lhs, rhs};
  return broadcast_shapes(info(op).name, operands);
}

SINTER_INLINE Tensor elementwise(Op op, const Operand& x) {
  const TensorType type{detail::computed_by(op, x.type(), x), x.shape()};
  return record(op, detail::given_by(op, type), {detail::Converted(x, type, x.where)}, x.where);
}

SINTER_INLINE Tensor elementwise(Op op, const Operand& lhs, const Operand& rhs) {
  const Where where = lhs.where;
  const TensorType type{detail::common_dtype(op, lhs, rhs), detail::common_shape(op, lhs, rhs)};
  return record(op, detail::given_by(op, type),
                {detail::Converted(lhs, type, where), detail::Converted(rhs, type, where)}, where);
}

}  // namespace detail

SINTER_INLINE Tensor where(Operand condition, Operand x, Operand y) {
  const detail::PublicCall call("where", condition.where);
  const Where at = condition.where;
  const Operand operands[]{x, y, condition};
  const DType dtype = detail::common_dtype(detail::Op::select, x, y);
  const Shape shape = detail::broadcast_shapes("where", operands);
  const DType test = condition.type().dtype;
  const Operand mask = test == boolean ? condition : Operand(ne(condition, {0, at}), at);
  return detail::record(
      {.op = detail::Op::select},
      {detail::convert(mask, {boolean, shape}, at), detail::convert(x, {dtype, shape}, at),
       detail::convert(y, {dtype, shape}, at)},
      at);
}

SINTER_INLINE Tensor nn::operator-(sinter::detail::Located<Buffer> x) {
  return neg({x.value.value, x.where});
}

}  // namespace sinter::inline SINTER_ABI
