// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/call/serve.hpp>

#include <thread>
#include <vector>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;

TEST_CASE("serve: a failed call does not affect the next one") {
  const auto pick =
      compile([](const Tensor& x, const Tensor& index) { return index_select(x, 0, index); });
  const Tensor x = vector({1, 2, 3});
  CHECK(near(pick(x, integers({0, 2})), Numbers{1, 3}));
  CHECK_THROWS_AS(pick(x, integers({0, 7})), IndexError);
  CHECK(near(pick(x, integers({1, 1})), Numbers{2, 2}));
  CHECK(pick.stats().recordings == 1);
}

TEST_CASE("serve: concurrent calls do not disturb each other") {
  const auto square_of = compile([](const Tensor& x) { return x * x; });
  const int calls = sinter_test::by_device(200, 10);
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&, i, device = current_device()] {
      const ScopedDevice scope(device);
      for (int n = 0; n < calls; ++n) {
        const auto number = static_cast<float>(n) + 1000 * static_cast<float>(i);
        const Tensor y = square_of(vector({number, 1}));
        wrong[i] += y.data<float>()[0] != number * number;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4));
  CHECK(square_of.stats().calls == 4 * calls);
}
