// test: moved
// Products with a deep left operand that is contiguous along rows: it is transposed before tiling.

#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace sinter;
using namespace sinter::detail;
using sinter_test::by_device;
using testing::on_host;

namespace {

Tensor numbers(const Shape& shape, DType dtype) {
  const Tensor result = (randn(shape) * 3.0f).to(dtype);
  evaluate(result);
  return result;
}

double apart(const Tensor& a, const Tensor& b) {
  const ScopedDevice host(cpu());
  return max(abs(a.to(cpu()).to(f64) - b.to(cpu()).to(f64))).item<double>();
}

// Runs two depths, so that sizes are static first and then symbolic; both agree with eager
// evaluation.
template <class Function>
void check(Function function, DType dtype, double within) {
  auto compiled = compile(function);
  for (const std::int64_t depth : {by_device(700, 130), by_device(843, 147)}) {
    const Tensor x = numbers({depth, 53}, dtype), w = numbers({depth, 70}, dtype);
    const Tensor expected = on_host(function, x, w);
    CHECK(apart(compiled(x, w), expected) <= within);
    if (!sinter_test::on_gpu()) CHECK(compiled(x, w).dtype() == expected.dtype());
  }
}

}  // namespace

TEST_CASE("transposed operands: a transposed input, in every dtype") {
  const auto product = [](const Tensor& x, const Tensor& w) {
    return matmul(transpose(x, -1, -2), w);
  };
  for (const DType dtype : {f32, f16, bf16}) check(product, dtype, dtype == f32 ? 2e-3 : 8);
  check(product, f64, 1e-9);
  for (const DType dtype : {i8, u8, i32, i64}) {
    if (by_device(true, dtype == i8 || dtype == i64)) check(product, dtype, 0);
  }
}

TEST_CASE("transposed operands: a computed operand is transposed") {
  check([](const Tensor& x, const Tensor& w) { return matmul(transpose(exp(x * 0.1f), 0, 1), w); },
        f32, 5e-3);
  check([](const Tensor& x, const Tensor& w) { return relu(matmul(transpose(x, 0, 1), w) + 1.0f); },
        f32, 2e-3);
}

TEST_CASE("transposed operands: batched products, and contractions over several axes") {
  const auto batched =
      compile([](const Tensor& x, const Tensor& w) { return matmul(transpose(x, -1, -2), w); });
  const Tensor x = numbers({3, by_device(400, 70), 49}, f32),
               w = numbers({3, by_device(400, 70), 65}, f32);
  CHECK(apart(batched(x, w), matmul(transpose(x, -1, -2), w)) < 2e-3);
  const auto function = [](const Tensor& a, const Tensor& b) {
    return einsum("kij,lkj->il", {transpose(a, 0, 2) * 0.5f, b});
  };
  const Tensor a = numbers({40, 50, 21}, f32), b = numbers({19, 21, 40}, f32);
  CHECK(apart(compile(function)(a, b), on_host(function, a, b)) < 2e-3);
  const auto image = [](const Tensor& i, const Tensor& k) { return conv2d(i, k, {.padding = 1}); };
  const Tensor i = numbers({2, by_device(60, 20), 9, 18}, f32),
               k = numbers({17, by_device(60, 20), 3, 3}, f32);
  CHECK(apart(compile(image)(i, k), on_host(image, i, k)) < 5e-3);
}

TEST_CASE("transposed operands: few rows of sums over two axes, the inner one of dynamic length") {
  const auto function = [](const Tensor& a, const Tensor& b) {
    return einsum("tni,tnj->ij", {a * 0.5f, b});
  };
  const auto compiled = compile(function);
  for (const std::int64_t length :
       {std::int64_t{3}, by_device<std::int64_t>(400, 40), std::int64_t{7}}) {
    Tensor a = numbers({5, length, 16}, f32), b = numbers({5, length, 8}, f32);
    mark_dynamic(a, 1), mark_dynamic(b, 1);
    CHECK(apart(compiled(a, b), on_host(function, a, b)) < 5e-3);
  }
}

TEST_CASE("transposed operands: few columns of an input, with rows that lie along the depth") {
  const auto product = [](const Tensor& x, const Tensor& w) {
    return matmul(transpose(x, 0, 1), transpose(w, 0, 1));
  };
  for (const std::int64_t rows : {1, 5, 16}) {
    const std::int64_t depth = by_device(700, 130);
    const Tensor x = numbers({depth, rows}, f32), w = numbers({90, depth}, f32);
    CHECK(apart(compile(product)(x, w), on_host(product, x, w)) < 2e-3);
  }
}

TEST_CASE("transposed operands: products of depth 0") {
  const auto compiled = compile([](const Tensor& w, const Tensor& x) { return matmul(w, x); });
  for (const std::int64_t length : {5, 0}) {
    Tensor w = ones({40, length}), x = ones({length});
    mark_dynamic(w, 1, {.min = 0}), mark_dynamic(x, 0, {.min = 0});
    CHECK(max(abs(compiled(w, x) - static_cast<float>(length))).item<float>() == 0);
  }
}
