// test: moved
// Number of kernels of programs, and the bytes that they read and write; nothing runs outside of
// kernels.

#include <doctest/doctest.h>
#include <sinter/runtime/interpreter/interpret.hpp>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::are_kernels;
using sinter_test::by_device;

namespace {

// Fails the test if anything is interpreted while it exists.
struct Forbidden {
  Forbidden() { runtime::interpreter_is_forbidden() = true; }
  ~Forbidden() { runtime::interpreter_is_forbidden() = false; }
};

// The distance of `found` from `expected`, in ulps of `expected`.
double ulps(double found, double expected) {
  const double unit = std::nextafter(std::fabs(expected), HUGE_VAL) - std::fabs(expected);
  return std::fabs(found - expected) / unit;
}

template <class Expected>
double worst_ulps(const Tensor& found, const Tensor& x, Expected expected) {
  const std::vector<double> values = found.to_vector<double>(), inputs = x.to_vector<double>();
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    worst = std::max(worst, ulps(values[i], expected(inputs[i])));
  }
  return worst;
}

Tensor row_function(const Tensor& x) {
  return x / (1.0f + sum(abs(x - max(x, {-1}, true)), {-1}, true));
}

// A row function is one kernel at every rank, with static sizes and with symbols.
template <class Function>
void check_rows(Function function) {
  for (const bool symbolic : {false, true}) {
    for (int rank = 1; rank <= by_device(5, 2); ++rank) {
      INFO("rank " << rank << ", symbolic " << symbolic);
      Shape shape;
      for (int axis = 0; axis < rank; ++axis) shape.push_back(axis == rank - 1 ? 37 : 2 + axis);
      Tensor x = randn(shape);
      elements_of(x);
      if (symbolic) {
        for (int axis = 0; axis < rank; ++axis) mark_dynamic(x, axis);
      }
      const auto f = compile(function);
      Tensor found;
      {
        f(x);
        const Forbidden forbidden;
        found = f(x);
      }
      // On a GPU a single row of any length is shared by blocks.
      if (by_device(true, rank > 1)) CHECK(are_kernels(f.stats().kernels, 1));
      CHECK(near_tensor(found, on_host(function, x)));
    }
  }
}

}  // namespace

TEST_CASE("kernel counts: sin(sin(x)) of 10,000 floats is one that reads and writes once") {
  const Tensor x = randn({10000});
  const auto f = compile([](const Tensor& a) { return sin(sin(a)); }, {.fullgraph = true});
  CHECK(near_tensor(f(x), sin(sin(x)), 1e-6));
  CHECK(f.stats().kernels == 1);
  CHECK(f.stats().launches == 1);
  CHECK(f.stats().bytes_read == 40000);
  CHECK(f.stats().bytes_written == 40000);
}

TEST_CASE("kernel counts: cos(x) + sin(y) of 10,000 floats is one that reads both once") {
  const Tensor x = randn({10000}), y = randn({10000});
  const auto f = compile([](const Tensor& a, const Tensor& b) { return cos(a) + sin(b); });
  CHECK(near_tensor(f(x, y), cos(x) + sin(y), 1e-6));
  CHECK(f.stats().kernels == 1);
  CHECK(f.stats().bytes_read == 80000);
  CHECK(f.stats().bytes_written == 40000);
}

TEST_CASE("kernel counts: f64 functions are within 2 ulps of the C library") {
  const Tensor x = randn({10000}, f64) * 3.0;
  const Tensor positive = abs(x) + 1e-3;
  const auto all = compile([](const Tensor& a, const Tensor& p) {
    return std::vector<Tensor>{sin(a), cos(a), exp(a), tanh(a), log(p), sqrt(p)};
  });
  const std::vector<Tensor> found = all(x, positive);
  CHECK(worst_ulps(found[0], x, [](double v) { return std::sin(v); }) <= 2);
  CHECK(worst_ulps(found[1], x, [](double v) { return std::cos(v); }) <= 2);
  CHECK(worst_ulps(found[2], x, [](double v) { return std::exp(v); }) <= 2);
  CHECK(worst_ulps(found[3], x, [](double v) { return std::tanh(v); }) <= 2);
  CHECK(worst_ulps(found[4], positive, [](double v) { return std::log(v); }) <= 2);
  CHECK(worst_ulps(found[5], positive, [](double v) { return std::sqrt(v); }) <= 2);
}

