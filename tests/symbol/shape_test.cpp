#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/symbol/shape.hpp>

#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent batch = Extent::symbol(0);

}  // namespace

TEST_CASE("shape: prints like the documentation writes it") {
  CHECK(text(Shape{64, 128}) == "[64, 128]");
  CHECK(text(Shape{batch, 128}) == "[s0, 128]");
  CHECK(text(Shape{}) == "[]");
}

TEST_CASE("shape: is made of lists, spans and vectors") {
  const std::vector<std::int64_t> numbers{2, 3};
  const std::vector<Extent> extents{2, 3};
  CHECK(Shape(numbers) == Shape{2, 3});
  CHECK(Shape(extents) == Shape{2, 3});
  CHECK(Shape(std::span<const Extent>(Shape{2, 3})) == Shape{2, 3});
  Shape grown;
  grown.push_back(2);
  grown.push_back(batch);
  CHECK(grown == Shape{2, batch});
  CHECK(grown != Shape{2});
  CHECK(!same(grown, Shape{2, 3}));
}

TEST_CASE("shape: of a number that is no size has the line of the shape") {
  const std::vector<std::int64_t> numbers{2, std::int64_t{1} << 62};
  try {
    Shape made(numbers);
    FAIL("did not throw");
  } catch (const ValueError& error) {
    CHECK(error.where().line() == __LINE__ - 3);
    CHECK(std::string(error.where().file_name()).ends_with("shape_test.cpp"));
  }
}

TEST_CASE("shape: axes count from either end") {
  const Shape shape{4, batch, 6};
  CHECK(shape.size() == 3);
  CHECK(same(shape[0], 4));
  CHECK(same(shape[-1], 6));
  CHECK(same(shape[-2], batch));
  try {
    (void)shape[3];
    FAIL("an axis that is not there was accepted");
  } catch (const IndexError& error) {
    CHECK(std::string(error.what()).find("shape_test.cpp:") != std::string::npos);
    CHECK(error.where().line() == __LINE__ - 4);
  }
  CHECK_THROWS_AS((void)shape[-4], IndexError);
}

TEST_CASE("shape: more than 10 dimensions throw, with all of them in the text") {
  const std::vector<std::int64_t> eleven(11, 2);
  CHECK_THROWS_AS(Shape{eleven}, ShapeError);
  Shape ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  try {
    ten.push_back(11);
    FAIL("eleven dimensions were accepted");
  } catch (const ShapeError& error) {
    const std::string what = error.what();
    CHECK(what.find("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]") != std::string::npos);
    CHECK(what.find("rank <= 10") != std::string::npos);
  }
}

TEST_CASE("numel: is the product of the extents") {
  CHECK(same(numel({}), 1));
  CHECK(same(numel({2, 3, 4}), 24));
  CHECK(same(numel({2, batch, 4}), 8 * batch));
  CHECK(same(numel({batch, 0}), 0));
}

TEST_CASE("strides: of the last axis is 1") {
  CHECK(row_major_strides({4, 3, 2}) == Shape{6, 2, 1});
  CHECK(row_major_strides({4, batch, 2}) == Shape{2 * batch, 2, 1});
  CHECK(row_major_strides({}) == Shape{});
  CHECK(is_static({4, 3}));
  CHECK(!is_static({4, batch}));
}

TEST_CASE("broadcast: matches axes from the last, and only the number 1 stretches") {
  CHECK(broadcast(Shape{batch, 1}, Shape{10}) == Shape{batch, 10});
  CHECK(broadcast(Shape{3, 1, 5}, Shape{4, 1}) == Shape{3, 4, 5});
  CHECK(broadcast(Shape{}, Shape{4}) == Shape{4});
  CHECK(broadcast(Shape{0}, Shape{1}) == Shape{0});
  CHECK(broadcast(Shape{batch + 1}, Shape{1 + batch}) == Shape{batch + 1});
  CHECK(!broadcast(Shape{batch}, Shape{10}));
  CHECK(!broadcast(Shape{batch}, Shape{Extent::symbol(1)}));
  CHECK(!broadcast(Shape{4}, Shape{5}));
}
