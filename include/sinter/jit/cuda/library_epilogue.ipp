#pragma once

#include <algorithm>  // std::max

#include <sinter/base/constant.hpp>
#include <sinter/jit/cuda/library_epilogue.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Matches the instructions between the product's sum and the store, starting at the store.
class EpilogueReader {
 public:
  using Terms = Optional<LibraryEpilogue>;
  using Code = schedule::Code;
  using ValueId = schedule::ValueId;

  EpilogueReader(const schedule::Kernel& kernel, const codegen::ProductForm& form, DType stored)
      : kernel_(kernel), form_(form), stored_(stored), wide_(at(form.sum).dtype == f64) {}

  Terms read(ValueId id);
  /// The value before a final rounding to the stored type.
  ValueId before_rounding(ValueId id) const;

 private:
  const schedule::Instruction& at(ValueId id) const {
    return kernel_.instructions[static_cast<std::size_t>(id)];
  }
  ValueId operand(ValueId id, std::size_t i) const { return at(id).operands[i]; }
  bool is(ValueId id, Op op) const { return at(id).code == Code::compute && at(id).op == op; }
  bool is_number(ValueId id, double value) const;
  Optional<ValueId> beside(ValueId id, Op op, double value) const;
  Optional<ValueId> below_relu(ValueId id) const;
  Optional<ValueId> below_gelu(ValueId id) const;
  bool is_cube_of(ValueId id, ValueId x) const;
  Terms input(ValueId id) const;
  Terms computed(ValueId id);
  Terms activated(ValueId x, runtime::Activation activation);
  static Terms sum(const Terms& a, const Terms& b);
  static Terms scaled(Terms terms, double factor);

  const schedule::Kernel& kernel_;
  const codegen::ProductForm& form_;
  DType stored_;
  bool wide_;
  int steps_ = 0;
};

SINTER_INLINE bool EpilogueReader::is_number(ValueId id, double value) const {
  return at(id).code == Code::constant && is_floating(at(id).dtype) &&
         at(id).constant == constant(value, at(id).dtype);
}

// x if `id` is op(x, value) or op(value, x).
SINTER_INLINE Optional<schedule::ValueId> EpilogueReader::beside(ValueId id, Op op,
                                                                 double value) const {
  if (!is(id, op)) return std::nullopt;
  if (is_number(operand(id, 1), value)) return operand(id, 0);
  if (is_number(operand(id, 0), value)) return operand(id, 1);
  return std::nullopt;
}

// x if `id` is relu(x), as max(x, 0) or as select(x <= 0, 0, x). Both keep NaN.
SINTER_INLINE Optional<schedule::ValueId> EpilogueReader::below_relu(ValueId id) const {
  if (const auto x = beside(id, Op::maximum, 0)) return x;
  if (!is(id, Op::select)) return std::nullopt;
  const ValueId condition = operand(id, 0), x = operand(id, 2);
  const bool found = is(condition, Op::le) && operand(condition, 0) == x &&
                     is_number(operand(condition, 1), 0) && is_number(operand(id, 1), 0);
  return found ? Optional(x) : std::nullopt;
}

SINTER_INLINE bool EpilogueReader::is_cube_of(ValueId id, ValueId x) const {
  if (!is(id, Op::mul)) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const ValueId square = operand(id, i);
    if (operand(id, 1 - i) != x || !is(square, Op::mul)) continue;
    if (operand(square, 0) == x && operand(square, 1) == x) return true;
  }
  return false;
}

// x if `id` is gelu(x): x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
SINTER_INLINE Optional<schedule::ValueId> EpilogueReader::below_gelu(ValueId id) const {
  constexpr double root = 0.797884560802865356, part = 0.044715;
  if (!is(id, Op::mul)) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto x = beside(operand(id, i), Op::mul, 0.5);
    const auto curve = beside(operand(id, 1 - i), Op::add, 1);
    if (!x || !curve || !is(*curve, Op::tanh)) continue;
    const auto inner = beside(operand(*curve, 0), Op::mul, root);
    if (!inner || !is(*inner, Op::add)) continue;
    for (std::size_t j = 0; j < 2; ++j) {
      const auto cube = beside(operand(*inner, j), Op::mul, part);
      if (cube && operand(*inner, 1 - j) == *x && is_cube_of(*cube, *x)) return x;
    }
  }
  return std::nullopt;
}

