// Generated kernels stay readable with dynamic sizes.

#include <doctest/doctest.h>

#include "jit/support.hpp"

using namespace testing;

namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t result = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++result;
  return result;
}

}  // namespace

TEST_CASE("kernel text: long expressions of sizes are computed once, and named") {
  const auto norm = [](const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return layer_norm(x, weight, bias);
  };
  const auto backward = [norm](const Tensor& up, const Tensor& x, const Tensor& weight,
                               const Tensor& bias) {
    auto [y, pull] = vjp(norm, x, weight, bias);
    return pull(up);
  };
  const auto f = compile(backward);
  for (const std::int64_t rows : {1, 3, 200}) {
    Tensor x = randn({rows, 37}), up = randn({rows, 37});
    for (Tensor* one : {&x, &up}) mark_dynamic(*one, 0), mark_dynamic(*one, 1);
    Tensor weight = randn({37}), bias = randn({37});
    for (Tensor* one : {&weight, &bias}) mark_dynamic(*one, 0);
    const auto found = f(up, x, weight, bias), expected = backward(up, x, weight, bias);
    CHECK(near_tensor(std::get<0>(found), std::get<0>(expected), 1e-4));
    CHECK(near_tensor(std::get<1>(found), std::get<1>(expected), 1e-4));
  }
  REQUIRE(f.explain().kernels.size() == 1);
  const std::string source = f.explain().kernels[0].source;
  CHECK(occurrences(source, "const long size0 = ") >= 1);
  CHECK(occurrences(source, "n0*n1) / ") <= 2 * occurrences(source, "const long size0 = "));
}

namespace {

// The beginning of a convolutional network.
struct Stem {
  nn::Conv2d convolution{3, 16, 7, {.stride = 2, .padding = 3, .bias = false}};
  nn::BatchNorm2d norm{16};
  SINTER_MODULE(Stem, convolution, norm)
  Tensor forward(const Tensor& x) {
    return max_pool2d(relu(norm(convolution(x))), 3, {.stride = 2, .padding = 1});
  }
};

}  // namespace

TEST_CASE("kernel text: in a network's first block, pools keep vectors and sums stay apart") {
  Stem stem;
  const Tensor x = randn({16, 3, 160, 160});
  const auto gradients = [&](Stem& model, const Tensor& images) {
    return sinter::value_and_grad(model, [&] { return sum(square(model(images))); });
  };
  const auto f = compile(gradients);
  f(stem, x);
  const auto& kernels = f.explain().kernels;
  const auto count = [&](const char* part) {
    return std::count_if(kernels.begin(), kernels.end(), [&](const KernelInfo& kernel) {
      return kernel.source.find(part) != std::string::npos;
    });
  };
  // The gradient of a pool stores pairs of vectors, which a kernel with sums over channels cannot.
  CHECK(count("store_pairs_f32") == 1);
  // Row tiles of the weight gradient would pack a million elements for each of 16 rows.
  CHECK(count("_part1_right") == 0);
}
