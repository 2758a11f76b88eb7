// test: moved
#include <sinter/nn/dtype.hpp>
#include <sinter/nn/linear.hpp>

#include "trace/testing.hpp"

using namespace testing;

namespace {

struct Net {
  nn::Linear linear{2, 3};
  nn::Buffer mean = zeros({3});
  nn::Buffer count = zeros({}, i64);
  std::optional<Tensor> absent;
  Tensor none;
  SINTER_MODULE(Net, linear, mean, count, absent, none)
};

}  // namespace

TEST_CASE("to: converts floating parameters and buffers, and nothing else") {
  Net net;
  const Numbers before = numbers(net.linear.weight);
  nn::to(net, f64);
  CHECK(net.linear.weight.dtype() == f64);
  CHECK(net.linear.bias->dtype() == f64);
  CHECK(net.mean.value.dtype() == f64);
  CHECK(net.count.value.dtype() == i64);
  CHECK_FALSE(net.none.defined());
  CHECK(near(net.linear.weight, before, 0));
  CHECK(net.linear(ones({2}, f64)).dtype() == f64);
}

TEST_CASE("to: an integer dtype is refused, and changes nothing") {
  Net net;
  const Numbers before = numbers(net.linear.weight);
  MISTAKE(DTypeError, nn::to(net, i64), "nn::to: ", "i64", "floating");
  MISTAKE(DTypeError, nn::to(net, boolean), "bool");
  CHECK(near(net.linear.weight, before, 0));
}
