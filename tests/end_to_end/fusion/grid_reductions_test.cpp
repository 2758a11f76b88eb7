// test: moved
// Reductions across threads, fused with their producers: number of kernels of row functions, their
// gradients and means.

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::are_kernels;
using sinter_test::by_device;
using sinter_test::most_kernels;

namespace {

struct Case {
  Shape shape{};
  DType dtype = f32;
  bool symbolic = false;
  double tolerance = 1e-5;
};

Tensor values(const Shape& shape, const Case& one) {
  const auto drawn = [&] { return randn(shape).to(one.dtype); };
  Tensor x = on_host(drawn).to(current_device());
  for (int axis = 0; one.symbolic && axis < shape.size(); ++axis) mark_dynamic(x, axis);
  return x;
}

// The number of kernels of `function`; checks its results against the eager backend.
template <class Function, class... Arguments>
std::int64_t kernels(const Case& one, const Function& function, const Arguments&... arguments) {
  const auto fused = compile(function);
  const auto eager = compile(function, {.backend = Backend::eager});
  const auto found = fused(arguments...), expected = on_host(eager, arguments...);
  const auto check = [&](const Tensor& a, const Tensor& b) {
    CHECK(near_tensor(a.to(f64), on_host([](const Tensor& x) { return x.to(f64); }, b),
                      one.tolerance));
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

// The gradients of all parameters of a row function.
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
  CHECK(are_kernels(kernels(one, normed, x, gain, bias), 1));
  const auto layer = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    return layer_norm(a, b, c);
  };
  CHECK(are_kernels(kernels(one, gradients(layer), cotangent, x, gain, bias), 1));
  if (by_device(false, one.dtype != f32)) return;
  const auto root = [](const Tensor& a, const Tensor& b) { return rms_norm(a, b); };
  CHECK(are_kernels(kernels(one, gradients(root), cotangent, x, gain), 1));
  const auto biased = [](const Tensor& a, const Tensor& b) { return gelu(a + b); };
  CHECK(are_kernels(kernels(one, gradients(biased), cotangent, x, bias), 1));
}

}  // namespace

TEST_CASE("grid reductions: norms and their gradients, also those of parameters, are one kernel") {
  if (!sinter_test::on_gpu()) check_norms({{256, 96}});
  check_norms({{77, 33}});
  check_norms({{77, 33}, f32, true});
  check_norms({{by_device(130, 66), 40}, f64, false, 1e-10});
  check_norms({{by_device(130, 66), 40}, bf16, false, 0.1});
  check_norms({{by_device(130, 66), 40}, f16, false, 0.02});
}

TEST_CASE("grid reductions: the mean of a row function is part of its kernel") {
  const Case one{};
  const Tensor x = values({200, 30}, one), target = remainder(arange(200), 30);
  elements_of(target.to(f64));
  const auto loss = [](const Tensor& a, const Tensor& b) {
    return std::tuple<Tensor>(cross_entropy(a, b));
  };
  CHECK(are_kernels(kernels(one, loss, x, target), 1));
  const auto norm = [](const Tensor& a) { return std::tuple<Tensor>(sqrt(sum(a * a))); };
  CHECK(are_kernels(kernels(one, norm, x), 1));
  const Tensor more = values({by_device(400, 90), by_device(300, 50)}, one);
  CHECK(are_kernels(kernels(one, norm, more), 1));
}

TEST_CASE("grid reductions: a sum of products of broadcast values is a product of sums") {
  const Case one{{}, f64, false, 1e-12};
  const std::int64_t rows = by_device(1024, 40);
  const Tensor x = values({rows, 64}, one), y = values({rows, 64}, one);
  const auto f = compile([](const Tensor& a, const Tensor& b) {
    return sum(unsqueeze(a, 2) * unsqueeze(b, 1), {-2, -1});
  });
  CHECK(near_tensor(f(x, y), sum(x, {1}) * sum(y, {1}), 1e-12));
  CHECK(are_kernels(f.stats().kernels, 1));
  CHECK(f.stats().bytes_read == 2 * 8 * rows * 64);
  CHECK(f.stats().bytes_written == 8 * rows);
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
    if (by_device(false, count == 64 || count == 511)) continue;
    INFO("rows " << count);
    const Tensor x = values({count, by_device(70000, 6000) / count + 5}, one);
    const std::int64_t most = count < 100 ? 2 : 1;  // a second kernel combines few partial sums
    CHECK(kernels(one, columns_first, x) <= most_kernels(most));
    CHECK(kernels(one, all_first, x) <= most_kernels(most));
  }
  const Tensor narrow_rows = values({by_device(70001, 2001), 3}, one);
  CHECK(are_kernels(kernels(one, columns_first, narrow_rows), 1));
  CHECK(kernels(one, all_first, values({5, by_device(14001, 801)}, one)) <= most_kernels(2));
}

