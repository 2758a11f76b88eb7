#pragma once
// einsum: sums of products, specified by a string.

#include <initializer_list>  // std::initializer_list
#include <string_view>       // std::string_view
#include <vector>            // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// einsum("bij,bjk->bik", {a, b}): one letter for each axis of each operand; the result has the
/// axes after the arrow and sums the products over all others.
///
/// - a letter twice in one operand: its diagonal along these axes ("ii->i", "ii->" is the trace)
/// - without an arrow: the letters that occur once, in alphabetical order, upper case first
/// - "..." stands for the axes without a letter, broadcast over the operands; without an arrow
/// they come first; if the result does not have it, they are summed over
/// - axes of extent 1 are repeated; spaces are ignored
///
/// More than two operands are multiplied pairwise: the pair with the smallest product first, or
/// from left to right if sizes are symbolic.
///
/// DTypes   numbers; promoted as in torch
/// Throws   ValueError, with the position in the string, if it is not an equation or does not fit
///          the number of operands; ShapeError if it does not fit their axes; DTypeError for
///          booleans
/// Gradient for each operand, the einsum of g and the other operands
/// Source   https://pytorch.org/docs/stable/generated/torch.einsum.html
Tensor einsum(std::string_view equation, std::initializer_list<Operand> operands);
Tensor einsum(std::string_view equation, const std::vector<Tensor>& operands,
              Where where = Where::current());

namespace detail {

/// The letters of one operand, or of the result.
struct Subscripts {
  Vector<int> labels{};               ///< A letter, or `ellipsis_label`.
  Vector<std::size_t> places{};       ///< The position of each in the equation.
  std::size_t place = 0;              ///< The position where they begin.
};
inline constexpr int ellipsis_label = '.';

/// A parsed einsum equation.
struct Equation {
  std::string_view text{};
  Vector<Subscripts> inputs{};
  Subscripts output{};
  bool has_output = false;
};

/// Throws ValueError if `text` is not an equation.
Equation parse_equation(std::string_view text, Where where);
Tensor einsum(std::string_view equation, Span<const Operand> operands, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/product/einsum.ipp>
#endif
