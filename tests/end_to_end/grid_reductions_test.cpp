// Reductions over what threads share, in the kernel of what they reduce: how many kernels row
// functions, their gradients and means become.

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Case {
  Shape shape{};
  DType dtype = f32;
  bool symbolic = false;
  double tolerance = 1e-5;
};

Tensor values(const Shape& shape, const Case& one) {
  Tensor x = randn(shape).to(one.dtype);
  elements_of(x.to(f64));
  for (int axis = 0; one.symbolic && axis < shape.size(); ++axis) mark_dynamic(x, axis);
  return x;
}

// The kernels of `function`, whose results are those of the eager backend.
template <class Function, class... Arguments>
std::int64_t kernels(const Case& one, const Function& function, const Arguments&... arguments) {
  const auto fused = compile(function);
  const auto eager = compile(function, {.backend = Backend::eager});
  const auto found = fused(arguments...), expected = eager(arguments...);
  const auto check = [&](const Tensor& a, const Tensor& b) {
    CHECK(near_tensor(a.to(f64), b.to(f64), one.tolerance));
  };
  std::apply(
      [&](const auto&... a) {
        std::apply([&](const auto&... b) { (check(a, b), ...); }, expected);
      },
      found);
  return fused.stats().kernels;
}

std::tuple<Tensor> normed(const Tensor& x, const Tensor& gain, const Tensor& bias) {
  return {layer_norm(x, gain, bias)};
}

// Of a row function with parameters: the gradients of all of them.
template <class Function>
auto gradients(const Function& function) {
  return [function](const Tensor& cotangent, const auto&... arguments) {
    return vjp(function, arguments...).pullback(cotangent);
  };
}

void check_norms(const Case& one) {
  INFO(one.shape << " " << one.dtype << " symbolic " << one.symbolic);
  const Shape columns{one.shape[1]};
  const Tensor x = values(one.shape, one), cotangent = values(one.shape, one);
  const Tensor gain = values(columns, one), bias = values(columns, one);
  CHECK(kernels(one, normed, x, gain, bias) == 1);
  const auto layer = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    return layer_norm(a, b, c);
  };
  CHECK(kernels(one, gradients(layer), cotangent, x, gain, bias) == 1);
  const auto root = [](const Tensor& a, const Tensor& b) { return rms_norm(a, b); };
  CHECK(kernels(one, gradients(root), cotangent, x, gain) == 1);
  const auto biased = [](const Tensor& a, const Tensor& b) { return gelu(a + b); };
  CHECK(kernels(one, gradients(biased), cotangent, x, bias) == 1);
}

}  // namespace

TEST_CASE("grid reductions: norms and their gradients, those of parameters too, are one kernel") {
  check_norms({{256, 96}});
  check_norms({{77, 33}});
  check_norms({{77, 33}, f32, true});
  check_norms({{130, 40}, f64, false, 1e-10});
  check_norms({{130, 40}, bf16, false, 0.1});
  check_norms({{130, 40}, f16, false, 0.02});
}

TEST_CASE("grid reductions: a mean of a row function is in its kernel") {
  const Case one{};
  const Tensor x = values({200, 30}, one), target = remainder(arange(200), 30);
  elements_of(target.to(f64));
  const auto loss = [](const Tensor& a, const Tensor& b) {
    return std::tuple<Tensor>(cross_entropy(a, b));
  };
  CHECK(kernels(one, loss, x, target) == 1);
  const auto norm = [](const Tensor& a) { return std::tuple<Tensor>(sqrt(sum(a * a))); };
  CHECK(kernels(one, norm, x) == 1);
  CHECK(kernels(one, norm, values({400, 300}, one)) == 1);
}

TEST_CASE("grid reductions: a sum of products of what repeats is a product of sums") {
  const Case one{{}, f64, false, 1e-12};
  const Tensor x = values({1024, 64}, one), y = values({1024, 64}, one);
  const auto f = compile([](const Tensor& a, const Tensor& b) {
    return sum(unsqueeze(a, 2) * unsqueeze(b, 1), {-2, -1});
  });
  CHECK(near_tensor(f(x, y), sum(x, {1}) * sum(y, {1}), 1e-12));
  CHECK(f.stats().kernels == 1);
  CHECK(f.stats().bytes_read == 2 * 8 * 1024 * 64);
  CHECK(f.stats().bytes_written == 8 * 1024);
}

TEST_CASE("grid reductions: sums of rows and of all share a kernel, whichever comes first") {
  const Case one{};
  const auto columns_first = [](const Tensor& a) {
    const Tensor columns = sum(a, {0}), all = sum(a);
    return std::tuple<Tensor, Tensor>(columns, all);
  };
  const auto all_first = [](const Tensor& a) {
    const Tensor all = max(a), columns = sum(a * a, {0});
    return std::tuple<Tensor, Tensor>(columns, all);
  };
  for (const std::int64_t count : {20, 64, 200, 511, 600}) {
    INFO("rows " << count);
    const Tensor x = values({count, 70000 / count + 5}, one);
    const std::int64_t most = count < 100 ? 2 : 1;  // few chunks of many columns are joined apart
    CHECK(kernels(one, columns_first, x) <= most);
    CHECK(kernels(one, all_first, x) <= most);
  }
  CHECK(kernels(one, columns_first, values({70001, 3}, one)) == 1);
  CHECK(kernels(one, all_first, values({5, 14001}, one)) <= 2);
}

