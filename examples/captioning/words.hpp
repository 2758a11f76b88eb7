#pragma once
// Captions as text and as tokens: each digit is a word of three pieces, "over" joins rows.

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace captioning {

using Tokens = std::vector<std::int64_t>;
/// The digits of a picture, row by row.
using Rows = std::vector<std::vector<std::int64_t>>;

inline constexpr std::int64_t padding = 0, start = 1, end = 2;
inline constexpr std::size_t pieces_per_digit = 3;
inline constexpr std::int64_t shortest = 5, longest = 40;  // of 1 digit; of 12 in 3 rows

/// The vocabulary. A piece that starts a word begins with a space.
inline constexpr std::array<std::string_view, 28> pieces{
    "<pad>", "<s>", "</s>", " over", " z", "er", "o", " o", "n",  "e",   " t", "w", " th", "re",
    " f",    "ou",  "r",    "iv",    " s", "i",  "x", "ev", "en", " ei", "gh", "t", " n",  "in"};

/// The pieces of each digit: " z" "er" "o", " o" "n" "e", ...
inline constexpr std::array<std::array<std::int64_t, pieces_per_digit>, 10> digit_pieces{{
    {4, 5, 6},
    {7, 8, 9},
    {10, 11, 6},
    {12, 13, 9},
    {14, 15, 16},
    {14, 17, 9},
    {18, 19, 20},
    {18, 21, 22},
    {23, 24, 25},
    {26, 27, 9},
}};
inline constexpr std::int64_t over = 3;

/// <s>, the pieces, </s>: 2 + 3 * digits + rows - 1 tokens.
inline Tokens tokens_of(const Rows& rows) {
  Tokens result{start};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (row != 0) result.push_back(over);
    for (const std::int64_t digit : rows[row]) {
      const auto& word = digit_pieces[static_cast<std::size_t>(digit)];
      result.insert(result.end(), word.begin(), word.end());
    }
  }
  result.push_back(end);
  return result;
}

/// "three over seven one"; what stands behind </s> does not count.
inline std::string text_of(const Tokens& tokens) {
  std::string result;
  for (const std::int64_t token : tokens) {
    if (token == end) break;
    if (token == start || token == padding) continue;
    if (token < 0 || token >= static_cast<std::int64_t>(pieces.size())) {
      throw std::runtime_error("no token: " + std::to_string(token));
    }
    result += pieces[static_cast<std::size_t>(token)];
  }
  return result.empty() ? result : result.substr(result[0] == ' ' ? 1 : 0);
}

}  // namespace captioning