// A load: a bias if it does not depend on the row, otherwise an added matrix.
SINTER_INLINE EpilogueReader::Terms EpilogueReader::input(ValueId id) const {
  const DType dtype = kernel_.arguments[static_cast<std::size_t>(at(id).argument)].dtype;
  if (dtype != stored_ || dtype != at(id).dtype) return std::nullopt;
  bool varies = false;
  for (const auto* loops : {&form_.batch, &form_.rows}) {
    for (const schedule::Loop& loop : *loops) {
      varies = varies || depends_on(at(id).index, loop.variable);
    }
  }
  if (varies) return LibraryEpilogue{.added_scale = 1, .added = id};
  return LibraryEpilogue{.bias = id};
}

SINTER_INLINE EpilogueReader::Terms EpilogueReader::sum(const Terms& a, const Terms& b) {
  if (!a || !b) return std::nullopt;
  const bool clash = (a->added >= 0 && b->added >= 0) || (a->bias >= 0 && b->bias >= 0);
  const auto none = runtime::Activation::none;
  if (clash || a->activation != none || b->activation != none) return std::nullopt;
  return LibraryEpilogue{.scale = a->scale + b->scale,
                         .added_scale = a->added_scale + b->added_scale,
                         .added = std::max(a->added, b->added),
                         .bias = std::max(a->bias, b->bias)};
}

SINTER_INLINE EpilogueReader::Terms EpilogueReader::scaled(Terms terms, double factor) {
  const bool can = terms && terms->activation == runtime::Activation::none && terms->bias < 0;
  if (!can) return std::nullopt;
  terms->scale *= factor;
  terms->added_scale *= factor;
  return terms;
}

SINTER_INLINE EpilogueReader::Terms EpilogueReader::activated(ValueId x,
                                                              runtime::Activation activation) {
  Terms result = read(x);
  if (!result || result->activation != runtime::Activation::none) return std::nullopt;
  result->activation = activation;
  return result;
}

SINTER_INLINE EpilogueReader::Terms EpilogueReader::computed(ValueId id) {
  if (const auto x = below_relu(id)) return activated(*x, runtime::Activation::relu);
  if (const auto x = below_gelu(id)) return activated(*x, runtime::Activation::gelu);
  switch (at(id).op) {
    case Op::cast:
      return at(id).constant.bits != 0 ? std::nullopt : read(operand(id, 0));
    case Op::neg:
      return scaled(read(operand(id, 0)), -1);
    case Op::add:
      return sum(read(operand(id, 0)), read(operand(id, 1)));
    case Op::sub:
      return sum(read(operand(id, 0)), scaled(read(operand(id, 1)), -1));
    case Op::mul:
      for (std::size_t i = 0; i < 2; ++i) {
        const schedule::Instruction& number = at(operand(id, i));
        if (number.code != Code::constant) continue;
        return scaled(read(operand(id, 1 - i)), number.constant.floating());
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Shared subexpressions are read once per use, so the number of steps is limited.
SINTER_INLINE EpilogueReader::Terms EpilogueReader::read(ValueId id) {
  constexpr int most_steps = 64;
  if (id == form_.sum) return LibraryEpilogue{.scale = 1};
  const DType dtype = at(id).dtype;
  if (++steps_ > most_steps || !is_floating(dtype) || (dtype == f64) != wide_) return std::nullopt;
  if (at(id).code == Code::load) return input(id);
  return at(id).code == Code::compute ? computed(id) : std::nullopt;
}

SINTER_INLINE schedule::ValueId EpilogueReader::before_rounding(ValueId id) const {
  return is(id, Op::cast) && at(id).dtype == stored_ ? operand(id, 0) : id;
}

}  // namespace detail

SINTER_INLINE Optional<LibraryEpilogue> library_epilogue(const schedule::Kernel& kernel,
                                                         const codegen::ProductForm& form,
                                                         schedule::ValueId store) {
  const schedule::Instruction& last = kernel.instructions[static_cast<std::size_t>(store)];
  const DType stored = kernel.arguments[static_cast<std::size_t>(last.argument)].dtype;
  detail::EpilogueReader reader(kernel, form, stored);
  const auto result = reader.read(reader.before_rounding(last.operands[0]));
  if (!result || result->scale == 0) return std::nullopt;
  if (result->added >= 0 && result->added_scale == 0) return std::nullopt;
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
