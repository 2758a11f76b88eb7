// test: moved
// Gathers one element of each computed row by index: neither the gather nor its gradient is a
// separate kernel, and an index out of range is still the user's error.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <sinter/sinter.hpp>

#include "moved.hpp"

using namespace sinter;
using namespace sinter::detail;
using sinter_test::are_kernels;

namespace {

Tensor loss(const Tensor& x, const Tensor& classes) {
  return -mean(gather(log_softmax(x, 1), 1, unsqueeze(classes, 1)));  // errors name this line
}
constexpr int line_of_loss = __LINE__ - 2;

auto step(const Tensor& x, const Tensor& classes) {
  const auto of = [&](const Tensor& a) { return loss(a, classes); };
  return value_and_grad(of)(x);
}

Tensor marked(Tensor x, bool is_marked) {
  for (int axis = 0; is_marked && axis < x.ndim(); ++axis) mark_dynamic(x, axis);
  return x;
}

// The loss and its gradient, as plain loops.
std::vector<double> by_loops(const std::vector<float>& x, const std::vector<std::int64_t>& classes,
                             std::size_t length) {
  const std::size_t count = classes.size();
  std::vector<double> result(1 + x.size());
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < length; ++j) sum += std::exp(double{x[i * length + j]});
    const auto at = static_cast<std::size_t>(classes[i]);
    result[0] -= (double{x[i * length + at]} - std::log(sum)) / static_cast<double>(count);
    for (std::size_t j = 0; j < length; ++j) {
      const double share = std::exp(double{x[i * length + j]}) / sum - (j == at ? 1 : 0);
      result[1 + i * length + j] = share / static_cast<double>(count);
    }
  }
  return result;
}

void check(bool is_marked) {
  auto fast = compile(step);
  for (const auto& [count, length] : {std::pair{7, 33}, {1, 12}, {64, 100}}) {
    if (!is_marked) fast = compile(step);
    const Tensor x = randn({count, length}), classes = randint(0, length, {count});
    const auto [value, gradient] = fast(marked(x, is_marked), marked(classes, is_marked));
    const auto expected = by_loops(x.to_vector<float>(), classes.to_vector<std::int64_t>(),
                                   static_cast<std::size_t>(length));
    // There may be fewer indices than rows where the two sizes are marked.
    if (!is_marked) CHECK(are_kernels(fast.stats().kernels, 1));
    CHECK(value.item<float>() == doctest::Approx(expected[0]).epsilon(1e-5));
    const auto found = gradient.to_vector<float>();
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      worst = std::max(worst, std::abs(found[i] - expected[1 + i]));
    }
    CHECK(worst < 1e-6);
  }
  if (is_marked) CHECK(fast.stats().recompiles == 0);
}

}  // namespace

TEST_CASE("gathered rows: a loss and its gradient are one kernel, with correct results") {
  check(false);
}

TEST_CASE("gathered rows: marked sizes are recorded once") { check(true); }

TEST_CASE("gathered rows: negative indices count from the end, others out of range are errors") {
  const auto fast = compile(loss);
  const Tensor x = randn({7, 33});
  const float last = fast(x, full({7}, 32, i64)).item<float>();
  CHECK(fast(x, full({7}, -1, i64)).item<float>() == last);
  for (const int index : {33, -34}) {
    std::string report;
    try {
      (void)fast(x, full({7}, index, i64)).item<float>();
    } catch (const IndexError& error) {
      report = error.what();
    }
    CHECK(report.find("gathered_rows_test.cpp:" + std::to_string(line_of_loss)) !=
          std::string::npos);
  }
  CHECK(are_kernels(fast.stats().kernels, 1));
}