TEST_CASE("grid reductions: a loss and the gradient of a bias are one kernel") {
  const Case one{};
  const auto step = [](const Tensor& bias, const Tensor& x, const Tensor& y) {
    const auto loss = [&](const Tensor& b) { return mse_loss(x + b, y); };
    const auto [value, gradient] = value_and_grad(loss)(bias);
    return std::tuple<Tensor, Tensor>(value, gradient);
  };
  for (const std::int64_t count : {64, 128, 256}) {
    if (by_device(false, count == 128)) continue;
    const Shape shape{count, by_device(65536, 4096) / count};
    const Tensor x = values(shape, one), y = values(shape, one), bias = values({shape[1]}, one);
    CHECK(are_kernels(kernels(one, step, bias, x, y), 1));
  }
}

TEST_CASE("grid reductions: a sum over an operand of a product is correct when fused with it") {
  for (const DType dtype : {f32, f64}) {
    const Case one{{}, dtype, false, dtype == f32 ? 1e-4 : 1e-10};
    for (const std::int64_t size : {256, 300}) {
      if (by_device(false, size == (dtype == f32 ? 256 : 300))) continue;
      const Shape shape{by_device(size, size / 5), by_device(size, size / 5)};
      const Tensor a = values(shape, one), b = values(shape, one);
      const auto plain = [](const Tensor& x, const Tensor& y) {
        return std::tuple<Tensor, Tensor>(mean(x * x), matmul(x, y));
      };
      const auto turned = [](const Tensor& x, const Tensor& y) {
        return std::tuple<Tensor, Tensor>(max(abs(y)), matmul(x, transpose(y, 0, 1)));
      };
      CHECK(kernels(one, plain, a, b) <= most_kernels(3));
      CHECK(kernels(one, turned, a, b) <= most_kernels(3));
    }
  }
}

TEST_CASE(
    "grid reductions: a reduction that reads another one runs after it, for rows of any length") {
  const auto spread = [](const Tensor& x) { return sum(square(x - mean(x))); };
  const auto peak = [](const Tensor& x) { return logsumexp(x, 0); };
  for (const Numerics numerics : {Numerics::strict, Numerics::fast}) {
    for (const std::int64_t count : {65536, 65537, 200001}) {
      const std::int64_t of_gpu = numerics == Numerics::strict ? 65537 : 200001;
      if (by_device(false, count != of_gpu)) continue;
      Tensor x = rand({by_device(count, count / 40 + 1)}) - 0.5f;
      const auto in_f64 = [&](const auto& f) {
        const auto wide = [&](const Tensor& a) { return f(a.to(f64)); };
        return on_host(wide, x).template item<double>();
      };
      const double expected = in_f64(spread), top = in_f64(peak);
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

TEST_CASE(
    "grid reductions: a long f32 sum is as precise as a pairwise sum, for any number of threads") {
  const Tensor x = rand({by_device(1 << 20, 1 << 13)});
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

TEST_CASE(
    "grid reductions: strict sums equal those of the eager backend bit for bit, at any length") {
  const auto sums = [](const Tensor& x) {
    return std::tuple{mean(square(x)), sum(abs(x), 0), prod(1.0f + x / 1024.0f, 1)};
  };
  for (const DType dtype : {f32, f16}) {
    const Tensor x = randn({by_device(1027, 67), by_device(513, 35)}).to(dtype);
    const auto [all, columns, rows] = compile(sums, {.numerics = Numerics::strict})(x);
    const auto expected = compile(sums, {.backend = Backend::eager})(x);
    CHECK(near(all, numbers(std::get<0>(expected)), 0));
    CHECK(near(columns, numbers(std::get<1>(expected)), 0));
    CHECK(near(rows, numbers(std::get<2>(expected)), 0));
  }
}

TEST_CASE("grid reductions: rows that are read in another order as well are right") {
  const auto flipped = [](const Tensor& x, const Tensor& y) {
    const Tensor scaled = (x - sum(x, 1, true)) * sum(y, 0);
    const Tensor moved = y + flip(scaled, 0);
    return std::tuple<Tensor, Tensor>(moved, sum(moved, 1));
  };
  const auto written = [](const Tensor& x, const Tensor& y) {
    const Tensor scaled = max(x, 1, true) * sum(y, 0);
    const Tensor moved = set(x, {Slice{0, 1}}, scaled[Slice{1, 2}]);
    const Tensor doubled = set(x, {Slice{0, 1}}, scaled[Slice{1, 2}] * 2.0f);
    return std::tuple<Tensor, Tensor>(sum(sin(moved), 0), sum(sin(doubled), 0));
  };
  for (const bool symbolic : {false, true}) {
    const Case one{.symbolic = symbolic};
    kernels(one, flipped, values({5, 4}, one), values({5, 4}, one));
    kernels(one, written, values({5, 4}, one), values({5, 4}, one));
  }
}

TEST_CASE("grid reductions: the same bits for any number of threads, call after call" *
          doctest::test_suite("host: its threads")) {
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
