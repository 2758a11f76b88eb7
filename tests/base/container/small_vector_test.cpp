#include <doctest/doctest.h>
#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/small_vector.hpp>

#include <random>
#include <utility>
#include <vector>

using namespace sinter;
using namespace sinter::detail;

using Small = SmallVector<int, 3>;

namespace {

std::vector<int> copy(const Small& v) { return {v.begin(), v.end()}; }

bool in_place(const Small& v) {
  const auto* data = reinterpret_cast<const char*>(v.data());
  const auto* object = reinterpret_cast<const char*>(&v);
  return data >= object && data < object + sizeof(v);
}

// One step that both do.
void step(Small& small, std::vector<int>& large, unsigned choice, int value) {
  const auto size = static_cast<std::size_t>(value) % 9;
  const std::size_t at = large.empty() ? 0 : choice / 8 % large.size();
  const auto place = large.begin() + static_cast<std::ptrdiff_t>(at);
  const int few[] = {value, 1, 2};
  switch (choice % 8) {
    case 0:
      small.clear(), large.clear();
      break;
    case 1:
      small.resize(size), large.resize(size);
      break;
    case 2:
      if (!large.empty()) small.push_back(small[0]), large.push_back(int(large[0]));
      break;
    case 3:
      large.insert(place, value);
      insert_at(small, small.begin() + at, value);
      break;
    case 4:
      if (large.empty()) break;
      large.erase(place);
      erase_at(small, small.begin() + at);
      break;
    case 5:
      small.append(few, few + size % 4), large.insert(large.end(), few, few + size % 4);
      break;
    default:
      small.push_back(value), large.push_back(value);
  }
}

}  // namespace

TEST_CASE("small vector: a few elements need no memory of their own") {
  Small v{1, 2, 3};
  CHECK(in_place(v));
  v.push_back(4);
  CHECK_FALSE(in_place(v));
  CHECK(copy(v) == std::vector{1, 2, 3, 4});
  CHECK(v.back() == 4);
}

TEST_CASE("small vector: copies are values, in place and on the heap") {
  for (const Small& original : {Small{1}, Small{1, 2, 3, 4, 5}}) {
    Small other = original;
    CHECK(other == original);
    other[0] = 7;
    CHECK(original[0] == 1);
    other = original;
    CHECK(other == original);
  }
}

TEST_CASE("small vector: what was moved from is empty and can be used again") {
  for (const Small& original : {Small{1, 2}, Small{1, 2, 3, 4, 5}}) {
    Small source = original;
    Small target{9, 9, 9, 9, 9, 9};
    target = std::move(source);
    CHECK(target == original);
    CHECK(source.empty());
    for (int i = 0; i < 5; ++i) source.push_back(i);
    CHECK(copy(source) == std::vector{0, 1, 2, 3, 4});
    CHECK(target == original);
  }
}

TEST_CASE("small vector: an element of it may be appended to it while it grows") {
  Small v{5, 6, 7};
  v.push_back(v[0]);
  CHECK(copy(v) == std::vector{5, 6, 7, 5});
}

TEST_CASE("small vector: a position is of any integer type") {
  SmallVector<int, 2> values{1, 2, 3};
  values[std::int32_t{2}] += values[std::uint32_t{1}];
  CHECK(std::as_const(values)[std::int64_t{2}] == 5);
}

TEST_CASE("small vector: is assigned from a range, and compared by its elements") {
  const std::vector<int> numbers{1, 2, 3, 4};
  const Small v(numbers.data(), numbers.data() + numbers.size());
  CHECK(copy(v) == numbers);
  CHECK(v == Small{1, 2, 3, 4});
  CHECK_FALSE(v == Small{1, 2, 3});
}

TEST_CASE("small vector: behaves as std::vector under random steps") {
  std::mt19937 random(11);
  Small small;
  std::vector<int> large;
  for (int i = 0; i < 5000; ++i) {
    step(small, large, static_cast<unsigned>(random()), i);
    REQUIRE(copy(small) == large);
  }
}
