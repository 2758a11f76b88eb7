// test: moved
// The lines of SINTER_LOGS=fusion about horizontal fusion.

#include <doctest/doctest.h>

#include <cstdlib>

#include "captured_output.hpp"
#include "jit/support.hpp"

using namespace testing;

TEST_CASE("fusion log: ends with the number of launches, which stats() counts") {
  const auto f =
      compile([](const Tensor& x, const Tensor& y) { return std::pair(x * 2.0f, y * 2.0f); });
  const Tensor x = randn({5, 7}), y = randn({30, 4});
  setenv("SINTER_LOGS", "fusion", 1);
  const std::string told = said([&] { f(x, y); });
  unsetenv("SINTER_LOGS");
  CHECK(f.stats().kernels == 1);
  CHECK(told.find("sinter[fusion]: 2 kernels in 1 launches, which stats() counts\n") !=
        std::string::npos);
}

TEST_CASE("fusion log: the number is omitted if each kernel is a launch") {
  const auto f = compile([](const Tensor& x) { return softmax(x, -1); });
  setenv("SINTER_LOGS", "fusion", 1);
  const std::string told = said([&] { f(randn({6, 11})); });
  unsetenv("SINTER_LOGS");
  CHECK(told.find("kernel 0, [6] x [11]: max") != std::string::npos);
  CHECK(told.find("launches") == std::string::npos);
}
