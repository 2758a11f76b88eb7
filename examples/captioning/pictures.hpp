#pragma once
// Pictures of 96 x 96 pixels with 1 to 12 handwritten digits in rows, and the captions that read
// them. Everything about a picture is a function of a seed and its number.

#include <sinter/sinter.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "../digits/data.hpp"
#include "words.hpp"

namespace captioning {

inline constexpr int side = 96, columns = 4, most_rows = 3;
inline constexpr int most_digits = columns * most_rows;
inline constexpr int cell_width = side / columns, cell_height = side / most_rows;

/// Random numbers that are the same with every standard library.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t number) : bits_(seed * 0x9e3779b97f4a7c15u + number) {
    bits_.discard(2);
  }

  /// From 0 to count - 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(bits_() % count); }
  int between(int first, int last) {
    return first + static_cast<int>(below(static_cast<std::size_t>(last - first + 1)));
  }
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53;
  }

 private:
  std::mt19937_64 bits_;
};

/// How a digit is drawn.
struct Place {
  double x = 0, y = 0;           ///< Of its center.
  double width = 0, height = 0;  ///< Pixels.
  double turn = 0;               ///< Radians.
  double slant = 0;
  double ink = 1;
};

using Pixels = std::vector<std::uint8_t>;  ///< Row by row, 96 x 96.

using Digit = std::array<float, digits::pixels_per_image>;

/// A digit of the source. `augments`: half of them blended with another image of the same digit,
/// and strokes thinner or thicker.
inline Digit digit_of(const digits::Images& source, std::size_t which, bool augments,
                      Draws& draws) {
  const auto pixels_of = [&](std::size_t image) {
    return &source.pixels[image * digits::pixels_per_image];
  };
  Digit result;
  std::copy_n(pixels_of(which), result.size(), result.begin());
  if (!augments) return result;
  std::size_t other = which;
  if (draws.below(2) == 0) {
    do other = draws.below(source.size());
    while (source.digits[other] != source.digits[which]);
  }
  const auto share = static_cast<float>(draws.between(0.0, 0.5));
  const auto power = static_cast<float>(std::exp2(draws.between(-0.6, 0.6)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = std::pow(result[i] + share * (pixels_of(other)[i] - result[i]), power);
  }
  return result;
}

/// The brightness of the 8 x 8 digit between its pixels, from 0 to 1; 0 outside.
inline double brightness(const Digit& digit, double x, double y) {
  if (!(x > -1 && x < 8 && y > -1 && y < 8)) return 0;
  const double left = std::floor(x), top = std::floor(y);
  const auto at = [&](double column, double row) {
    const bool inside = column >= 0 && column < 8 && row >= 0 && row < 8;
    return inside ? static_cast<double>(digit[static_cast<std::size_t>(row * 8 + column)]) : 0.0;
  };
  const double right = x - left, below = y - top;
  return (1 - below) * ((1 - right) * at(left, top) + right * at(left + 1, top)) +
         below * ((1 - right) * at(left, top + 1) + right * at(left + 1, top + 1));
}

/// Draws an 8 x 8 digit into the pixels; where two overlap, the brighter one is seen.
inline void draw(const Digit& digit, const Place& place, Pixels& pixels) {
  const double reach = 0.75 * std::max(place.width, place.height);
  const double cosine = std::cos(place.turn), sine = std::sin(place.turn);
  const auto first = [&](double center) { return std::max(0, static_cast<int>(center - reach)); };
  const auto last = [&](double center) { return std::min(side, static_cast<int>(center + reach)); };
  for (int row = first(place.y); row < last(place.y); ++row) {
    for (int column = first(place.x); column < last(place.x); ++column) {
      const double dx = column + 0.5 - place.x, dy = row + 0.5 - place.y;
      const double v = -sine * dx + cosine * dy, u = cosine * dx + sine * dy + place.slant * v;
      const double value =
          brightness(digit, u / place.width * 8 + 3.5, v / place.height * 8 + 3.5) * place.ink;
      std::uint8_t& pixel = pixels[static_cast<std::size_t>(row * side + column)];
      pixel = std::max(pixel, static_cast<std::uint8_t>(std::min(1.0, value) * 255));
    }
  }
}

/// How many digits are in each row, of 1 to 4.
inline std::vector<int> row_lengths(int digits, Draws& draws) {
  const int fewest = (digits + columns - 1) / columns;
  std::vector<int> result(
      static_cast<std::size_t>(draws.between(fewest, std::min(most_rows, digits))), 1);
  for (int left = digits - static_cast<int>(result.size()); left > 0;) {
    int& length = result[draws.below(result.size())];
    if (length == columns) continue;
    ++length;
    --left;
  }
  return result;
}

/// Somewhere about the middle of its cell. `augments`: turned, slanted and paler as well.
inline Place place_of(int row, int column, bool augments, Draws& draws) {
  Place result;
  result.height = draws.between(17.0, 23.0);
  result.width = result.height * draws.between(0.85, 1.0);
  const double free = (cell_width - result.width) / 2;
  result.x = cell_width * (column + 0.5) + draws.between(-free, free);
  result.y = cell_height * (row + 0.5) + draws.between(-4.0, 4.0);
  if (!augments) return result;
  result.turn = draws.between(-0.2, 0.2);
  result.slant = draws.between(-0.25, 0.25);
  result.ink = draws.between(0.8, 1.2);
  return result;
}

struct Picture {
  Pixels pixels = Pixels(side * side);
  Rows rows{};
};

inline Picture make_picture(const digits::Images& source, int count, bool augments, Draws& draws) {
  Picture result;
  const std::vector<int> lengths = row_lengths(count, draws);
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    result.rows.emplace_back();
    for (int column = 0; column < lengths[row]; ++column) {
      const std::size_t which = draws.below(source.size());
      const Place place = place_of(static_cast<int>(row), column, augments, draws);
      draw(digit_of(source, which, augments, draws), place, result.pixels);
      result.rows.back().push_back(source.digits[which]);
    }
  }
  return result;
}

/// The fewest and the most digits in a picture.
struct Counts {
  int fewest = 1, most = most_digits;
};

/// A dataset for data::Loader: an example is an image, u8[1, 96, 96], and its tokens, i64[length].
/// The pictures of a group, a batch, have similar numbers of digits, so that captions of a batch
/// are of similar length, and batches are of different lengths.
struct Pictures {
  const digits::Images* source = nullptr;
  std::uint64_t seed = 0, first = 0;  ///< `first`: the number of the first picture.
  std::size_t count = 0;
  Counts counts{};
  std::size_t group = 1;  ///< With 1, all numbers of digits are equally frequent.
  bool augments = false;

  std::size_t size() const { return count; }

  Picture picture(std::size_t index) const {
    const std::uint64_t number = first + index;
    Draws of_group(seed + 1, number / group), draws(seed, number);
    const int most = of_group.between(counts.fewest, counts.most);
    const int fewest = group == 1 ? most : std::max(counts.fewest, most - 3);
    return make_picture(*source, draws.between(fewest, most), augments, draws);
  }

  std::pair<sinter::Tensor, sinter::Tensor> operator[](std::size_t index) const {
    const Picture made = picture(index);
    const Tokens tokens = tokens_of(made.rows);
    return {sinter::from_vector(made.pixels, {1, side, side}),
            sinter::from_vector(tokens, {static_cast<std::int64_t>(tokens.size())})};
  }
};

}  // namespace captioning
