// Strict numerics equal the eager backend bit for bit. Fast numerics keep zeros and infinities of
// products and sums.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "jit/support.hpp"

using namespace testing;

namespace {

using Function = Tensor (*)(const Tensor&, const Tensor&);

// Of f32 or f64 x[n, 1] and y[1, m].
const std::vector<std::pair<const char*, Function>> sums_of_one{
    {"sum", [](const Tensor& x, const Tensor&) { return sum(x, 1); }},
    {"mean", [](const Tensor& x, const Tensor&) { return mean(x, 1, true); }},
    {"cumsum", [](const Tensor& x, const Tensor&) { return cumsum(x, 1); }},
    {"cumprod", [](const Tensor& x, const Tensor&) { return cumprod(x, 1); }},
    {"prod", [](const Tensor& x, const Tensor&) { return prod(x, 1); }},
    {"matmul", [](const Tensor& x, const Tensor& y) { return matmul(x, y); }},
    {"linear", [](const Tensor& x, const Tensor& y) { return linear(x, transpose(y, 0, 1)); }},
    {"bmm",
     [](const Tensor& x, const Tensor& y) { return matmul(unsqueeze(x, 0), unsqueeze(y, 0)); }},
    {"conv1d",
     [](const Tensor& x, const Tensor&) {
       return conv1d(unsqueeze(transpose(x, 0, 1), 0), ones({1, 1, 1}, x.dtype()));
     }},
    {"avg_pool1d", [](const Tensor& x,
                      const Tensor&) { return avg_pool1d(unsqueeze(transpose(x, 0, 1), 0), 1); }},
    {"sum of a product", [](const Tensor& x, const Tensor& y) { return sum(x * y, 1); }},
    {"sums of sums",
     [](const Tensor& x, const Tensor& y) { return sum(sum(x * y, 1, true), 0) + x; }},
};

// x[n, m], y[n, m] and positions i[n, m] below m.
using Long = Tensor (*)(const Tensor&, const Tensor&, const Tensor&);
const std::vector<std::pair<const char*, Long>> sums_of_many{
    {"sum", [](const Tensor& x, const Tensor&, const Tensor&) { return sum(x); }},
    {"sum of rows", [](const Tensor& x, const Tensor& y, const Tensor&) { return sum(x * y, 1); }},
    {"std", [](const Tensor& x, const Tensor&, const Tensor&) { return sinter::std(x); }},
    {"std after masked_scatter",
     [](const Tensor& x, const Tensor& y, const Tensor&) {
       return sinter::std(masked_scatter(x, y > 0.0f, y));
     }},
    {"norm", [](const Tensor& x, const Tensor&, const Tensor&) { return norm(x, 2, 1); }},
    {"cumsum", [](const Tensor& x, const Tensor&, const Tensor&) { return cumsum(x, 1); }},
    {"prod", [](const Tensor& x, const Tensor&, const Tensor&) { return prod(x, 1); }},
    {"matmul",
     [](const Tensor& x, const Tensor& y, const Tensor&) { return matmul(x, transpose(y, 0, 1)); }},
    {"scatter_add",
     [](const Tensor& x, const Tensor& y, const Tensor& i) { return scatter_add(x, 1, i, y); }},
    {"index_add",
     [](const Tensor& x, const Tensor& y, const Tensor& i) { return index_add(x, 1, i[0], y); }},
    {"gradient of index_select",
     [](const Tensor& x, const Tensor&, const Tensor& i) {
       return grad([&](const Tensor& v) { return sum(square(index_select(v, 1, i[0]))); })(x);
     }},
};

std::string bits_that_differ(const Tensor& found, const Tensor& expected) {
  return same_bits(found, expected) ? std::string() : to_string(found) + " is not as expected";
}

Tensor with_zeros(Shape shape, DType dtype) {
  const Tensor zero = where(rand(shape) < 0.5f, full({}, -0.0f), full({}, 0.0f));
  return where(rand(shape) < 0.4f, zero, randn(shape)).to(dtype);
}

Tensor random_step(const Tensor& x, const Tensor& start, unsigned kind, int axis) {
  if (kind == 0) return sum(x, axis, true);
  if (kind == 1) return cumsum(x, axis);
  if (kind == 2) return x * start;
  if (kind == 3) return matmul(x, transpose(x, 0, 1));
  if (kind == 4) return concatenate({x, -x}, axis);
  if (kind == 5) {
    return index_add(x, 0, zeros({5}, i64),
                     x[Slice{0, 1}] * ((arange(5).to(x.dtype()) + 1.0) * 0.3)[{all, newaxis}]);
  }
  return kind == 6 ? prod(x, axis, true) : mean(x, axis, true) - x;
}

// Five steps, chosen by `code`, that keep the shape of `start` or extents of 1.
Tensor program(const Tensor& start, std::int64_t code) {
  std::mt19937 choose(static_cast<std::mt19937::result_type>(code));
  Tensor x = start;
  for (int step = 0; step < 5; ++step) {
    const unsigned kind = choose() % 8;
    x = random_step(x, start, kind, static_cast<int>(choose() % 2));
    if (x.size(0) != start.size(0) && x.size(0) != 1) x = x[Slice{0, start.size(0)}];
    if (x.size(1) != start.size(1) && x.size(1) != 1) x = sum(x, 1, true);
  }
  return x;
}

}  // namespace

