// test: moved
// Values are checked against torch in reference/layers_test.cpp.

#include <sinter/sinter.hpp>
#include <sinter/trace/functional/embedding_bag.hpp>

#include "trace/testing.hpp"

using namespace testing;

TEST_CASE("embedding_bag: reduces the rows of each bag, and an empty bag to 0") {
  const Tensor table = counting({4, 2}), indices = integers({0, 3, 1, 1, 2});
  const Tensor offsets = integers({0, 2, 2});
  CHECK(near(embedding_bag(indices, table, {.offsets = offsets, .mode = BagMode::sum}),
             {6, 8, 0, 0, 8, 11}));
  CHECK(near(embedding_bag(indices, table, {.offsets = offsets}), {3, 4, 0, 0, 8.0 / 3, 11.0 / 3}));
  CHECK(near(embedding_bag(indices, table, {.offsets = offsets, .mode = BagMode::max}),
             {6, 7, 0, 0, 4, 5}));
}

TEST_CASE("embedding_bag: counts of indices and bags are dynamic") {
  const auto f = [](const Tensor& indices, const Tensor& offsets, const Tensor& table) {
    return embedding_bag(indices, table, {.offsets = offsets});
  };
  const auto compiled = compile(f, {.fullgraph = true});
  const Tensor table = sin(counting({5, 3}));
  for (const int bags : {2, 4, 3}) {
    Tensor indices = arange(3 * bags) % 5, offsets = arange(bags) * 2;
    mark_dynamic(indices, 0), mark_dynamic(offsets, 0);
    CHECK(alike(compiled(indices, offsets, table), f(indices, offsets, table)));
  }
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("embedding_bag: a first offset above 0 and an index out of range are errors") {
  const Tensor table = counting({4, 2});
  CHECK_THROWS_AS(numbers(embedding_bag(integers({0, 1}), table, {.offsets = integers({1})})),
                  IndexError);
  CHECK_THROWS_AS(numbers(embedding_bag(zeros({1, 2}, i64) + 4, table)), IndexError);
}

TEST_CASE("embedding_bag: mistakes name the line, the values, the rule and the way out") {
  const Tensor table = counting({4, 2}), list = integers({0, 1}), lists = zeros({2, 3}, i64);
  const Tensor starts = integers({0});
  MISTAKE(ShapeError, embedding_bag(list, table), "embedding_bag: ", "i64[2]", "f32[4, 2]");
  MISTAKE(ShapeError, embedding_bag(lists, table, {.offsets = starts}), "offsets i64[1]");
  MISTAKE(ShapeError, embedding_bag(lists, ones({4})), "weight is (count, width)");
  MISTAKE(ValueError, embedding_bag(lists, table, {.per_sample_weights = ones({2, 3})}), "sum");
  const EmbeddingBagOptions wrong{.mode = BagMode::sum, .per_sample_weights = ones({2})};
  MISTAKE(ShapeError, embedding_bag(lists, table, wrong), "f32[2]", "one weight for each index");
  MISTAKE(DTypeError, embedding_bag(ones({2, 3}), table), "indices are not integers");
}
