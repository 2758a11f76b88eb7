#pragma once
// The table of primitive operations. An operation has one name, used by the public function,
// the printed graph, the generated kernel, the test and the page of documentation.

#include <array>        // std::array
#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/dtype.hpp>

namespace sinter::inline SINTER_ABI::detail {

// clang-format off
enum class Op : std::uint8_t {
  input, constant, iota, random_bits,
  cast, neg, abs, sign, exp, expm1, log, log1p, sin, cos, tan, tanh, atan, erf, sqrt, floor,
  bitwise_not,
  add, sub, mul, div, floor_divide, remainder, pow, minimum, maximum,
  bitwise_and, bitwise_or, bitwise_xor, shift_left, shift_right,
  eq, ne, lt, le, gt, ge, select, custom_elementwise,
  sum, prod, max, min, argmax,
  cumsum, cumprod, argsort,
  reshape, permute, expand, pad, slice, unfold, flip,
  gather, scatter_add, concatenate, dot_general,
  call, cond, while_loop, scan, custom
};
// clang-format on

/// What shape of loop an operation is.
enum class OpKind : std::uint8_t {
  leaf,
  elementwise,
  reduction,
  row,
  movement,
  indexed,
  contraction,
  control
};

/// The dtypes that an operation takes.
enum class Takes : std::uint8_t { any, numbers, floating, integral };

/// The dtype of its result: that of the last input, boolean, i64, or named by the node.
enum class Gives : std::uint8_t { same, boolean, index, named };

/// How much work one element is.
enum class Work : std::uint8_t {
  light,     ///< One instruction, or a few.
  division,  ///< One slow instruction.
  random,    ///< The rounds of a generator: dozens of integer instructions.
  function,  ///< Dozens of instructions, a range reduction and a polynomial: called, not inlined,
             ///< where a kernel has many copies.
  call       ///< The same, of which a kernel always calls one copy.
};

struct OpInfo {
  std::string_view name;
  int arity;  ///< -1 if the number of inputs varies.
  OpKind kind;
  Takes takes;
  Gives gives;
  Work work = Work::light;
};

// clang-format off
/// What all stages ask of an operation. A stage that has a rule for each operation has a table of
/// its own, in this order.
///
/// input         index                  the value of argument `index`
/// constant      value                  the number, repeated
/// iota          axis                   the position along `axis`
/// random_bits   number; seed, offset   i32 whose 32 bits are Philox4x32-10 of (seed, offset +
///                                      number, position), as base/philox.hpp says; both inputs
///                                      are i64[]
/// select        boolean, x, y          x where the condition holds, else y
/// custom_elementwise code, operands     what a custom node with an elementwise text is lowered to
/// sum ... min   axes                   over `axes`, ascending, which are dropped
/// argmax        axes                   the first position, row-major over `axes`, of the largest;
///                                      NaN is the largest
/// cumsum ...    axis                   over the elements up to each position, along `axis`
/// argsort       axis, descending       the positions along `axis` of the sorted elements, i64;
///                                      equal ones stay in order; NaN is the largest
/// reshape       the type of its result
/// permute       axes                   result axis i is input axis axes[i]
/// expand        the type of its result; same rank; axes of extent 1 are repeated
/// pad           low, high, value       `value` around the input
/// slice         start, step            result[i] = input[start + i * step]; step >= 1
/// unfold        axis, size, step, dilation
///                                      windows along `axis`, with a new last axis of extent
///                                      `size`: result[.., i, .., k] = input[.., i * step + k *
///                                      dilation, ..]; as many as fit
/// flip          axes                   reversed along them
/// gather        axis; x, indices       x with `axis` replaced by the axes of indices (i64),
///                                      which count from the end if they are negative
/// scatter_add   axis; x, indices, y    x with y added at `indices` (the adjoint of gather)
/// concatenate   axis; x...             behind each other along `axis`
/// dot_general   lhs_batch, rhs_batch, lhs_contract, rhs_contract
///                                      result axes: batch, free axes of lhs, free axes of rhs
///
/// Control flow has graphs as bodies, whose inputs are given by position, and as many results as
/// they have. A body sees the symbols of the graph around it, and of its values what it is given:
///
/// call          x...                   body 0 of x...; body 1, if there is one, gives gradients of
///                                      the floating x..., from x..., results... and gradients of
///                                      results... If it has the attributes callee and sizes, it
///                                      calls that graph and has no bodies.
/// cond          predicate, x...        body 0 of x... if the boolean[] predicate holds, else
///                                      body 1
/// while_loop    states; s..., x...     while body 0 of s..., x... gives true: s... = body 1 of
///                                      s..., x...; the first `states` inputs are s...
/// scan          carries, xs, reverse; c..., x..., y...
///                                      for each i along axis 0 of x..., backwards if reverse is 1:
///                                      c..., z_i... = body of c..., x[i]..., y...; gives the last
///                                      c... and, along a new axis 0, z...
/// custom        code, operands; x...     the kernel of a user: see graph/control.hpp
// clang-format on
inline constexpr std::array op_table{
    OpInfo{"input", 0, OpKind::leaf, Takes::any, Gives::named},
    OpInfo{"constant", 0, OpKind::leaf, Takes::any, Gives::named},
    OpInfo{"iota", 0, OpKind::leaf, Takes::any, Gives::named},
    OpInfo{"random_bits", 2, OpKind::leaf, Takes::any, Gives::named, Work::random},
    OpInfo{"cast", 1, OpKind::elementwise, Takes::any, Gives::named},
    OpInfo{"neg", 1, OpKind::elementwise, Takes::numbers, Gives::same},
    OpInfo{"abs", 1, OpKind::elementwise, Takes::numbers, Gives::same},
    OpInfo{"sign", 1, OpKind::elementwise, Takes::numbers, Gives::same},
    OpInfo{"exp", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::function},
    OpInfo{"expm1", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::function},
    OpInfo{"log", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::function},
    OpInfo{"log1p", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::function},
    OpInfo{"sin", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::function},
    OpInfo{"cos", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::function},
    OpInfo{"tan", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::function},
    OpInfo{"tanh", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::function},
    OpInfo{"atan", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::function},
    OpInfo{"erf", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::function},
    OpInfo{"sqrt", 1, OpKind::elementwise, Takes::floating, Gives::same, Work::division},
    OpInfo{"floor", 1, OpKind::elementwise, Takes::floating, Gives::same},
    OpInfo{"bitwise_not", 1, OpKind::elementwise, Takes::integral, Gives::same},
    OpInfo{"add", 2, OpKind::elementwise, Takes::any, Gives::same},
    OpInfo{"sub", 2, OpKind::elementwise, Takes::numbers, Gives::same},
    OpInfo{"mul", 2, OpKind::elementwise, Takes::any, Gives::same},
    OpInfo{"div", 2, OpKind::elementwise, Takes::floating, Gives::same, Work::division},
    OpInfo{"floor_divide", 2, OpKind::elementwise, Takes::numbers, Gives::same, Work::division},
    OpInfo{"remainder", 2, OpKind::elementwise, Takes::numbers, Gives::same, Work::division},
    OpInfo{"pow", 2, OpKind::elementwise, Takes::floating, Gives::same, Work::call},
    OpInfo{"minimum", 2, OpKind::elementwise, Takes::any, Gives::same},
    OpInfo{"maximum", 2, OpKind::elementwise, Takes::any, Gives::same},
    OpInfo{"bitwise_and", 2, OpKind::elementwise, Takes::integral, Gives::same},
    OpInfo{"bitwise_or", 2, OpKind::elementwise, Takes::integral, Gives::same},
    OpInfo{"bitwise_xor", 2, OpKind::elementwise, Takes::integral, Gives::same},
    OpInfo{"shift_left", 2, OpKind::elementwise, Takes::integral, Gives::same},
    OpInfo{"shift_right", 2, OpKind::elementwise, Takes::integral, Gives::same},
    OpInfo{"eq", 2, OpKind::elementwise, Takes::any, Gives::boolean},
    OpInfo{"ne", 2, OpKind::elementwise, Takes::any, Gives::boolean},
    OpInfo{"lt", 2, OpKind::elementwise, Takes::any, Gives::boolean},
    OpInfo{"le", 2, OpKind::elementwise, Takes::any, Gives::boolean},
    OpInfo{"gt", 2, OpKind::elementwise, Takes::any, Gives::boolean},
    OpInfo{"ge", 2, OpKind::elementwise, Takes::any, Gives::boolean},
    OpInfo{"select", 3, OpKind::elementwise, Takes::any, Gives::same},
    OpInfo{"custom_elementwise", -1, OpKind::elementwise, Takes::any, Gives::same, Work::function},
    OpInfo{"sum", 1, OpKind::reduction, Takes::numbers, Gives::same},
    OpInfo{"prod", 1, OpKind::reduction, Takes::numbers, Gives::same},
    OpInfo{"max", 1, OpKind::reduction, Takes::any, Gives::same},
    OpInfo{"min", 1, OpKind::reduction, Takes::any, Gives::same},
    OpInfo{"argmax", 1, OpKind::reduction, Takes::any, Gives::index},
    OpInfo{"cumsum", 1, OpKind::row, Takes::numbers, Gives::same},
    OpInfo{"cumprod", 1, OpKind::row, Takes::numbers, Gives::same},
    OpInfo{"argsort", 1, OpKind::row, Takes::any, Gives::index},
    OpInfo{"reshape", 1, OpKind::movement, Takes::any, Gives::same},
    OpInfo{"permute", 1, OpKind::movement, Takes::any, Gives::same},
    OpInfo{"expand", 1, OpKind::movement, Takes::any, Gives::same},
    OpInfo{"pad", 1, OpKind::movement, Takes::any, Gives::same},
    OpInfo{"slice", 1, OpKind::movement, Takes::any, Gives::same},
    OpInfo{"unfold", 1, OpKind::movement, Takes::any, Gives::same},
    OpInfo{"flip", 1, OpKind::movement, Takes::any, Gives::same},
    OpInfo{"gather", 2, OpKind::indexed, Takes::any, Gives::same},
    OpInfo{"scatter_add", 3, OpKind::indexed, Takes::numbers, Gives::same},
    OpInfo{"concatenate", -1, OpKind::indexed, Takes::any, Gives::same},
    OpInfo{"dot_general", 2, OpKind::contraction, Takes::numbers, Gives::same},
    OpInfo{"call", -1, OpKind::control, Takes::any, Gives::named},
    OpInfo{"cond", -1, OpKind::control, Takes::any, Gives::named},
    OpInfo{"while_loop", -1, OpKind::control, Takes::any, Gives::named},
    OpInfo{"scan", -1, OpKind::control, Takes::any, Gives::named},
    OpInfo{"custom", -1, OpKind::control, Takes::any, Gives::named},
};

inline constexpr std::size_t op_count = op_table.size();
static_assert(static_cast<std::size_t>(Op::custom) + 1 == op_count, "a row for each Op");

constexpr const OpInfo& info(Op op) { return op_table[static_cast<std::size_t>(op)]; }
constexpr bool is_elementwise(Op op) { return info(op).kind == OpKind::elementwise; }
constexpr bool is_reduction(Op op) { return info(op).kind == OpKind::reduction; }
constexpr bool is_movement(Op op) { return info(op).kind == OpKind::movement; }
constexpr bool is_control(Op op) { return info(op).kind == OpKind::control; }
/// Whether `op` is a transcendental function.
constexpr bool is_function(Op op) {
  return info(op).work == Work::function || info(op).work == Work::call;
}

constexpr bool takes(Takes takes, DType dtype) {
  switch (takes) {
    case Takes::any:
      return true;
    case Takes::numbers:
      return dtype != boolean;
    case Takes::floating:
      return is_floating(dtype);
    case Takes::integral:
      break;
  }
  return !is_floating(dtype);
}

inline std::string to_string(Op op) { return std::string(info(op).name); }

}  // namespace sinter::inline SINTER_ABI::detail