TEST_CASE("strict: sums over one element keep the sign of zero") {
  for (const auto& [name, f] : sums_of_one) {
    for (const DType dtype : {f32, f64}) {
      INFO(std::string(name));
      const auto strict = compile(f, {.numerics = Numerics::strict});
      const Tensor x = full({3, 1}, -0.0f, dtype), y = ones({1, 4}, dtype);
      CHECK(bits_that_differ(strict(x, y), f(x, y)) == "");
    }
  }
}

TEST_CASE("strict: sums equal those of the eager backend bit for bit") {
  random::manual_seed(17);
  for (const auto& [name, f] : sums_of_many) {
    const auto strict = compile(f, {.numerics = Numerics::strict});
    for (const DType dtype : {f32, f64}) {
      INFO(std::string(name));
      const Tensor x = randn({33, 40}, dtype), y = randn({33, 40}, dtype);
      const Tensor i = randint(0, 40, {33, 40});
      CHECK(bits_that_differ(strict(x, y, i), f(x, y, i)) == "");
    }
  }
}

TEST_CASE("strict: products of many terms equal the eager backend bit for bit") {
  random::manual_seed(29);
  const auto multiply = [](const Tensor& x, const Tensor& y) { return matmul(x, y); };
  const auto strict = compile(multiply, {.numerics = Numerics::strict});
  for (const DType dtype : {f32, f16, bf16, f64}) {
    for (const std::int64_t terms : {256, 257, 1000, 4097}) {
      for (const std::int64_t rows : {1, 3, 40}) {
        INFO(text(dtype, ", ", rows, " x ", terms));
        const Tensor x = randn({rows, terms}).to(dtype), y = randn({terms, 33}).to(dtype);
        CHECK(bits_that_differ(strict(x, y), multiply(x, y)) == "");
      }
    }
  }
}

TEST_CASE("strict: random programs of sums, products and zeros") {
  random::manual_seed(23);
  for (std::int64_t code = 0; code < 24; ++code) {
    INFO("code " << code);
    const DType dtype = code % 2 == 0 ? f32 : f64;
    const Tensor x = with_zeros({1 + code % 5, 1 + code / 5 % 37}, dtype);
    const auto strict = compile(program, {.numerics = Numerics::strict});
    CHECK(bits_that_differ(strict(x, code), program(x, code)) == "");
  }
}

