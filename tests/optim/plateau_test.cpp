#include "../trace/testing.hpp"

#include <sinter/io/checkpoint.hpp>
#include <sinter/optim/plateau.hpp>
#include <sinter/optim/sgd.hpp>

#include <cstdio>

using namespace testing;
using optim::ReduceLROnPlateau;

namespace {

const Numbers metrics{
    1,    0.9,  0.95, 0.91, 0.9,  0.89995, 0.8, 0.81, 0.82, static_cast<double>(not_a_number),
    0.83, 0.84, 0.7,  0.71, 0.72, 0.73};

// The learning rates after each metric, of the optimizer, which starts with 0.5, and of its group,
// which starts with 0.02.
struct Rates {
  Numbers own, group;
};
Rates rates(ReduceLROnPlateau plateau, double sign = 1) {
  auto sgd = optim::SGD{.learning_rate = 0.5f}.group("head", {.learning_rate = 0.02f});
  Rates result;
  for (const double metric : metrics) {
    plateau.step(sgd, sign * metric);
    result.own.push_back(sgd.learning_rate.item<double>());
    result.group.push_back(sgd.groups[0].learning_rate->item<double>());
  }
  CHECK(sgd.learning_rate.dtype() == f32);
  return result;
}

// 0.5 * factor^i, as often as counts[i] says.
Numbers steps(const std::vector<int>& counts, double factor, double start = 0.5) {
  Numbers result;
  for (const int count : counts) {
    for (int i = 0; i < count; ++i) result.push_back(start);
    start *= factor;
  }
  return result;
}

bool equal(const Numbers& a, const Numbers& b) {
  bool result = a.size() == b.size();
  for (std::size_t i = 0; result && i < a.size(); ++i) result = std::fabs(a[i] / b[i] - 1) < 1e-6;
  return result;
}

}  // namespace

// What torch.optim.lr_scheduler.ReduceLROnPlateau of torch 2.15 gives.
TEST_CASE("ReduceLROnPlateau: learning rates are torch's") {
  const Rates plain = rates({.patience = 2});
  CHECK(equal(plain.own, steps({4, 5, 6, 1}, 0.1)));
  CHECK(equal(plain.group, steps({4, 5, 6, 1}, 0.1, 0.02)));
  CHECK(equal(rates({.factor = 0.5, .patience = 1, .cooldown = 2}).own, steps({3, 5, 6, 2}, 0.5)));
  CHECK(equal(rates({.patience = 2, .threshold = 0.05, .threshold_mode = "abs"}).own,
              steps({4, 5, 6, 1}, 0.1)));
  CHECK(equal(rates({.mode = "min", .patience = 1}, -1).own, steps({2, 2, 2, 2, 2, 2, 2, 2}, 0.1)));
}

TEST_CASE("ReduceLROnPlateau: modes, lower bounds and reductions that are too small") {
  const Rates bounded = rates({.mode = "max", .factor = 0.5, .patience = 3, .min_lr = 0.02});
  CHECK(equal(bounded.own, steps({4, 4, 4, 4}, 0.5)));
  CHECK(equal(bounded.group, steps({16}, 1, 0.02)));
  const ReduceLROnPlateau impatient{
      .mode = "max", .patience = 0, .threshold = 0.05, .threshold_mode = "abs", .eps = 1e-3};
  const Rates fast = rates(impatient, -1);
  CHECK(equal(fast.own, steps({2, 1, 1, 12}, 0.1)));
  CHECK(equal(fast.group, steps({2, 1, 13}, 0.1, 0.02)));
}

TEST_CASE("ReduceLROnPlateau: goes on from a checkpoint") {
  const std::string path = std::string(SINTER_TEST_DIR) + "/plateau.safetensors";
  optim::SGD sgd{.learning_rate = 0.5f};
  ReduceLROnPlateau plateau{.patience = 1};
  CHECK(!plateau.step(sgd, 1));
  CHECK(!plateau.step(sgd, 1));
  io::save(path, plateau);
  ReduceLROnPlateau restored{.patience = 1};
  io::load(path, restored);
  std::remove(path.c_str());
  CHECK(restored.step(sgd, 1));
  CHECK(std::fabs(sgd.learning_rate.item<double>() - 0.05) < 1e-8);
}

TEST_CASE("ReduceLROnPlateau: mistakes name the values and the way out") {
  optim::SGD sgd;
  ReduceLROnPlateau unknown{.mode = "least"}, growing{.factor = 1.5};
  MISTAKE(ValueError, unknown.step(sgd, 1), "ReduceLROnPlateau.step: ", "least", "min or max");
  MISTAKE(ValueError, growing.step(sgd, 1), "factor 1.5", "factor < 1");
}
