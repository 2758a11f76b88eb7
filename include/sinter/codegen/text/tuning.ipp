#pragma once

#include <array>     // std::array
#include <charconv>  // std::from_chars

#include <sinter/base/text.hpp>
#include <sinter/codegen/text/tuning.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

struct Choice {
  std::string_view name;
  int Tuning::*value;
};

inline constexpr std::array<Choice, 13> choices{
    {{"vector_bits", &Tuning::vector_bits},
     {"unroll", &Tuning::unroll},
     {"non_temporal_kilobytes", &Tuning::non_temporal_kilobytes},
     {"transpose_tile", &Tuning::transpose_tile},
     {"tile_rows", &Tuning::tile_rows},
     {"tile_vectors", &Tuning::tile_vectors},
     {"panel_kilobytes", &Tuning::panel_kilobytes},
     {"few_rows", &Tuning::few_rows},
     {"row_tile", &Tuning::row_tile},
     {"tile_columns", &Tuning::tile_columns},
     {"row_threads", &Tuning::row_threads},
     {"generated", &Tuning::generated},
     {"library_algorithm", &Tuning::library_algorithm}}};

// Parses "tile_rows 8"; false if it is malformed.
SINTER_INLINE bool read_choice(std::string_view words, Tuning& tuning) {
  const std::size_t space = words.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view number = words.substr(space + 1);
  for (const Choice& choice : choices) {
    if (choice.name != words.substr(0, space)) continue;
    int& value = tuning.*choice.value;
    const auto end = std::from_chars(number.data(), number.data() + number.size(), value);
    return end.ec == std::errc() && end.ptr == number.data() + number.size() && value > 0;
  }
  return false;
}

}  // namespace detail

SINTER_INLINE std::string to_string(const Tuning& tuning) {
  std::string result;
  for (const detail::Choice& choice : detail::choices) {
    const int value = tuning.*choice.value;
    if (value != 0) result += text(result.empty() ? "" : ", ", choice.name, " ", value);
  }
  return result.empty() ? "default" : result;
}

SINTER_INLINE Optional<Tuning> parse_tuning(std::string_view text) {
  Tuning result;
  if (text == "default") return result;
  for (bool more = true; more;) {
    const std::size_t end = text.find(", ");
    more = end != std::string_view::npos;
    if (!detail::read_choice(text.substr(0, end), result)) return std::nullopt;
    if (more) text.remove_prefix(end + 2);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
