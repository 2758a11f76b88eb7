// test: moved
#include "trace/testing.hpp"

#include <sinter/nn/function/dropout.hpp>
#include <sinter/nn/mode.hpp>

#include <algorithm>

using namespace testing;

TEST_CASE("Dropout: drops while it is trained, and nothing afterwards") {
  nn::Dropout drop{0.5};
  const Tensor x = ones({1000});

  const Numbers trained = numbers(drop(x));
  const auto dropped = std::count(trained.begin(), trained.end(), 0.0);
  CHECK(dropped > 400);
  CHECK(dropped < 600);
  CHECK(std::count(trained.begin(), trained.end(), 2.0) == 1000 - dropped);
  CHECK(numbers(drop(x)) != trained);

  nn::eval(drop);
  CHECK(near(drop(x), Numbers(1000, 1)));
}

TEST_CASE("Dropout: mistakes name the line of the caller") {
  MISTAKE(ValueError, nn::Dropout{2}, "Dropout: p is not a probability", "2");
  nn::Dropout drop;
  drop.p = -1;
  MISTAKE(ValueError, drop(ones({2})), "dropout: p is not a probability", "-1");
}
