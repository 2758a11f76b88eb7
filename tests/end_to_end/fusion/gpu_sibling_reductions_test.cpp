// test: deep emulator gpu
// Sibling fusion of column reductions with rows on a GPU: gradients of gains and biases of norms.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "cuda_emulator/gpus.hpp"
#include "gpu.hpp"

using namespace gpu;

// An emulated GPU reports data races.
#define COLUMNS_TEST(machine)       \
  const compiler::FreshCache fresh; \
  SINTER_GPUS(machine, 1)({.all_races = true})

namespace {

using Results = std::vector<Tensor>;

// layer_norm and all of its gradients.
Results normed(const Tensor& x, const Tensor& w, const Tensor& b, const Tensor& g) {
  const auto [value, pull] = vjp([](const Tensor& a, const Tensor& gain,
                                    const Tensor& bias) { return layer_norm(a, gain, bias); },
                                 x, w, b);
  const auto [of_x, of_gain, of_bias] = pull(g);
  return {value, of_x, of_gain, of_bias};
}

// Whether `compiled` on the GPU agrees with `f` on the host's eager backend.
template <class F, class C>
void check(const F& f, const C& compiled, const std::vector<Tensor>& x, double tolerance) {
  const Results expected = compile(f, {.backend = Backend::eager})(x[0], x[1], x[2], x[3]);
  const Results got = compiled(x[0].to(cuda()), x[1].to(cuda()), x[2].to(cuda()), x[3].to(cuda()));
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(relative_difference(got[i], expected[i]) < tolerance);
  }
}

std::vector<Tensor> inputs(std::int64_t rows, std::int64_t columns, DType dtype) {
  return {sample({rows, columns}).to(dtype), sample({columns}, 0.21).to(dtype),
          sample({columns}, 0.05).to(dtype), sample({rows, columns}, 0.11).to(dtype)};
}

template <class C>
std::string text_of(const C& compiled) {
  std::string result;
  for (const KernelInfo& kernel : compiled.explain().kernels) result += kernel.source;
  return result;
}

// Whether rows are combined in chunks.
template <class C>
bool combines(const C& compiled) {
  return has(text_of(compiled), "* const c");
}

}  // namespace

TEST_CASE(
    "gpu sibling reductions: one launch computes rows and partial column sums, one combines them") {
  COLUMNS_TEST(machine);
  const auto f = compile(normed, {.mode = Mode::reduce_overhead});
  const auto x = inputs(1030, 512, f32);
  for (int call = 0; call < 3; ++call) check(normed, f, x, 1e-5);
  CHECK(f.stats().launches == 2);
  CHECK(combines(f));
}

TEST_CASE("gpu sibling reductions: packs of any length, and all dtypes") {
  COLUMNS_TEST(machine);
  check(normed, compile(normed), inputs(1024, 515, f32), 1e-5);
  check(normed, compile(normed), inputs(1024, 514, f64), 1e-5);
  check(normed, compile(normed), inputs(1100, 768, bf16), 5e-2);
}

TEST_CASE("gpu sibling reductions: any number of rows") {
  COLUMNS_TEST(machine);
  auto f = compile(normed);
  for (const std::int64_t rows : {1030, 2050, 3, 1100}) {
    CAPTURE(rows);
    check(normed, f, inputs(rows, 512, f32), 1e-5);
    CHECK(combines(f));
  }
  CHECK(f.stats().recompiles == 1);
  for (const std::int64_t rows : {1, 0}) check(normed, f, inputs(rows, 512, f32), 1e-5);
}

TEST_CASE("gpu sibling reductions: rows of several axes, extremes and products") {
  COLUMNS_TEST(machine);
  const auto f = [](const Tensor& x, const Tensor& w, const Tensor&, const Tensor& g) -> Results {
    const Tensor y = softmax(permute(x, {1, 0, 2}) * g, -1) * w;
    const std::vector<int> rows{0, 1};
    return {y, max(y, rows), min(y, rows), sum(y, rows), prod(y * 0.001f + 1.0f, rows)};
  };
  std::vector<Tensor> x = inputs(1032, 512, f32);
  x[0] = reshape(x[0], {8, 129, 512});
  x[3] = reshape(x[3], {129, 8, 512});
  const auto compiled = compile(f);
  check(f, compiled, x, 1e-5);
  CHECK(compiled.stats().launches == 5);  // the rows, and one combine per kind of reduction
}

TEST_CASE("gpu sibling reductions: rows that span two loops") {
  COLUMNS_TEST(machine);
  const auto f = [](const Tensor& x, const Tensor&, const Tensor&, const Tensor& g) -> Results {
    const std::vector<int> row{1, 2};
    const Tensor product = x * permute(g, {0, 2, 1});
    const Tensor y = product - mean(product, row, true), z = reshape(y, {1024, 512});
    const Tensor e = softmax(z, -1);
    return {y, e, sum(e * z, 0), sum(z, 0)};
  };
  std::vector<Tensor> x = inputs(1024, 512, f32);
  x[0] = reshape(x[0], {1024, 8, 64});
  x[3] = reshape(x[3], {1024, 64, 8});
  const auto compiled = compile(f);
  check(f, compiled, x, 1e-5);
  CHECK(combines(compiled));
}

TEST_CASE("gpu sibling reductions: rows that do not fit registers") {
  COLUMNS_TEST(machine);
  const auto wide = [](const Tensor& x, const Tensor&, const Tensor&, const Tensor& g) -> Results {
    const Tensor y = (x - mean(x, -1, true)) * g;
    return {y, sum(y, 0)};
  };
  const auto any = compile(wide);
  for (const std::int64_t rows : {3, 514}) check(wide, any, inputs(rows, 8192, f64), 1e-5);
  CHECK(combines(any));
  CHECK(has(text_of(any), "; first += "));
}

TEST_CASE(
    "gpu sibling reductions: strict sums keep their order, so they are in kernels of their own") {
  COLUMNS_TEST(machine);
  const auto f = compile(normed, {.numerics = Numerics::strict});
  check(normed, f, inputs(1024, 512, f32), 1e-5);
  CHECK_FALSE(combines(f));
}