TEST_CASE("fast: a product with a zero is 0, even if partial products overflow") {
  const auto product = [](const Tensor& x) { return prod(x); };
  const auto fast = compile(product, {.dynamic = Dynamic::on});
  for (const DType dtype : {f32, f64}) {
    for (const int side : {64, 61}) {
      Tensor x = full({side, side}, 9.0, dtype);
      CHECK(std::isinf(fast(x).to(f64).item<double>()));
      for (const int zero : {0, side * side / 2, side * side - 1}) {
        const Tensor position = arange(side * side) == zero;
        const Tensor y = reshape(where(position, 0.0f, reshape(x, {side * side})), {side, side});
        CHECK(fast(y.to(dtype)).to(f64).item<double>() == 0);
        const Tensor with_infinity = set(y.to(dtype), {1, 1}, infinity);
        CHECK(std::isnan(fast(with_infinity).to(f64).item<double>()));
      }
      CHECK(std::isnan(fast(set(x, {0, 3}, std::nan(""))).to(f64).item<double>()));
    }
  }
  const auto rows = compile([](const Tensor& x) { return prod(x, 1); });
  const Tensor mixed = reshape(from_vector(std::vector<float>{2, 3, 0, -1, 5, 6}, {6}), {2, 3});
  CHECK(rows(mixed).to_vector<float>() == std::vector<float>{0, -30});
  CHECK(rows(zeros({2, 0})).to_vector<float>() == std::vector<float>{1, 1});
  const auto gradient = compile(grad(product));
  CHECK(gradient(from_vector(std::vector<float>{0, 2, 3}, {3})).to_vector<float>() ==
        std::vector<float>{6, 0, 0});
}

TEST_CASE("fast: nansum of an infinity and large numbers is the infinity") {
  const auto fast = compile([](const Tensor& x) { return nansum(x); });
  std::vector<float> values(300, 3e38f);
  values[0] = -infinity, values[7] = std::nanf("");
  CHECK(fast(from_vector(values, {300})).item<float>() == -infinity);
}

TEST_CASE("hardtanh: bounds outside the range of an integer dtype are clamped to it") {
  const Tensor x = from_vector(std::vector<std::uint8_t>{0, 1, 2, 200}, {4});
  CHECK(hardtanh(x).to_vector<std::uint8_t>() == std::vector<std::uint8_t>{0, 1, 1, 1});
  const Tensor all =
      hardtanh(from_vector(std::vector<std::int32_t>{-7, 7}, {2}), -infinity, infinity);
  CHECK(all.to_vector<std::int32_t>() == std::vector<std::int32_t>{-7, 7});
}

TEST_CASE("triu, tril, diagonal: any offset that fits an integer") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  const Tensor x = ones({2, 3});
  CHECK(sum(triu(x, most)).item<float>() == 0);
  CHECK(sum(triu(x, least)).item<float>() == 6);
  CHECK(sum(tril(x, most)).item<float>() == 6);
  CHECK(sum(tril(x, least)).item<float>() == 0);
  CHECK(diagonal(x, most).numel().value() == 0);
  CHECK(diagonal(x, least).numel().value() == 0);
}

TEST_CASE("convolutions: the bias is promoted, as in linear") {
  const Tensor x = ones({1, 1, 3}, i64), w = ones({1, 1, 1}, i64), bias = full({1}, 0.75f);
  CHECK(conv1d(x, w, bias).to_vector<float>() == std::vector<float>(3, 1.75f));
  CHECK(conv_transpose1d(x, w, bias).to_vector<float>() == std::vector<float>(3, 1.75f));
  CHECK(conv1d(x.to(f32), w.to(f32), bias.to(f64)).dtype() == f64);
  const amp::ScopedAutocast scope;
  CHECK(conv1d(x.to(f32), w.to(f32), bias).dtype() == bf16);
}

TEST_CASE("BatchNorm: the cumulative average counts batches in f64; InstanceNorm does not count") {
  nn::BatchNorm1d norm(1, {.momentum = std::nullopt});
  norm.running_mean->value = zeros({1}, f64), norm.running_var->value = ones({1}, f64);
  const std::vector<double> means{1, 2, 6};
  for (const double v : means) norm(from_vector(std::vector<double>{v - 1, v + 1}, {2, 1}));
  CHECK(norm.running_mean->value.item<double>() == doctest::Approx(3).epsilon(1e-15));

  nn::InstanceNorm1d instance(1, {.track_running_stats = true});
  instance(randn({2, 1, 4}));
  CHECK(instance.num_batches_tracked->value.item<std::int64_t>() == 0);
  CHECK(instance.running_mean->value.item<float>() != 0);
}
