// test: deep emulator
// Row and column reductions and transposes on a GPU, here an emulated one: results and number of
// kernels.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "cuda_emulator/emulator.hpp"
#include "gpu.hpp"

using namespace gpu;

namespace {

// The largest difference between the interpreter and the GPU.
template <class Function, class... Arguments>
double error_of(std::int64_t kernels, Numerics numerics, const Function& function,
                const Arguments&... arguments) {
  const compiler::FreshCache fresh;
  emulator::Emulator machine;
  const auto fused = compile(function, {.numerics = numerics});
  const auto eager = compile(function, {.backend = Backend::eager});
  const auto found = fused(arguments.to(cuda())...), expected = eager(arguments...);
  double result = 0;
  const auto add = [&](const Tensor& a, const Tensor& b) {
    result = std::max(result, relative_difference(a, b));
  };
  std::apply(
      [&](const auto&... a) { std::apply([&](const auto&... b) { (add(a, b), ...); }, expected); },
      found);
  CHECK(fused.stats().kernels == kernels);
  CHECK(first_report(machine) == "");
  return result;
}

using One = std::tuple<Tensor>;

}  // namespace

TEST_CASE("gpu row kernels: a row function and its gradient are one kernel each") {
  const auto forward = [](const Tensor& x) { return One{softmax(x, 1)}; };
  const auto backward = [](const Tensor& g, const Tensor& x) {
    return One{vjp([](const Tensor& a) { return softmax(a, 1); }, x).pullback(g)};
  };
  for (const std::int64_t length : {1, 3, 77, 1025}) {
    const Tensor x = sample({9, length}), g = sample({9, length}, 0.71);
    CHECK(error_of(1, Numerics::fast, forward, x) < 1e-5);
    CHECK(error_of(1, Numerics::fast, backward, g, x) < 1e-5);
  }
}

TEST_CASE("gpu row kernels: gradients of parameters shared by rows are column sums") {
  const auto backward = [](const Tensor& g, const Tensor& x, const Tensor& w, const Tensor& b) {
    const auto norm = [](const Tensor& p, const Tensor& q, const Tensor& r) {
      return layer_norm(p, q, r);
    };
    return vjp(norm, x, w, b).pullback(g);
  };
  for (const std::int64_t width : {33, 256}) {
    const Tensor x = sample({65, width}), g = sample({65, width}, 0.71);
    const Tensor w = sample({width}, 0.2), b = sample({width}, 0.3);
    CHECK(error_of(2, Numerics::fast, backward, g, x, w, b) < 1e-4);
  }
}

TEST_CASE("gpu row kernels: a full sum, of any size, is split over many thread blocks") {
  Tensor any = sample({70001});
  const auto total = [](const Tensor& x) { return One{sum(x * x)}; };
  CHECK(error_of(2, Numerics::fast, total, any) < 1e-5);
  mark_dynamic(any, 0);
  CHECK(error_of(2, Numerics::fast, total, any) < 1e-5);
}

TEST_CASE("gpu row kernels: strict sums equal those of the interpreter bit for bit") {
  const Tensor x = sample({7, 1025}).to(f64), y = sample({7, 1025});
  const auto rows = [](const Tensor& a) { return One{sum(a, {1})}; };
  const auto columns = [](const Tensor& a) { return One{sum(a, {0})}; };
  CHECK(error_of(1, Numerics::strict, rows, x) == 0);
  CHECK(error_of(1, Numerics::strict, rows, y) == 0);
  CHECK(error_of(1, Numerics::strict, columns, x) == 0);
}

TEST_CASE("gpu row kernels: transposes are tiled") {
  const auto turned = [](const Tensor& x) { return One{reshape(transpose(x, 0, 1), {-1}) * 2.0f}; };
  CHECK(error_of(1, Numerics::fast, turned, sample({45, 70})) == 0);
  CHECK(error_of(1, Numerics::fast, turned, sample({64, 32}).to(bf16)) == 0);
}

// The first thread of a row writes the row's value, which other threads may not have read yet.
TEST_CASE(
    "gpu row kernels: a value that all threads of a row read is updated in place, after the last "
    "read") {
  emulator::Emulator machine;
  const auto count = [](Tensor& steps, const Tensor& x) {
    steps = steps + 1.0f;
    return x * steps / (1.0f + max(abs(x)));
  };
  const auto decay = [](Tensor& totals, const Tensor& x) {
    const Tensor sums = sum(x * unsqueeze(totals, 1), 1);
    const Tensor y = x * unsqueeze(totals, 1) + unsqueeze(sums, 1);
    totals = totals * 0.9f + sums;
    return y;
  };
  const auto check = [&](auto function, const Tensor& state, const Tensor& x) {
    const auto fused = compile(function), eager = compile(function, {.backend = Backend::eager});
    Tensor here = state, there = state.to(cuda());
    for (int i = 0; i < 3; ++i) {
      const Tensor expected = eager(here, x), found = fused(there, x.to(cuda()));
      CHECK(relative_difference(found, expected) < 1e-5);
      CHECK(relative_difference(there, here) < 1e-5);
    }
    CHECK(fused.stats().kernels == 1);
    CHECK(first_report(machine) == "");
  };
  check(count, full({}, 1.0f), sample({2048}));
  for (const std::int64_t length : {3, 60, 300, 5000}) {
    check(decay, ones({3}), sample({3, length}) * 0.01f);
  }
}
