#include "../trace/testing.hpp"

#include <sinter/nn/embedding.hpp>

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

TEST_CASE("Embedding: mistakes name the line of the caller") {
  const nn::Embedding table{3, 2};
  MISTAKE(DTypeError, table(ones({2})), "indices are not integers", "f32[2]");
  CHECK_THROWS_AS(numbers(table(integers({3}))), IndexError);
}
