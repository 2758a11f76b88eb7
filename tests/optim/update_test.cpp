#include "../trace/testing.hpp"

#include <sinter/nn/linear.hpp>
#include <sinter/optim/update.hpp>
#include <sinter/trace/loss.hpp>
#include <sinter/trace/transform.hpp>

using namespace testing;

namespace {

struct Net {
  nn::Linear in{4, 3}, out{3, 2};
  Tensor labels = integers({1, 0});
  SINTER_MODULE(Net, in, out, labels)
  Tensor forward(Operand x) const { return out(tanh(in(x))); }
};

}  // namespace

TEST_CASE("updates_of: pairs every gradient with its parameter, in the order of the module") {
  Net net;
  const Tensor x = ones({2, 4});
  const auto [loss, gradients] =
      value_and_grad(net, [&] { return cross_entropy(net(x), net.labels); });

  const auto updates = optim::updates_of(net, gradients, "step", Where::current());

  REQUIRE(updates.size() == 4);
  CHECK(updates[0].name == "in.weight");
  CHECK(updates[0].parameter == &net.in.weight);
  CHECK(updates[0].gradient.lazy() == gradients["in.weight"].lazy());
  CHECK(updates[3].name == "out.bias");
}

TEST_CASE("updates_of: refuses gradients of another module") {
  nn::Linear linear{4, 3};
  const Gradients gradients({{"weight", ones({3, 4})}, {"scale", ones({1})}});
  const auto update = [&](Where at) { optim::updates_of(linear, gradients, "step", at); };
  MISTAKE(ValueError, update(Where::current()), "step: ", "[scale]", "[weight]");
}
