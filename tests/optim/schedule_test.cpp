// test: moved
#include <sinter/optim/schedule.hpp>
#include <sinter/optim/sgd.hpp>

#include "../trace/testing.hpp"

using namespace testing;

namespace {

template <class Schedule>
Tensor rates(const Schedule& schedule, int steps) {
  std::vector<float> result;
  for (int i = 0; i < steps; ++i) result.push_back(schedule(i));
  return vector(result);
}

}  // namespace

// The expected numbers are those of torch.optim.lr_scheduler with lr = 0.5.
TEST_CASE("cosine: is CosineAnnealingLR, and stays at its end") {
  CHECK(near(rates(optim::cosine(0.5, 4, 0.1), 7),
             {0.5, 0.441421356, 0.3, 0.158578644, 0.1, 0.1, 0.1}));
  CHECK(near(rates(optim::cosine(0.5, 0), 2), {0, 0}));
}

TEST_CASE("linear: is LinearLR") {
  CHECK(near(rates(optim::linear(0.5, 0.1, 4), 6), {0.5, 0.4, 0.3, 0.2, 0.1, 0.1}));
}

TEST_CASE("constant, exponential, step_decay: are ConstantLR of factor 1, ExponentialLR, StepLR") {
  CHECK(near(rates(optim::constant(0.5), 3), {0.5, 0.5, 0.5}));
  CHECK(near(rates(optim::exponential(0.5, 0.5), 4), {0.5, 0.25, 0.125, 0.0625}));
  CHECK(near(rates(optim::step_decay(0.5, 0.1, 2), 5), {0.5, 0.5, 0.05, 0.05, 0.005}));
}

TEST_CASE("warmup: is SequentialLR of LinearLR and what follows") {
  CHECK(near(rates(optim::warmup(2, optim::cosine(0.5, 4), 0.1), 7),
             {0.1, 0.3, 0.5, 0.426776695, 0.25, 0.073223305, 0}));
  CHECK(near(rates(optim::warmup(4, optim::constant(1)), 6), {0, 0.25, 0.5, 0.75, 1, 1}));
  CHECK(near(rates(optim::warmup(0, optim::constant(1)), 2), {1, 1}));
}

TEST_CASE("warmup: goes before any function of the number of the step") {
  const auto rate =
      optim::warmup(2, [](std::int64_t step) { return 1.0 / static_cast<double>(1 + step); });
  CHECK(near(rates(rate, 5), {0, 0.5, 1, 0.5, 1.0 / 3}));
}

TEST_CASE("schedules: give what an optimizer's learning rate is, without another dtype") {
  optim::SGD sgd;
  sgd.learning_rate = optim::cosine(0.5, 4)(2);
  CHECK(sgd.learning_rate.dtype() == f32);
  CHECK(sgd.learning_rate.item<float>() == 0.25f);
}
