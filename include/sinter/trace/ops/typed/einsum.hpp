#pragma once
// einsum of typed tensors: einsum<"bij,bjk->bik">(a, b), whose equation the compiler reads.

#include <array>     // std::array
#include <cstddef>   // std::size_t
#include <optional>  // std::optional
#include <string_view>
#include <tuple>  // std::tie

#include <sinter/config.hpp>
#include <sinter/trace/ops/product/einsum.hpp>
#include <sinter/trace/ops/typed/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// A string that is a template argument. Spaces are left out.
template <std::size_t length>
struct EquationText {
  consteval EquationText(const char (&from)[length]) {
    for (const char letter : from) {
      if (letter != ' ') text[size++] = letter;
    }
    --size;  // the end of the string
  }
  char text[length]{};
  std::size_t size = 0;
};

constexpr bool is_axis_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The end of the operands: the arrow, or the end of the equation.
constexpr std::size_t end_of_operands(const auto& equation) {
  std::size_t at = 0;
  while (at < equation.size && equation.text[at] != '-') ++at;
  return at;
}

// The dimension of each letter, by its code.
struct LetterDims {
  Dims<128> of{};
  std::array<int, 128> times{};
  bool ranks_fit = true, extents_fit = true;

  template <std::size_t rank>
  constexpr void read(const auto& equation, std::size_t& at, const Dims<rank>& dims) {
    const std::size_t end = end_of_operands(equation);
    std::size_t axis = 0;
    for (; at < end && equation.text[at] != ','; ++at, ++axis) {
      if (axis < rank) meet(static_cast<std::size_t>(equation.text[at]), dims[axis]);
    }
    ranks_fit = ranks_fit && axis == rank;
    ++at;
  }
  constexpr void meet(std::size_t letter, const Dim& dim) {
    const auto met = times[letter] == 0 ? std::optional<Dim>(dim) : broadcast(of[letter], dim);
    ++times[letter];
    extents_fit = extents_fit && met.has_value();
    if (met) of[letter] = *met;
  }
};

template <auto equation, Expression... Operands>
constexpr LetterDims letter_dims() {
  LetterDims result;
  std::size_t at = 0;
  (result.read(equation, at, Operands::dims), ...);
  result.ranks_fit = result.ranks_fit && at == end_of_operands(equation) + 1;
  return result;
}

// The letters of the result: behind the arrow, or those that occur once, in alphabetical order.
struct ResultLetters {
  std::array<std::size_t, 128> letters{};
  std::size_t count = 0;
};
template <auto equation, Expression... Operands>
constexpr ResultLetters result_letters() {
  ResultLetters result;
  const std::size_t arrow = end_of_operands(equation);
  if (arrow != equation.size) {
    for (std::size_t at = arrow + 2; at < equation.size; ++at) {
      result.letters[result.count++] = static_cast<std::size_t>(equation.text[at]);
    }
    return result;
  }
  constexpr LetterDims known = letter_dims<equation, Operands...>();
  for (std::size_t letter = 0; letter < 128; ++letter) {
    if (known.times[letter] == 1) result.letters[result.count++] = letter;
  }
  return result;
}

constexpr bool is_equation(const auto& equation) {
  const std::size_t arrow = end_of_operands(equation);
  for (std::size_t at = 0; at < equation.size; ++at) {
    const char c = equation.text[at];
    const bool is_arrow = (at == arrow && c == '-') || (at == arrow + 1 && c == '>');
    if (!is_axis_letter(c) && !is_arrow && !(c == ',' && at < arrow)) return false;
  }
  return true;
}

template <auto equation, Expression... Operands>
constexpr auto einsum_dims() {
  constexpr LetterDims known = letter_dims<equation, Operands...>();
  constexpr ResultLetters letters = result_letters<equation, Operands...>();
  Dims<letters.count> result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = known.of[letters.letters[i]];
  }
  return result;
}

}  // namespace detail

/// einsum<"bij,bjk->bik">(a, b): letters only; with an ellipsis, the equation is an argument.
template <detail::EquationText equation, detail::Expression... Operands>
auto einsum(const Operands&... operands) {
  constexpr bool readable = detail::is_equation(equation);
  static_assert(readable, "sinter::einsum<equation>(x, ...) requires letters, commas and one ->");
  if constexpr (readable) {
    constexpr detail::LetterDims known = detail::letter_dims<equation, Operands...>();
    static_assert(
        known.ranks_fit,
        "sinter::einsum<equation>(x, ...) requires a letter for each axis of each operand");
    static_assert(!known.ranks_fit || known.extents_fit,
                  "sinter::einsum<equation>(x, ...) requires one extent for each letter");
    if constexpr (known.ranks_fit && known.extents_fit) {
      constexpr DType dtype = detail::computed_by(detail::Takes::numbers, Operands::type...);
      const std::string_view text(equation.text, equation.size);
      const Where at = std::get<0>(std::tie(operands...)).where();
      return detail::recorded_at_once<dtype, detail::einsum_dims<equation, Operands...>()>(
          einsum(text, {Operand(operands, at)...}), at);
    }
  }
}

}  // namespace sinter::inline SINTER_ABI
