#include "../trace/testing.hpp"

#include <sinter/optim/group_numbers.hpp>
#include <sinter/optim/sgd.hpp>

using namespace testing;

TEST_CASE("group numbers: those of the group, or else of the optimizer") {
  const auto sgd = optim::SGD{.learning_rate = 0.5f, .weight_decay = 0.25f}
                       .group("a", {.learning_rate = 2.0f})
                       .group("b", {.weight_decay = 3.0f});
  optim::Update update{"a", nullptr, {}};
  CHECK(optim::learning_rate_of(sgd, update).item<float>() == 0.5f);
  CHECK(optim::weight_decay_of(sgd, update).item<float>() == 0.25f);
  update.groups = {0, 1};
  CHECK(optim::learning_rate_of(sgd, update).item<float>() == 2.0f);
  CHECK(optim::weight_decay_of(sgd, update).item<float>() == 3.0f);
}

TEST_CASE("PerGroup: makes a value once for each combination of groups") {
  optim::PerGroup<int> values;
  int made = 0;
  const auto make = [&] { return ++made; };
  optim::Update first{"a", nullptr, {}}, second = first;
  second.groups = {0, -1};
  CHECK(values.of(first, make) == 1);
  CHECK(values.of(second, make) == 2);
  CHECK(values.of(first, make) == 1);
  CHECK(made == 2);
}
