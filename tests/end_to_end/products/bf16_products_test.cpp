// test: moved
// bf16 products, for which some processors have a dot-product instruction.

#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include <limits>

using namespace sinter;
using namespace sinter::detail;

namespace {

Tensor numbers(const Shape& shape) {
  const Tensor result = randn(shape).to(bf16);
  evaluate(result);
  return result;
}

double apart(const Tensor& a, const Tensor& b) {
  return max(abs(a.to(f64) - b.to(f64))).item<double>();
}

}  // namespace

TEST_CASE("bf16 products: the padding of an odd depth adds nothing") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  auto product = compile([](const Tensor& x, const Tensor& w) { return matmul(x, w); });
  auto turned = compile([](const Tensor& x, const Tensor& w) {
    return matmul(transpose(x, 0, 1), transpose(w, 0, 1));
  });
  const Tensor ones = full({33, 33}, 1.0f, bf16), large = full({33, 33}, infinity, bf16);
  for (const auto& call :
       {product(ones, large), product(large, ones), turned(ones, large), turned(large, ones)}) {
    CHECK(min(call.to(f32)).item<float>() == infinity);
  }
}

TEST_CASE("bf16 products: accumulate in f32, for all sizes") {
  auto product = compile([](const Tensor& x, const Tensor& w) { return matmul(relu(x), w); });
  for (const std::int64_t rows : {0, 1, 40}) {
    for (const std::int64_t depth : {0, 1, 34, 601}) {
      Tensor x = numbers({rows, depth}), w = numbers({depth, 67});
      mark_dynamic(x, 0);
      mark_dynamic(x, 1);
      mark_dynamic(w, 0);
      const Tensor found = product(x, w), expected = matmul(relu(x.to(f32)), w.to(f32));
      CHECK(found.dtype() == bf16);
      if (rows > 0) CHECK(apart(found, expected) <= 4e-3 * (1 + max(abs(expected)).item<float>()));
    }
  }
}

TEST_CASE("bf16 products: strict products equal eager ones bit for bit") {
  const Tensor x = numbers({40, 33}), w = numbers({33, 20});
  const Tensor expected = matmul(x, w);
  auto product = compile([](const Tensor& a, const Tensor& b) { return matmul(a, b); },
                         {.numerics = Numerics::strict});
  CHECK(apart(product(x, w), expected) == 0);
}
