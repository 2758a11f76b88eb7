// The pictures and captions of examples/captioning.

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "../../examples/captioning/pictures.hpp"

using namespace captioning;

namespace {

const digits::Data& source() {
  static const digits::Data data = digits::read_data(SINTER_SOURCE_DIR "/examples/data/digits.csv");
  return data;
}

// The brightest pixel of a cell.
int brightest(const Pixels& pixels, int row, int column) {
  int result = 0;
  for (int y = 0; y < cell_height; ++y) {
    for (int x = 0; x < cell_width; ++x) {
      const int at = (row * cell_height + y) * side + column * cell_width + x;
      result = std::max<int>(result, pixels[static_cast<std::size_t>(at)]);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("captions: text and tokens, 5 to 40 of them") {
  const Tokens tokens = tokens_of({{3}, {7, 1}});
  CHECK(text_of(tokens) == "three over seven one");
  CHECK(tokens.front() == start);
  CHECK(tokens.back() == end);
  CHECK(text_of(tokens_of({{0, 1, 2, 3}, {4, 5, 6}, {7, 8, 9}})) ==
        "zero one two three over four five six over seven eight nine");
  CHECK(tokens_of({{6}}).size() == shortest);
  CHECK(tokens_of({{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}).size() == longest);
  CHECK(text_of({start, end, over}).empty());
  CHECK_THROWS(text_of({99}));
}

TEST_CASE("pictures: a function of the seed and the number") {
  const Pictures pictures{.source = &source().train, .seed = 3, .count = 10, .augments = true};
  const Pictures later{.source = &source().train, .seed = 3, .first = 4, .augments = true};
  const Pictures other{.source = &source().train, .seed = 4, .augments = true};
  CHECK(pictures.picture(7).pixels == later.picture(3).pixels);
  CHECK(pictures.picture(7).rows == later.picture(3).rows);
  CHECK(pictures.picture(7).pixels != pictures.picture(6).pixels);
  CHECK(pictures.picture(7).pixels != other.picture(7).pixels);
}

TEST_CASE("pictures: each digit is in its cell, and 1 to 12 digits are equally frequent") {
  const Pictures pictures{.source = &source().test, .seed = 5};
  std::vector<int> counts(most_digits + 1);
  for (std::size_t i = 0; i < 1200; ++i) {
    const Picture picture = pictures.picture(i);
    std::size_t count = 0;
    for (std::size_t row = 0; row < most_rows; ++row) {
      const std::size_t length = row < picture.rows.size() ? picture.rows[row].size() : 0;
      count += length;
      for (std::size_t column = 0; column < columns; ++column) {
        const int seen = brightest(picture.pixels, static_cast<int>(row), static_cast<int>(column));
        if (column < length) CHECK(seen > 150);
        if (column >= length) CHECK(seen < 150);  // its neighbours may reach over
      }
    }
    REQUIRE((count >= 1 && count <= most_digits));
    ++counts[count];
  }
  for (int count = 1; count <= most_digits; ++count) {
    CHECK(counts[static_cast<std::size_t>(count)] > 60);  // 100 of 1,200 are expected
  }
}

TEST_CASE("pictures: a batch has captions of similar lengths, batches of all lengths") {
  const Pictures pictures{.source = &source().train, .seed = 6, .group = 16};
  std::set<std::size_t> lengths;
  for (std::size_t batch = 0; batch < 300; ++batch) {
    std::size_t shortest_seen = longest, longest_seen = 0;
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t length = tokens_of(pictures.picture(batch * 16 + i).rows).size();
      shortest_seen = std::min(shortest_seen, length);
      longest_seen = std::max(longest_seen, length);
    }
    CHECK(longest_seen - shortest_seen <= 3 * pieces_per_digit + most_rows - 1);
    lengths.insert(longest_seen);
  }
  CHECK(*lengths.begin() <= 6);
  CHECK(*lengths.rbegin() == longest);
}

TEST_CASE("pictures: digits of the test are none of the training") {
  const auto rows_of = [](const digits::Images& images) {
    std::set<std::vector<float>> result;
    for (std::size_t i = 0; i < images.size(); ++i) {
      const float* const first = &images.pixels[i * digits::pixels_per_image];
      result.insert(std::vector<float>(first, first + digits::pixels_per_image));
    }
    return result;
  };
  const auto train = rows_of(source().train);
  for (const auto& row : rows_of(source().test)) CHECK(train.count(row) == 0);
}