TEST_CASE("gathered rows: fewer indices than rows, or several per row, are ordinary gathers") {
  const auto some = [](const Tensor& x, const Tensor& at) { return gather(softmax(x, 1), 1, at); };
  const auto fast = compile(some), eager = compile(some, {.backend = Backend::eager});
  const Tensor x = randn({6, 9});
  for (const Shape& shape : {Shape{4, 1}, Shape{6, 3}, Shape{6, 9}}) {
    const Tensor at = randint(0, 9, shape);
    const auto found = fast(x, at).to_vector<float>(), expected = eager(x, at).to_vector<float>();
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    }
  }
}

TEST_CASE("gathered rows: equal indices in one row add up, those of different rows stay separate") {
  const auto add = [](const Tensor& at, const Tensor& y) {
    return scatter_add(zeros({3, 4}), 1, at, y);
  };
  const auto fast = compile(add);
  const Tensor one = from_vector<std::int64_t>({3, 0, 3}, {3, 1});
  CHECK(fast(one, from_vector<float>({1, 2, 3}, {3, 1})).to_vector<float>() ==
        std::vector<float>{0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3});
  CHECK(are_kernels(fast.stats().kernels, 1));
  const Tensor two = from_vector<std::int64_t>({3, 3, 0, 1, 2, 2}, {3, 2});
  CHECK(fast(two, ones({3, 2})).to_vector<float>() ==
        std::vector<float>{0, 0, 0, 2, 1, 1, 0, 0, 0, 0, 2, 0});
}

TEST_CASE("gathered rows: the largest rows of bags of any size, and the gradient of the table") {
  const auto slope = [](const Tensor& table, const Tensor& bags) {
    const auto loss = [&](const Tensor& x) {
      return sum(square(embedding_bag(bags, x, {.mode = BagMode::max})));
    };
    return grad(loss)(table);
  };
  const Tensor table = marked(sin(reshape(arange(28), {7, 4}) * 2.3f), true);
  const Tensor bags = marked(reshape(arange(9) * 5 % 7, {3, 3}), true);
  const auto found = compile(slope)(table, bags).to_vector<float>();
  const auto expected = slope(table, bags).to_vector<float>();
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
  }
}

TEST_CASE("gathered rows: the gradient of a maximum over rows finds it in kernels along them") {
  const auto slope = grad([](const Tensor& x) {
    const Tensor y = transpose(softmax(x, 1), 0, 1), scaled = tanh(y * max(y, 1, true));
    return sum(scaled * cos(scaled));
  });
  const Tensor x = sin(reshape(arange(64 * 48), {64, 48}) * 3.7f);
  const auto found = compile(slope)(x).to_vector<float>(), expected = slope(x).to_vector<float>();
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    worst = std::max(worst, std::fabs(double{found[i]} - expected[i]));
  }
  CHECK(worst < 1e-6);
}

TEST_CASE("gathered rows: the largest of a row that selects among columns, for any size") {
  const auto slope = grad([](const Tensor& x) {
    const Tensor y = set(tanh(x), {all, 0}, x[{all, -1}]), z = logsumexp(y, 0, true) - y;
    return sum(square(take_along_axis(z, argmax(z, 1, true), 1) + z * 0.1f));
  });
  const Tensor x = marked(sin(reshape(arange(30), {5, 6}) * 2.3f), true);
  const auto found = compile(slope)(x).to_vector<float>(), expected = slope(x).to_vector<float>();
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));
  }
}

TEST_CASE("gathered rows: a maximum is among the sums of products that other kernels compute") {
  const auto shares = [](const Tensor& x, const Tensor& y) {
    const Tensor z = flip(x + x, {0, 1}) * 0.7f + y;
    const Tensor chosen = (z == max(z, 0, true)).to(x.dtype());
    return chosen / sum(chosen, 0, true);
  };
  for (const DType dtype : {f64, f32, bf16}) {
    const Tensor x = sin(reshape(arange(192), {3, 64}) * 3.7f).to(dtype);
    const Tensor y = sin(reshape(arange(192), {3, 64}) * 5.3f).to(dtype);
    const Tensor whole = sum(compile(shares)(x, y), 0).to(f32);
    for (const float one : whole.to_vector<float>()) CHECK(one == 1);
  }
}