TEST_CASE("grid reductions: a loss and the gradient of a bias are one kernel") {
  const Case one{};
  const auto step = [](const Tensor& bias, const Tensor& x, const Tensor& y) {
    const auto loss = [&](const Tensor& b) { return mse_loss(x + b, y); };
    const auto [value, gradient] = value_and_grad(loss)(bias);
    return std::tuple<Tensor, Tensor>(value, gradient);
  };
  for (const std::int64_t count : {64, 128, 256}) {
    const Shape shape{count, 65536 / count};
    const Tensor x = values(shape, one), y = values(shape, one), bias = values({shape[1]}, one);
    CHECK(kernels(one, step, bias, x, y) == 1);
  }
}

TEST_CASE("grid reductions: a total of what a product reads is right beside the product") {
  for (const DType dtype : {f32, f64}) {
    const Case one{{}, dtype, false, dtype == f32 ? 1e-4 : 1e-10};
    for (const std::int64_t size : {256, 300}) {
      const Tensor a = values({size, size}, one), b = values({size, size}, one);
      const auto plain = [](const Tensor& x, const Tensor& y) {
        return std::tuple<Tensor, Tensor>(mean(x * x), matmul(x, y));
      };
      const auto turned = [](const Tensor& x, const Tensor& y) {
        return std::tuple<Tensor, Tensor>(max(abs(y)), matmul(x, transpose(y, 0, 1)));
      };
      CHECK(kernels(one, plain, a, b) <= 3);
      CHECK(kernels(one, turned, a, b) <= 3);
    }
  }
}

TEST_CASE("grid reductions: one that reads another comes after it, in rows of any length") {
  const auto spread = [](const Tensor& x) { return sum(square(x - mean(x))); };
  const auto peak = [](const Tensor& x) { return logsumexp(x, 0); };
  for (const Numerics numerics : {Numerics::strict, Numerics::fast}) {
    for (const std::int64_t count : {65536, 65537, 200001}) {
      Tensor x = rand({count}) - 0.5f;
      const double expected = spread(x.to(f64)).item<double>(),
                   top = peak(x.to(f64)).item<double>();
      const auto found = [&](const auto& f) {
        return compile(f, {.numerics = numerics})(x).to(f64).template item<double>();
      };
      CHECK(std::fabs(found(spread) - expected) < 1e-4 * expected);
      CHECK(std::fabs(found(peak) - top) < 1e-4 * top);
      mark_dynamic(x, 0);
      CHECK(std::fabs(found(spread) - expected) < 1e-4 * expected);
      CHECK(std::fabs(found(peak) - top) < 1e-4 * top);
    }
  }
}

TEST_CASE("grid reductions: a long sum of f32 is as precise as one by pairs, for any threads") {
  const Tensor x = rand({1 << 20});
  const std::vector<double> numbers = x.to(f64).to_vector<double>();
  double exact = 0;
  for (const double number : numbers) exact += number;
  const auto f = compile([](const Tensor& a) { return sum(a); });
  set_num_threads(1);
  const float alone = f(x).item<float>();
  set_num_threads(3);
  const float shared = f(x).item<float>();
  set_num_threads(0);
  CHECK(alone == shared);
  CHECK(std::fabs(static_cast<double>(alone) - exact) < 2e-7 * exact);
}

TEST_CASE("grid reductions: strict sums have the bits of the eager backend's, however long") {
  const auto sums = [](const Tensor& x) {
    return std::tuple{mean(square(x)), sum(abs(x), 0), prod(1.0f + x / 1024.0f, 1)};
  };
  for (const DType dtype : {f32, f16}) {
    const Tensor x = randn({1027, 513}).to(dtype);
    const auto [all, columns, rows] = compile(sums, {.numerics = Numerics::strict})(x);
    const auto expected = compile(sums, {.backend = Backend::eager})(x);
    CHECK(near(all, numbers(std::get<0>(expected)), 0));
    CHECK(near(columns, numbers(std::get<1>(expected)), 0));
    CHECK(near(rows, numbers(std::get<2>(expected)), 0));
  }
}

TEST_CASE("grid reductions: the same bits for any number of threads, call after call") {
  const Case one{};
  const Tensor x = values({1500, 400}, one), y = values({1500, 400}, one);
  const auto f = compile([](const Tensor& a, const Tensor& b) {
    const Tensor e = softmax(a, -1);
    return std::tuple<Tensor, Tensor>(sum(e * b, {0}), mean(e * b * b));
  });
  set_num_threads(1);
  const auto [columns, number] = f(x, y);
  const auto expected = columns.to_vector<float>();
  for (int round = 0; round < 20; ++round) {
    set_num_threads(1 + round % 4);
    const auto [again, same] = f(x, y);
    CHECK(again.to_vector<float>() == expected);
    CHECK(same.item<float>() == number.item<float>());
  }
  set_num_threads(0);
}
