#include "testing.hpp"

#include <sinter/trace/context/mark_dynamic.hpp>

using namespace testing;

TEST_CASE("mark_dynamic: marks a dimension of this handle and of its copies, not of results") {
  Tensor x = ones({8, 4});
  mark_dynamic(x, 0, {.min = 1, .max = 512});
  const Tensor copy = x, result = add(x, 1);

  REQUIRE(copy.marks() != nullptr);
  CHECK(copy.marks()->at(0).dim == 0);
  CHECK(copy.marks()->at(0).range.max == 512);
  CHECK(copy.marks()->at(0).where.line() == __LINE__ - 6);
  CHECK(result.marks() == nullptr);
}

TEST_CASE("mark_dynamic: the last mark of a dimension counts, others stay") {
  Tensor x = ones({8, 4});
  const Tensor before = x;
  mark_dynamic(x, 0);
  mark_static(x, -1);
  maybe_mark_dynamic(x, 0, {.multiple_of = 2});

  REQUIRE(x.marks()->size() == 2);
  CHECK(x.marks()->at(0).dim == 1);
  CHECK(x.marks()->at(0).kind == Mark::Kind::fixed);
  CHECK(x.marks()->at(1).kind == Mark::Kind::maybe_dynamic);
  CHECK(before.marks() == nullptr);
}

TEST_CASE("mark_dynamic: mistakes name the line, the values, the rule and the way out") {
  Tensor x = ones({8, 4}), none;

  MISTAKE(IndexError, mark_dynamic(x, 2), "mark_dynamic: ", "f32[8, 4]", "axis  2");
  MISTAKE(ValueError, mark_dynamic(x, 0, {.min = 9}), "mark_dynamic: ", "f32[8, 4]", "9, no max");
  MISTAKE(ValueError, mark_dynamic(x, 1, {.multiple_of = 3}), "dim   1", "multiple of 3");
  MISTAKE(ValueError, maybe_mark_dynamic(x, 0, {.max = 4}), "maybe_mark_dynamic: ", "max 4");
  MISTAKE(ValueError, mark_dynamic(x, 0, {.min = 8, .max = 2}), "min 8, max 2");
  MISTAKE(IndexError, mark_static(x, -3), "mark_static: ", "axis  -3");
  MISTAKE(ValueError, mark_dynamic(none, 0), "undefined");
}

TEST_CASE("bucket: marks the sizes above the bucket before, and changes nothing else") {
  const Tensor x = ones({8, 40});
  const auto range_of = [&](std::int64_t size, std::vector<std::int64_t> sizes) {
    return bucket(ones({size}), 0, sizes).marks()->at(0).range;
  };

  const Tensor y = bucket(x, -1, {32, 64, 128});
  REQUIRE(y.marks()->size() == 1);
  CHECK(y.marks()->at(0).dim == 1);
  CHECK(y.marks()->at(0).kind == Mark::Kind::dynamic);
  CHECK(y.marks()->at(0).where.line() == __LINE__ - 4);
  CHECK(y.lazy() == x.lazy());
  CHECK(x.marks() == nullptr);
  CHECK(range_of(33, {32, 64}).min == 33);
  CHECK(range_of(64, {32, 64}).max == 64);
  CHECK(range_of(32, {32, 64}).min == 0);
  CHECK(range_of(0, {32, 64}).max == 32);
  CHECK(bucket(y, 1, {50}).marks()->size() == 1);
  CHECK(bucket(y, 0, {8}).marks()->size() == 2);
}

TEST_CASE("bucket: mistakes name the sizes, the rule and the way out") {
  const Tensor x = ones({8, 40});

  MISTAKE(ValueError, bucket(x, 1, {16, 32}), "above the largest bucket", "[16, 32]", "f32[8, 40]");
  MISTAKE(ValueError, bucket(x, 1, {}), "not valid buckets", "[]");
  MISTAKE(ValueError, bucket(x, 1, {64, 32}), "not valid buckets", "[64, 32]");
  MISTAKE(ValueError, bucket(x, 1, {32, 32}), "not valid buckets", "[32, 32]");
  MISTAKE(ValueError, bucket(x, 1, {0, 32}), "not valid buckets", "[0, 32]");
  MISTAKE(IndexError, bucket(x, 2, {64}), "bucket: ", "axis  2");
}
