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
