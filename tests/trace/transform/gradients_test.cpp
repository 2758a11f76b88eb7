// test: moved
#include "testing.hpp"

#include <sinter/trace/transform/gradients.hpp>

#include <map>
#include <optional>

using namespace testing;

namespace {

struct Layer {
  Tensor weight = ones({2, 3});
  std::optional<Tensor> bias;
  SINTER_MODULE(Layer, weight, bias)
};

struct Model {
  std::vector<Layer> layers{Layer(), Layer{.bias = ones({2})}};
  std::map<std::string, Tensor> named{};
  SINTER_MODULE(Model, layers, named)
};

}  // namespace

TEST_CASE("Gradients: are found by name") {
  Gradients gradients({{"a", ones({2})}, {"b", zeros({1})}});
  gradients["b"] = vector({5});

  CHECK(gradients.size() == 2);
  CHECK(near(gradients["b"], {5}));
  CHECK(gradients.contains("a"));
  CHECK_FALSE(gradients.contains("c"));
}

TEST_CASE("Gradients: a name that is not there is answered with those that are") {
  const Gradients gradients({{"first.weight", ones({2})}});
  try {
    gradients["weight"];
    FAIL_CHECK("nothing was thrown");
  } catch (const ValueError& error) {
    const std::string report = error.what();
    CHECK(report.find("weight") != std::string::npos);
    CHECK(report.find("[first.weight]") != std::string::npos);
  }
  MISTAKE(ValueError, gradients["weight"], "gradients: ", "weight");
  MISTAKE(ValueError, gradients[std::string("bias")], "gradients: ", "bias");
}

TEST_CASE("clip_grad_norm: scales all down together, and gives the norm before") {
  Gradients gradients({{"a", vector({3, 0})}, {"b", vector({4})}});

  CHECK(near(clip_grad_norm(gradients, 1), {5}));
  CHECK(near(gradients["a"], {0.6, 0}, 1e-5));
  CHECK(near(gradients["b"], {0.8}, 1e-5));

  CHECK(near(clip_grad_norm(gradients, 10), {1}, 1e-5));
  CHECK(near(gradients["b"], {0.8}, 1e-5));
}

TEST_CASE("clip_grad_norm: takes other norms, and gradients of several dtypes, which they keep") {
  Gradients gradients({{"a", vector({3, -4})}, {"b", ones({2}, f16)}, {"c", ones({1}, f64)}});
  CHECK(near(clip_grad_norm(gradients, 100, 1), {10}));
  CHECK(near(clip_grad_norm(gradients, 2, infinity), {4}));
  CHECK(near(gradients["a"], {1.5, -2}, 1e-5));
  CHECK(gradients["a"].dtype() == f32);
  CHECK(gradients["b"].dtype() == f16);
  CHECK(gradients["c"].dtype() == f64);
  Gradients large({{"a", full({4}, 300.0f, f16)}});  // whose squares are no f16
  CHECK(near(clip_grad_norm(large, 6), {600}));
  CHECK(near(large["a"], {3, 3, 3, 3}, 1e-3));
  Gradients none;
  CHECK(near(clip_grad_norm(none, 1), {0}));
  MISTAKE(ValueError, clip_grad_norm(none, 1, 0), "norm_type", "0");
}

TEST_CASE("clip_grad_value: moves each element into the bounds; NaN stays") {
  Gradients gradients({{"a", vector({-3, 0.25f, 0.5f, not_a_number})}, {"b", ones({1}, f64)}});
  clip_grad_value(gradients, 0.3);
  CHECK(near(gradients["a"], {-0.3, 0.25, 0.3, not_a_number}));
  CHECK(near(gradients["b"], {0.3}, 1e-15));
}

TEST_CASE("Gradients: add up and scale by name, in any order") {
  Gradients total;
  total += Gradients({{"a", vector({1, 2})}, {"b", ones({1}, f16)}});
  total += Gradients({{"b", ones({1}, f16)}, {"a", vector({3, 4})}});
  CHECK(near(total["a"], {4, 6}));
  total /= 2;
  total *= Scalar(3.0f);
  CHECK(near(total["b"], {3}));
  CHECK(total["b"].dtype() == f16);
  CHECK(near((total + total * 2)["a"], {18, 27}));
  CHECK(near((total / 3)["a"], {2, 3}));
  CHECK(near(total["a"], {6, 9}));
  CHECK(near(zeros_like(total)["a"], {0, 0}));
}

TEST_CASE("zero_gradients: are zeros for the floating parameters, by name") {
  const Model model{.named = {{"a", ones({1})}, {"c", integers({1})}}};
  const Gradients zero = zero_gradients(model);
  CHECK(zero.size() == nn::named_parameters(model).size() - 1);
  CHECK_FALSE(zero.contains("named.c"));
  CHECK(near(zero["layers.1.bias"], {0, 0}));
}

TEST_CASE("Gradients: sums of other names and shapes are mistakes, which change nothing") {
  Gradients total({{"a", vector({1, 2})}, {"b", ones({1})}});
  MISTAKE(ValueError, total += Gradients({{"a", ones({2})}}), "[a, b]", "[a]");
  MISTAKE(ValueError, total += Gradients({{"a", ones({2})}, {"c", ones({1})}}), "[a, c]");
  MISTAKE(ShapeError, total += Gradients({{"a", ones({2})}, {"b", ones({2})}}), "b", "f32[2]");
  CHECK(near(total["a"], {1, 2}));
}
