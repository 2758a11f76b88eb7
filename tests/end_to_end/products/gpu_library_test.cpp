// test: deep emulator
// Large products run in a library where that computes all that their kernel does, and give what the
// eager backend gives.

#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "library_products.hpp"

using namespace library_products;

TEST_CASE("gpu library: operands may lie along rows or columns, and so may the result") {
  LIBRARY_TEST();
  const auto turn = [](const Tensor& t) { return transpose(t, 0, 1); };
  const Tensor a = sample({m, k}), b = sample({k, n}), at = sample({k, m}), bt = sample({n, k});
  const auto plain = [](const Tensor& x, const Tensor& y) { return matmul(x, y); };
  const auto left = [=](const Tensor& x, const Tensor& y) { return matmul(turn(x), y); };
  const auto right = [=](const Tensor& x, const Tensor& y) { return matmul(x, turn(y)); };
  const auto both = [=](const Tensor& x, const Tensor& y) { return matmul(turn(x), turn(y)); };
  const auto result = [](const Tensor& x, const Tensor& y) { return einsum("ik,kj->ji", {x, y}); };
  CHECK(products(machine, plain, a, b) == 1);
  CHECK(products(machine, left, at, b) == 1);
  CHECK(products(machine, right, a, bt) == 1);
  CHECK(products(machine, both, at, bt) == 1);
  CHECK(products(machine, result, a, b) == 1);
  CHECK(machine.heuristics() == 5);
}

TEST_CASE("gpu library: every dtype, with what the library does at the end") {
  LIBRARY_TEST();
  for (const DType dtype : {f32, bf16, f16, f64}) {
    CAPTURE(to_string(dtype));
    const Tensor x = sample({m, k}).to(dtype), w = sample({n, k}).to(dtype);
    const Tensor y = sample({k, n}).to(dtype), r = sample({m, n}).to(dtype);
    const Tensor b = sample({n}).to(dtype);
    const auto dense = [](const Tensor& t, const Tensor& u, const Tensor& v) {
      return linear(t, u, v);
    };
    const auto gated = [](const Tensor& t, const Tensor& u, const Tensor& v) {
      return relu(linear(t, u, v));
    };
    const auto smooth = [](const Tensor& t, const Tensor& u, const Tensor& v) {
      return gelu(linear(t, u, v), Gelu::tanh);
    };
    const auto bare = [](const Tensor& t, const Tensor& u) { return relu(matmul(t, u)); };
    const auto added = [](const Tensor& t, const Tensor& u, const Tensor& v) {
      return v + matmul(t, u) * 0.125f;
    };
    const auto layer = [](const Tensor& t, const Tensor& u, const Tensor& v, const Tensor& s) {
      return relu(s * 0.5f + linear(t, u, v));
    };
    CHECK(products(machine, dense, x, w, b) == 1);
    CHECK(products(machine, gated, x, w, b) == 1);
    CHECK(products(machine, smooth, x, w, b) == 1);
    CHECK(products(machine, bare, x, y) == 1);
    CHECK(products(machine, added, x, y, r) == 1);
    CHECK(products(machine, layer, x, w, b, r) == 1);
  }
}

TEST_CASE("gpu library: the text of a kernel says that the library computes it, and when") {
  LIBRARY_TEST();
  const auto text_for = [&](const Tensor& here, bool varies = false) {
    const auto f = compile([](const Tensor& x, const Tensor& y) { return matmul(x, y); });
    Tensor there = here.to(cuda());
    if (varies) mark_dynamic(there, 0);
    f(there, sample({k, n}).to(cuda()));
    return f.explain().kernels.at(0).source;
  };
  CHECK(text_for(sample({m, k})).starts_with("// Where cuBLASLt can be used it computes this;"));
  CHECK(text_for(sample({m, k}), true)
            .starts_with("// Where cuBLASLt can be used it computes this, "
                         "if it is large; the kernel runs elsewhere."));
  CHECK_FALSE(text_for(sample({8, k})).starts_with("// Where"));
}

TEST_CASE("gpu library: an f16 product may be stored as f32") {
  LIBRARY_TEST();
  const Tensor x = sample({m, k}).to(bf16), y = sample({k, n}).to(bf16), r = sample({m, n});
  const auto wide = [](const Tensor& t, const Tensor& u, const Tensor& v) {
    return v + matmul(t, u).to(f32);
  };
  const Tensor got = compile(wide)(x.to(cuda()), y.to(cuda()), r.to(cuda()));
  CHECK(relative_difference(got, r + matmul(x.to(f32), y.to(f32))) < 2e-2);
}

