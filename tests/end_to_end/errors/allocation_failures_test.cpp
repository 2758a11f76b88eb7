// test: moved
// Allocation failures at any point of a call: nothing is changed, and the next call works.

#include <doctest/doctest.h>

#include <array>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Net {
  nn::Linear first{8, 16}, second{16, 4};
  SINTER_MODULE(Net, first, second)
  Tensor forward(const Tensor& x) const { return second(dropout(gelu(first(x)), 0.1)); }
};

Tensor train(Net& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] = value_and_grad(model, [&] { return cross_entropy(model(x), target); });
  optimizer.step(model, gradients);
  return loss;
}

// Everything that a step changes.
struct Training {
  Training() {
    for (const Tensor& tensor : leaves()) elements_of(tensor);
    random::set_state({.seed = 5, .offset = 0});
  }

  std::vector<Tensor> leaves() {
    std::vector<Tensor> result;
    for (const auto& [name, tensor] : nn::named_parameters(model)) result.push_back(tensor);
    for (const auto& [name, tensor] : optimizer.means) result.push_back(tensor);
    return result;
  }
  std::vector<std::vector<double>> numbers_of_leaves() {
    std::vector<std::vector<double>> result;
    for (const Tensor& tensor : leaves()) result.push_back(numbers(tensor));
    return result;
  }
  std::vector<const void*> addresses() {
    std::vector<const void*> result;
    for (const Tensor& tensor : leaves()) result.push_back(elements_of(tensor).data());
    return result;
  }

  static Net fresh_model() {
    random::manual_seed(3);
    return {};
  }

  Net model = fresh_model();
  optim::AdamW optimizer{.learning_rate = 1e-2f};
};

Tensor images() {
  const Tensor x = reshape(cast(arange(48), f32), {6, 8}) / 24.0f - 1.0f;
  elements_of(x);
  return x;
}

// Runs `step` once per allocation: each run fails at one allocation, and then succeeds. Returns the
// number of allocations.
template <class Step>
int train_with_failures(const Step& step, Training& training, std::vector<float>& losses) {
  const Tensor x = images(), labels = integers({0, 1, 2, 3, 0, 1});
  int failures = 0;
  for (bool failed = true; failed;) {
    const auto before = training.numbers_of_leaves();
    const auto addresses = training.addresses();
    const random::State drawn = random::state();
    Tensor loss;
    {
      const ScopedAllocationFailure failure(failures);
      std::string report;
      try {
        loss = step(training.model, training.optimizer, x, labels);
        elements_of(loss);
      } catch (const ValueError& error) {
        report = error.what();
      }
      failed = failure.happened();
      CHECK(failed == !report.empty());
      INFO("allocation " << failures << ": " << report);
      CHECK((!failed || report.find("allocate: not enough memory") == 0));
      CHECK((!failed || contains(report, "\n  asked ")));
      CHECK((!failed || contains(report, "\n  for   ")));
      CHECK((!failed || contains(report, "\n  fix   ")));
      CHECK_FALSE(contains(report, "include/sinter"));
    }
    if (!failed) {
      losses.push_back(loss.item<float>());
      return failures;
    }
    CHECK(training.numbers_of_leaves() == before);
    CHECK(training.addresses() == addresses);
    CHECK(random::state().seed == drawn.seed);
    CHECK(random::state().offset == drawn.offset);
    CHECK_FALSE(is_recording());
    losses.push_back(step(training.model, training.optimizer, x, labels).template item<float>());
    ++failures;
  }
  return failures;
}

void check_failures(Backend backend) {
  std::vector<float> losses, expected;
  int failures = 0;
  Training training;
  {
    const auto step = compile(train, {.backend = backend});
    step(training.model, training.optimizer, images(), integers({0, 1, 2, 3, 0, 1}));
    const auto recordings = step.stats().recordings;
    failures = train_with_failures(step, training, losses);
    CHECK(step.stats().recordings == recordings);
  }
  CHECK(failures >= 1);  // the loss; everything else is updated in place
  Training again;
  const auto step = compile(train, {.backend = backend});
  const Tensor labels = integers({0, 1, 2, 3, 0, 1});
  step(again.model, again.optimizer, images(), labels);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    expected.push_back(step(again.model, again.optimizer, images(), labels).item<float>());
  }
  CHECK(losses == expected);
  CHECK(training.numbers_of_leaves() == again.numbers_of_leaves());
}

}  // namespace

TEST_CASE("allocation_failures: a training step completes or has no effect, on every backend") {
  for (const Backend backend : {Backend::fused, Backend::aot_eager, Backend::eager}) {
    CAPTURE(static_cast<int>(backend));
    check_failures(backend);
  }
}

TEST_CASE("allocation_failures: a failed call creates no state") {
  for (int allocation = 0;; ++allocation) {
    Training training;
    const auto step = compile(train);
    const auto before = training.numbers_of_leaves();
    bool failed = false;
    {
      const ScopedAllocationFailure failure(allocation);
      try {
        step(training.model, training.optimizer, images(), integers({0, 1, 2, 3, 0, 1}));
      } catch (const ValueError&) {
        failed = true;
      }
      CHECK(failed == failure.happened());
    }
    if (!failed) break;
    REQUIRE(allocation < 1000);
    CHECK(training.optimizer.means.empty());
    CHECK(training.numbers_of_leaves() == before);
    CHECK(random::state().offset == 0);
    step(training.model, training.optimizer, images(), integers({0, 1, 2, 3, 0, 1}));
    CHECK(training.optimizer.means.size() == 4);
  }
}

TEST_CASE("allocation_failures: eager operations fail one by one, and can be retried") {
  const Tensor x = vector({1, 2, 3});
  elements_of(x);
  int failures = 0;
  for (;; ++failures) {
    const Tensor y = exp(x) + sum(x);
    const ScopedAllocationFailure failure(failures);
    try {
      y.to_vector<float>();
    } catch (const ValueError& error) {
      CHECK(contains(error.what(), "allocation_failures_test.cpp"));
    }
    if (!failure.happened()) break;
    CHECK(near(y, {8.71828, 13.38906, 26.08554}, 1e-4));
  }
  CHECK(failures >= 2);
}
