#include <doctest/doctest.h>
#include <sinter/base/container/vector.hpp>

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using sinter::detail::erase_if;
using sinter::detail::Vector;

namespace {

/// Counts its living objects; its copies throw when `copies_left` is used up.
struct Counted {
  static inline int living = 0;
  static inline int copies_left = 1 << 30;
  std::string text{};

  Counted() { ++living; }
  Counted(std::string of) : text(std::move(of)) { ++living; }
  Counted(const Counted& other) : text(other.text) {
    if (copies_left-- == 0) throw std::runtime_error("no more copies");
    ++living;
  }
  Counted(Counted&& other) noexcept : text(std::move(other.text)) { ++living; }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) noexcept = default;
  ~Counted() { --living; }
  bool operator==(const Counted&) const = default;
};

/// An incomplete class may be an element: trees are declared so.
struct Tree {
  Vector<Tree> children{};
};

std::vector<std::string> texts_of(const Vector<Counted>& values) {
  std::vector<std::string> result;
  for (const Counted& each : values) result.push_back(each.text);
  return result;
}

}  // namespace

TEST_CASE("vector: does what std::vector does, over random operations") {
  std::mt19937 random(7);
  {
    std::vector<std::string> expected;
    Vector<Counted> values;
    for (int step = 0; step < 20000; ++step) {
      const std::size_t position = expected.empty() ? 0 : random() % expected.size();
      const auto at = static_cast<std::ptrdiff_t>(position);
      const auto padding = static_cast<std::size_t>(step % 3 * 20);
      const std::string text = std::to_string(step) + std::string(padding, 'x');
      switch (random() % 10) {
        case 0:
        case 1:
          expected.push_back(text), values.push_back(text);
          break;
        case 2:
          expected.emplace_back(text), values.emplace_back(text);
          break;
        case 3:
          expected.insert(expected.begin() + at, text);
          CHECK(values.insert(values.begin() + at, text)->text == text);
          break;
        case 4:
          if (expected.empty()) break;
          expected.push_back(expected[position]), values.push_back(values[position]);
          expected.emplace_back(expected[position]), values.emplace_back(values[position]);
          break;
        case 5:
          if (expected.empty()) break;
          expected.erase(expected.begin() + at);
          CHECK(values.erase(values.begin() + at) == values.begin() + at);
          break;
        case 6:
          expected.erase(expected.begin() + at / 2, expected.begin() + at);
          values.erase(values.begin() + at / 2, values.begin() + at);
          break;
        case 7: {
          const std::vector<std::string> added{text, "a", "b"};
          expected.insert(expected.begin() + at, added.begin(), added.end());
          values.insert(values.begin() + at, added.begin(), added.end());
          break;
        }
        case 8:
          expected.resize(position), values.resize(position);
          break;
        default: {
          const auto is_long = [](const auto& value) {
            if constexpr (requires { value.text; }) {
              return value.text.size() > 40;
            } else {
              return value.size() > 40;
            }
          };
          CHECK(std::erase_if(expected, is_long) == erase_if(values, is_long));
        }
      }
      REQUIRE(texts_of(values) == expected);
      REQUIRE(Counted::living == static_cast<int>(expected.size()));
      REQUIRE(values.capacity() >= values.size());
    }
  }
  CHECK(Counted::living == 0);
}

TEST_CASE("vector: copies are equal and independent, moves leave nothing behind") {
  Vector<Counted> a{Counted("a"), Counted("b")};
  Vector<Counted> b = a;
  CHECK(a == b);
  b[1].text = "c";
  CHECK_FALSE(a == b);
  const Vector<Counted> c = std::move(b);
  CHECK(b.empty());
  CHECK(texts_of(c) == std::vector<std::string>{"a", "c"});
  a = c;
  CHECK(a == c);
  a = std::move(a).size() == 2 ? Vector<Counted>(3, Counted("d")) : Vector<Counted>();
  CHECK(texts_of(a) == std::vector<std::string>{"d", "d", "d"});
  a.assign(1, a[2]);
  CHECK(a.size() == 1);
  CHECK(a.front().text == "d");
}

TEST_CASE("vector: an element that throws leaves no element behind") {
  const Vector<Counted> a{Counted("a"), Counted("b"), Counted("c")};
  const int living = Counted::living;
  Counted::copies_left = 2;
  CHECK_THROWS_AS(Vector<Counted>{a}, std::runtime_error);
  Counted::copies_left = 1 << 30;
  CHECK(Counted::living == living);
}

TEST_CASE("vector: owns what cannot be copied, and is a span") {
  Vector<std::unique_ptr<int>> owned;
  for (int i = 0; i < 100; ++i) owned.push_back(std::make_unique<int>(i));
  owned.erase(owned.begin() + 3);
  CHECK(*owned[3] == 4);
  Vector<Tree> trees(2);
  trees[0].children.resize(5);
  const std::span<const Tree> seen = trees;
  CHECK(seen[0].children.size() == 5);
  CHECK(Vector<Tree>().begin() == Vector<Tree>().end());
}

TEST_CASE("vector: a position is of any integer type") {
  Vector<int> values{1, 2, 3};
  const std::int32_t number = 2;
  values[number] += values[std::uint32_t{1}] + values[0] + values[std::size_t{0}];
  CHECK(std::as_const(values)[std::int64_t{2}] == 7);
}

TEST_CASE("vector: at() checks") {
  const Vector<int> a{1, 2};
  CHECK(a.at(1) == 2);
  CHECK_THROWS_AS(a.at(2), std::out_of_range);
  Vector<bool> b(2, false);
  b.at(1) = true;
  CHECK(b == Vector<bool>{false, true});
  CHECK_THROWS_AS(b.at(2), std::out_of_range);
}

TEST_CASE("vector: a copy takes the memory that it needs, at once") {
  const std::vector<int> numbers(100, 3);
  const Vector<int> a(numbers.begin(), numbers.end());
  CHECK(a.capacity() == 100);
  CHECK(Vector<int>(a).capacity() == 100);
  Vector<int> b{1, 2};
  CHECK(b.capacity() == 8);  // the least that it asks for is 32 bytes
  b.append(a.begin(), a.end());
  CHECK(b.size() == 102);
  CHECK(b.capacity() == 102);
  b = Vector<int>{4, 5, 6};
  const Vector<int> c{7, 8};
  const int* const memory = b.data();
  b = c;  // as std::vector does, into the memory that is there
  CHECK(b == c);
  CHECK(b.data() == memory);
  b.assign(3, b[1]);
  CHECK(b == Vector<int>{8, 8, 8});
  CHECK(b.data() == memory);
}

TEST_CASE("vector: a vector can be moved out of an element of itself") {
  struct Tree {
    Vector<Tree> children{};
    std::string name{};
  };
  Vector<Tree> trees(2);
  trees[1].children.resize(3);
  trees[1].children[2].name = "leaf";
  trees = std::move(trees[1].children);
  REQUIRE(trees.size() == 3);
  CHECK(trees[2].name == "leaf");
}
