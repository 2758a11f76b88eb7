// Rows, columns and transposes on a GPU, here an emulated one: what they give, in how many kernels.

#include <doctest/doctest.h>
#include <sinter/compile/cache.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "cuda_emulator/emulator.hpp"

using namespace sinter;

namespace {

Tensor sample(Shape shape, double step = 0.37) {
  const std::int64_t count = numel(shape).value();
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(std::sin(static_cast<double>(i) * step)));
  }
  return reshape(from_vector(values, {count}), shape);
}

// The largest difference between what the interpreter gives here and a GPU gives, relative to 1.
template <class Function, class... Arguments>
double difference(std::int64_t kernels, Numerics numerics, const Function& function,
                  const Arguments&... arguments) {
  const compiler::FreshCache fresh;
  emulator::Emulator machine;
  const auto fused = compile(function, {.numerics = numerics});
  const auto eager = compile(function, {.backend = Backend::eager});
  const auto found = fused(arguments.to(cuda())...), expected = eager(arguments...);
  double result = 0;
  const auto add = [&](const Tensor& a, const Tensor& b) {
    const auto first = a.to(cpu()).to(f64).template to_vector<double>();
    const auto second = b.to(f64).template to_vector<double>();
    REQUIRE(first.size() == second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      const double one = std::abs(first[i] - second[i]) / (1 + std::abs(second[i]));
      result = std::isnan(one) ? INFINITY : std::max(result, one);
    }
  };
  std::apply([&](const auto&... a) {
    std::apply([&](const auto&... b) { (add(a, b), ...); }, expected);
  }, found);
  CHECK(fused.stats().kernels == kernels);
  const std::vector<std::string> reports = machine.reports();
  CHECK((reports.empty() ? "" : reports[0]) == "");
  return result;
}

using One = std::tuple<Tensor>;

}  // namespace

TEST_CASE("gpu rows: a row function and its gradient are one kernel each") {
  const auto forward = [](const Tensor& x) { return One{softmax(x, 1)}; };
  const auto backward = [](const Tensor& g, const Tensor& x) {
    return One{vjp([](const Tensor& a) { return softmax(a, 1); }, x).pullback(g)};
  };
  for (const std::int64_t length : {1, 3, 77, 1025}) {
    const Tensor x = sample({9, length}), g = sample({9, length}, 0.71);
    CHECK(difference(1, Numerics::fast, forward, x) < 1e-5);
    CHECK(difference(1, Numerics::fast, backward, g, x) < 1e-5);
  }
}

TEST_CASE("gpu rows: gradients of what rows share are sums over blocks of columns") {
  const auto backward = [](const Tensor& g, const Tensor& x, const Tensor& w, const Tensor& b) {
    const auto norm = [](const Tensor& p, const Tensor& q, const Tensor& r) {
      return layer_norm(p, q, r);
    };
    return vjp(norm, x, w, b).pullback(g);
  };
  for (const std::int64_t width : {33, 256}) {
    const Tensor x = sample({65, width}), g = sample({65, width}, 0.71);
    const Tensor w = sample({width}, 0.2), b = sample({width}, 0.3);
    CHECK(difference(2, Numerics::fast, backward, g, x, w, b) < 1e-4);
  }
}

TEST_CASE("gpu rows: a sum of all, of any size, is shared by many blocks") {
  Tensor any = sample({70001});
  const auto total = [](const Tensor& x) { return One{sum(x * x)}; };
  CHECK(difference(2, Numerics::fast, total, any) < 1e-5);
  mark_dynamic(any, 0);
  CHECK(difference(2, Numerics::fast, total, any) < 1e-5);
}

TEST_CASE("gpu rows: strict sums have the bits of the interpreter's") {
  const Tensor x = sample({7, 1025}).to(f64), y = sample({7, 1025});
  const auto rows = [](const Tensor& a) { return One{sum(a, {1})}; };
  const auto columns = [](const Tensor& a) { return One{sum(a, {0})}; };
  CHECK(difference(1, Numerics::strict, rows, x) == 0);
  CHECK(difference(1, Numerics::strict, rows, y) == 0);
  CHECK(difference(1, Numerics::strict, columns, x) == 0);
}

TEST_CASE("gpu rows: what is turned is turned in tiles") {
  const auto turned = [](const Tensor& x) { return One{reshape(transpose(x, 0, 1), {-1}) * 2.0f}; };
  CHECK(difference(1, Numerics::fast, turned, sample({45, 70})) == 0);
  CHECK(difference(1, Numerics::fast, turned, sample({64, 32}).to(bf16)) == 0);
}
