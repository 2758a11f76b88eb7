// test: moved
#include "trace/testing.hpp"

#include <sinter/nn/embedding.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

TEST_CASE("Embedding: gives a row for each index") {
  nn::Embedding table{3, 2};
  CHECK(to_string(table.weight) == "f32[3, 2]");
  table.weight = counting({3, 2});

  CHECK(near(table(integers({2, 0})), {4, 5, 0, 1}));
  CHECK(to_string(table(zeros({4, 5}, i32))) == "f32[4, 5, 2]");
}

TEST_CASE("Embedding: starts normal") {
  double square = 0;
  for (const double value : numbers(nn::Embedding(100, 100).weight)) square += value * value;
  CHECK(std::fabs(square / 10'000 - 1) < 0.1);
}

TEST_CASE("Embedding: the row of padding_idx starts as 0 and has no gradient") {
  nn::Embedding table(3, 2, {.padding_idx = -1});
  CHECK(table.padding_idx == 2);
  CHECK(near(table.weight[2], {0, 0}));
  CHECK(numbers(table.weight[0]) != Numbers{0, 0});

  table.weight = counting({3, 2});
  const auto value = [&] { return sum(table(integers({2, 0, 2, 1, 1}))); };
  const auto [total, gradients] = value_and_grad(table, value);
  CHECK(near(total, {4 + 5 + 0 + 1 + 4 + 5 + 2 * (2 + 3)}));
  CHECK(near(gradients["weight"], {1, 1, 2, 2, 0, 0}));
}

TEST_CASE("EmbeddingBag: reduces the rows of bags without those of padding_idx") {
  nn::EmbeddingBag bags(3, 2, {.mode = BagMode::sum, .padding_idx = -1});
  CHECK(bags.padding_idx == 2);
  CHECK(near(bags.weight[2], {0, 0}));
  bags.weight = counting({3, 2});
  const Tensor indices = integers({2, 0, 1, 1});
  CHECK(near(bags(indices, integers({0, 2})), {0, 1, 4, 6}));
  CHECK(near(bags(reshape(indices, {2, 2})), {0, 1, 4, 6}));
  CHECK(near(bags(indices, integers({0, 2}), vector({5, 2, 3, 4})), {0, 2, 14, 21}));
  const auto value = [&] { return sum(bags(indices, integers({0, 2}))); };
  CHECK(near(value_and_grad(bags, value).gradients["weight"], {1, 1, 2, 2, 0, 0}));
}

TEST_CASE("EmbeddingBag: mistakes name the line of the caller") {
  const nn::EmbeddingBag bags(3, 2);
  MISTAKE(ShapeError, bags(integers({0, 1})), "embedding_bag: ", "i64[2]");
  MISTAKE(IndexError, nn::EmbeddingBag(3, 2, {.padding_idx = 3}), "EmbeddingBag: ", "3");
}

TEST_CASE("Embedding: mistakes name the line of the caller") {
  const nn::Embedding table{3, 2};
  MISTAKE(DTypeError, table(ones({2})), "indices are not integers", "f32[2]");
  CHECK_THROWS_AS(numbers(table(integers({3}))), IndexError);
  MISTAKE(IndexError, nn::Embedding(3, 2, {.padding_idx = 3}), "padding_idx", "3");
}