TEST_CASE(
    "gpu library: a batch is one call, or several if its strides do not form one batch dimension") {
  LIBRARY_TEST();
  const auto product = [](const Tensor& x, const Tensor& y) { return matmul(x, y); };
  CHECK(products(machine, product, sample({3, m, k}), sample({3, k, n})) == 1);
  CHECK(products(machine, product, sample({2, 3, m, k}), sample({2, 3, k, n})) == 1);
  CHECK(products(machine, product, sample({3, m, k}), sample({k, n})) == 1);
  CHECK(products(machine, product, sample({m, k}), sample({3, k, n})) == 1);
  CHECK(products(machine, product, sample({2, 3, m, k}), sample({3, k, n})) == 2);
  const auto heads = [](const Tensor& x, const Tensor& y) {
    return einsum("bihd,bjhd->bhij", {x, y});
  };
  CHECK(products(machine, heads, sample({2, m, 3, k}), sample({2, n, 3, k})) == 2);
  const auto back = [](const Tensor& x, const Tensor& y) {
    return einsum("bhij,bjhd->bihd", {x, y});
  };
  CHECK(products(machine, back, sample({2, 3, m, k}), sample({2, k, 3, n})) == 2);
}

TEST_CASE("gpu library: a slice of a tensor is an operand without a copy") {
  LIBRARY_TEST();
  const auto part = [](const Tensor& x, const Tensor& y) {
    return matmul(x[{Slice{3, 3 + m}, Slice{5, 5 + k}}], y[{Slice{0, k}, Slice{1, 1 + n}}]);
  };
  CHECK(products(machine, part, sample({m + 8, k + 7}), sample({k + 2, n + 3})) == 1);
}

TEST_CASE("gpu library: state is accumulated in place") {
  LIBRARY_TEST();
  Tensor here = sample({m, n}), there = here.to(cuda());
  const Tensor x = sample({m, k}), y = sample({k, n});
  const auto f = [](Tensor& s, const Tensor& t, const Tensor& u) { s += matmul(t, u); };
  compile(f, {.backend = Backend::eager})(here, x, y);
  auto compiled = compile(f);
  compiled(there, x.to(cuda()), y.to(cuda()));
  CHECK(relative_difference(there, here) < tolerance(f32));
  CHECK(machine.products() == 1);
}

TEST_CASE(
    "gpu library: a dynamic size queries the library once per value; small sizes stay kernels") {
  LIBRARY_TEST();
  const auto f = [](const Tensor& x, const Tensor& w, const Tensor& b) {
    return relu(linear(x, w, b));
  };
  auto compiled = compile(f);
  const Tensor w = sample({n, k}), b = sample({n});
  const Tensor far_w = w.to(cuda()), far_b = b.to(cuda());
  std::size_t expected = 0;
  for (const std::int64_t rows : {m, m + 1, m, m + 16, m + 1, std::int64_t{5}}) {
    const Tensor x = sample({rows, k});
    Tensor far = x.to(cuda());
    mark_dynamic(far, 0);
    CHECK(relative_difference(compiled(far, far_w, far_b), f(x, w, b)) < tolerance(f32));
    expected += rows != 5 ? 1 : 0;
    CHECK(machine.products() == expected);
  }
  CHECK(machine.heuristics() == 3);
  CHECK(compiled.stats().recompiles == 0);
}

TEST_CASE("gpu library: activations keep NaN") {
  LIBRARY_TEST();
  std::vector<float> values(static_cast<std::size_t>(m * k), 0.25f);
  values[0] = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = from_vector(values, {m, k}), y = sample({k, n});
  const auto f = [](const Tensor& t, const Tensor& u) { return relu(matmul(t, u)); };
  const std::vector<float> got = compile(f)(x.to(cuda()), y.to(cuda())).to_vector<float>();
  CHECK(machine.products() == 1);
  CHECK(std::isnan(got[0]));
  CHECK(got[static_cast<std::size_t>(n)] >= 0);
}

TEST_CASE("gpu library: gradients also use the library") {
  LIBRARY_TEST();
  const auto f = [](const Tensor& x, const Tensor& w, const Tensor& b) {
    const auto loss = [&](const Tensor& weight) { return sum(square(relu(linear(x, weight, b)))); };
    return value_and_grad(loss)(w).gradient;
  };
  CHECK(products(machine, f, sample({m, k}), sample({n, k}), sample({n})) > 0);
}
