// test: emulator gpu
#include <doctest/doctest.h>
#include <sinter/device/host/allocation_failure.hpp>
#include <sinter/sinter.hpp>

#include "cuda_emulator/gpus.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Pair {
  nn::Linear linear{3, 2};
  TensorOf<float, 4> typed = zeros({4});
  Tensor none{};
  SINTER_MODULE(Pair, linear, typed, none)
};

}  // namespace

TEST_CASE("device: a module is moved with all that it has") {
  SINTER_GPUS(machine, 2);
  Pair pair;
  const std::vector<float> weight = pair.linear.weight.to_vector<float>();
  nn::to(pair, cuda(1));
  CHECK(pair.linear.weight.device() == cuda(1));
  CHECK(pair.linear.bias->device() == cuda(1));
  CHECK(pair.typed.tensor().device() == cuda(1));
  CHECK_FALSE(pair.none.defined());
  CHECK(pair.linear.weight.to_vector<float>() == weight);
  nn::to(pair, cpu());
  CHECK(pair.linear.weight.device() == cpu());
}

TEST_CASE("device: an optimizer goes with its module, wherever its numbers were updated") {
  SINTER_GPUS(machine, 2);
  const auto step = compile([](nn::Linear& net, optim::AdamW& optimizer, const Tensor& x) {
    auto [loss, gradients] = value_and_grad(net, [&] { return sum(net(x)); });
    optimizer.step(net, gradients);
    return loss;
  });
  const auto train = [&](const std::vector<Device>& devices) {
    random::manual_seed(7);
    nn::Linear net{3, 2};
    optim::AdamW optimizer{.learning_rate = 0.1f};
    for (const Device device : devices) {
      nn::to(net, device);
      nn::to(optimizer, device);
      step(net, optimizer, ones({4, 3}).to(device));
      CHECK(net.weight.device() == device);
    }
    CHECK(optimizer.learning_rate.tensor().device() == cpu());  // nothing has updated it
    return net.weight.to_vector<float>();
  };
  const std::vector<float> expected = train(std::vector<Device>(5, cpu()));
  const std::vector<float> got = train({cuda(0), cuda(1), cpu(), cuda(1), cuda(0)});
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]));
}

TEST_CASE("device: a module that does not fit stays where it is") {
  SINTER_GPUS(machine, 2);
  Pair pair;
  int failures = 0;
  for (bool fails = true; fails; failures += fails ? 1 : 0) {
    const ScopedAllocationFailure failure(failures);
    try {
      nn::to(pair, cuda(1));
    } catch (const UserError&) {
    }
    fails = failure.happened();
    const Device expected = fails ? cpu() : cuda(1);
    CHECK(pair.linear.weight.device() == expected);
    CHECK(pair.linear.bias->device() == expected);
    CHECK(pair.typed.tensor().device() == expected);
  }
  CHECK(failures >= 3);
}
