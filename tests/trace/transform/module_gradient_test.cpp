#include <sinter/trace/transform/module_gradient.hpp>

#include "testing.hpp"

using namespace testing;

namespace {

struct Slope {
  Tensor weight = full({2}, 3.0f), offset = zeros({2});
  SINTER_MODULE(Slope, weight, offset)
  Tensor forward(const Tensor& x) const { return x * weight + offset; }
};

}  // namespace

TEST_CASE(
    "value_and_grad: of a closure, with respect to all parameters, or those that are selected") {
  Slope slope;
  const Tensor x = vector({1, 2});
  const auto closure = [&] { return sum(slope(x)); };

  auto all_of_them = value_and_grad(slope, closure);
  CHECK(near(all_of_them.value, {9}));
  CHECK(near(all_of_them.gradients["weight"], {1, 2}));
  CHECK(near(all_of_them.gradients["offset"], {1, 1}));

  const auto is_offset = [](const std::string& name) { return name == "offset"; };
  const auto selected = value_and_grad(slope, closure, is_offset);
  CHECK(selected.gradients.size() == 1);
  CHECK(near(slope.weight, {3, 3}));
}
