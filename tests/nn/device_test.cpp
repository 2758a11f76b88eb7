#include <doctest/doctest.h>
#include <sinter/device/allocation_failure.hpp>
#include <sinter/sinter.hpp>

#include "cuda_emulator/gpus.hpp"

using namespace sinter;

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