TEST_CASE("kernel counts: softmax over the last axis is one") {
  check_rows([](const Tensor& x) { return softmax(x, -1); });
}

TEST_CASE("kernel counts: log_softmax over the last axis is one") {
  check_rows([](const Tensor& x) { return log_softmax(x, -1); });
}

TEST_CASE("kernel counts: layer_norm over the last axis is one") {
  check_rows([](const Tensor& x) { return layer_norm_over(x, 1); });
}

TEST_CASE("kernel counts: a row function without a name in the library is one") {
  check_rows(row_function);
}

TEST_CASE("kernel counts: rows of different lengths are one") {
  using Function = Tensor (*)(const Tensor& a, const Tensor& b);
  const Function outer_sum = [](const Tensor& a, const Tensor& b) {
    return sum(unsqueeze(a, 2) * unsqueeze(b, 1), {-2, -1});
  };
  const Function scaled = [](const Tensor& a, const Tensor& b) {
    return softmax(a, -1) / unsqueeze(sum(square(b), -1) + 1.0f, -1);
  };
  const Function gradient = [](const Tensor& a, const Tensor& b) {
    return grad([&](const Tensor& x) {
      return sum(square(softmax(x, -1) * unsqueeze(mean(softmax(b, -1) * b, {-1}), -1)));
    })(a);
  };
  for (const Function function : {outer_sum, scaled, gradient}) {
    for (const bool is_marked : {false, true}) {
      for (const bool is_strided : {false, true}) {
        Tensor a = is_strided ? transpose(randn({9, 20}), 0, 1) : randn({20, 9});
        Tensor b = is_strided ? slice(randn({20, 21}), 1, 2, 19) : randn({20, 17});
        elements_of(a), elements_of(b);
        if (is_marked) mark_dynamic(a, 0), mark_dynamic(a, 1), mark_dynamic(b, 1);
        CAPTURE(is_marked);
        CAPTURE(is_strided);
        const auto f = compile(function);
        CHECK(near_tensor(f(a, b), on_host(function, a, b)));
        CHECK(are_kernels(f.stats().kernels, 1));
      }
    }
  }
}

TEST_CASE("kernel counts: strict chains equal eager evaluation bit for bit") {
  const Tensor x = randn({3, 41}), y = randn({3, 41});
  const auto chain = [](const Tensor& a, const Tensor& b) {
    return sqrt(abs(a * b + 0.3f)) / (1.0f + b * b) - minimum(a, b) * 3.0f + a.to(f16).to(f32);
  };
  const auto strict = compile(chain, {.numerics = Numerics::strict});
  const auto eager = compile(chain, {.backend = Backend::eager});
  const auto ahead = compile(chain, {.backend = Backend::aot_eager, .numerics = Numerics::strict});
  CHECK(same_bits(strict(x, y), eager(x, y)));
  CHECK(same_bits(ahead(x, y), eager(x, y)));
  CHECK(same_bits(eager(x, y), chain(x, y)));
}

TEST_CASE("kernel counts: sizes 0 and 1 are computed like others") {
  const auto function = [](const Tensor& x) {
    return std::vector<Tensor>{softmax(x, -1), sum(x, {0}), x * 2.0f, sum(x)};
  };
  const auto f = compile(function);
  for (const int rows : {1, 0, 5, 0, 1}) {
    Tensor x = randn({rows, 3});
    mark_dynamic(x, 0);
    const std::vector<Tensor> found = f(x), expected = on_host(function, x);
    for (std::size_t i = 0; i < 4; ++i) CHECK(near_tensor(found[i], expected[i]));
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("kernel counts: integers are computed in wide types and narrowed afterwards") {
  const Tensor x = (arange(256) * 37 + 5).to(u8);
  elements_of(x.to(f64));
  const auto f = [](const Tensor& a) {
    return abs(a.to(i32)).to(i8) + abs(a.to(i16) - 300).to(i8);
  };
  const auto eager = compile(f, {.backend = Backend::eager});
  CHECK(near_tensor(compile(f)(x).to(f64), eager(x).to(f64), 0));
  const Tensor few = x[Slice{4, 10}];
  CHECK(near_tensor(compile(f)(few).to(f64), eager(few).to(f64), 0));
}
