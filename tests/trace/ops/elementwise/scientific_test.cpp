// test: moved
#include "functions.hpp"

#include <sinter/trace/ops/elementwise/scientific.hpp>

using namespace testing;

namespace {

constexpr double inf = HUGE_VAL, not_number = NAN;
const Numbers points{-30, -2.5, -1, -0.3, -1e-9, 0, 1e-300, 1e-5, 0.5, 1, 3, 20, 700};

}  // namespace

TEST_CASE("scientific: functions of one number are those of the C library") {
  const Numbers inside{-1, -0.999999, -0.5, -1e-12, 0, 1e-200, 0.3, 0.75, 1};
  const Numbers above{1e-300, 1e-5, 0.5, 1, 2, 7, 1e10, 1e300};
  CHECK(agrees([](Tensor x) { return tan(x); }, points, [](double x) { return std::tan(x); }));
  CHECK(agrees([](Tensor x) { return sinh(x); }, points, [](double x) { return std::sinh(x); },
               2e-15));
  CHECK(agrees([](Tensor x) { return cosh(x); }, points, [](double x) { return std::cosh(x); },
               2e-15));
  CHECK(agrees([](Tensor x) { return asinh(x); }, points, [](double x) { return std::asinh(x); }));
  CHECK(agrees([](Tensor x) { return asin(x); }, inside, [](double x) { return std::asin(x); }));
  CHECK(agrees([](Tensor x) { return acos(x); }, inside, [](double x) { return std::acos(x); },
               1e-15));
  CHECK(agrees([](Tensor x) { return atanh(x); }, inside, [](double x) { return std::atanh(x); }));
  CHECK(agrees([](Tensor x) { return acosh(x); }, above, [](double x) { return std::acosh(x); }));
  CHECK(agrees([](Tensor x) { return log2(x); }, above, [](double x) { return std::log2(x); }));
  CHECK(agrees([](Tensor x) { return log10(x); }, above, [](double x) { return std::log10(x); }));
  CHECK(agrees([](Tensor x) { return exp2(x); }, points, [](double x) { return std::exp2(x); }));
  CHECK(agrees([](Tensor x) { return square(x); }, points, [](double x) { return x * x; }));
  CHECK(
      agrees([](Tensor x) { return rsqrt(x); }, above, [](double x) { return 1 / std::sqrt(x); }));
  CHECK(agrees([](Tensor x) { return reciprocal(x); }, above, [](double x) { return 1 / x; }));
}

TEST_CASE("scientific: small arguments keep all their digits") {
  const Numbers small{1e-8, 1e-20, 1e-300};
  for (Apply function : {Apply(sinh), Apply(asinh), Apply(atanh), Apply(asin), Apply(tan)}) {
    const auto found = function(from_vector(small, {3})).to_vector<double>();
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::fabs(found[i] / small[i] - 1) < 1e-15);
    const double zero = function(full({}, -0.0, f64)).item<double>();
    CHECK(zero == 0);
    CHECK(std::signbit(zero));
  }
}

TEST_CASE("log2, log10: powers of the base give whole numbers") {
  Numbers twos, tens, exponents;
  for (int i = -300; i <= 300; ++i) {
    exponents.push_back(i);
    twos.push_back(std::ldexp(1.0, i));
    tens.push_back(std::strtod(text("1e", i).c_str(), nullptr));
  }
  CHECK(gives([](Tensor x) { return log2(x); }, twos, exponents, 0));
  CHECK(gives([](Tensor x) { return log10(x); }, tens, exponents, 0));
  CHECK(slopes([](Tensor x) { return log2(x); }, {8, 1}, {1 / (8 * M_LN2), 1 / M_LN2}));
}

TEST_CASE("scientific: outside of the domain is NaN, at its ends are infinities") {
  CHECK(gives([](Tensor x) { return asin(x); }, {1.5, -inf, not_number},
              {not_number, not_number, not_number}));
  CHECK(gives([](Tensor x) { return acosh(x); }, {0.5, -3, inf, not_number},
              {not_number, not_number, inf, not_number}));
  CHECK(gives([](Tensor x) { return atanh(x); }, {1, -1, 1.5}, {inf, -inf, not_number}));
  CHECK(gives([](Tensor x) { return asinh(x); }, {inf, -inf, not_number, 1e308},
              {inf, -inf, not_number, std::asinh(1e308)}));
  CHECK(gives([](Tensor x) { return sinh(x); }, {710, -inf}, {std::sinh(710.0), -inf}, 2e-15));
  CHECK(gives([](Tensor x) { return cosh(x); }, {710, -inf}, {std::cosh(710.0), inf}, 2e-15));
  CHECK(slopes([](Tensor x) { return asin(x); }, {1, -1, 0}, {inf, inf, 1}));
  CHECK(slopes([](Tensor x) { return acos(x); }, {1, -1, 0}, {-inf, -inf, -1}));
  CHECK(slopes([](Tensor x) { return sinh(x); }, {0, inf}, {1, inf}));
  CHECK(slopes([](Tensor x) { return asinh(x); }, {0, 1e200}, {1, 1e-200}));
}

TEST_CASE("atan2: all quadrants, signed zeros and infinities") {
  const Numbers ys{0.0, -0.0, 1.0, -2.0, inf, -inf, 1e-300},
      xs{0.0, -0.0, 3.0, -0.5, inf, -inf, 1e300};
  const auto all = atan2(from_vector(ys, {7, 1}), from_vector(xs, {7})).to_vector<double>();
  auto next = all.begin();
  for (const double y : ys) {
    for (const double x : xs) {
      const double found = *next++, expected = std::atan2(y, x);
      CAPTURE(y);
      CAPTURE(x);
      CHECK(std::fabs(found - expected) <= 4e-16 * std::fabs(expected));
      CHECK(std::signbit(found) == std::signbit(expected));
    }
  }
  const auto of_y = [](Tensor y) { return atan2(y, 2); };
  CHECK(slopes(of_y, {0, 2, -50}, {0.5, 0.25, 2 / 2504.0}));
  const auto of_x = [](Tensor x) { return atan2(3, x); };
  CHECK(slopes(of_x, {0, 3, -50}, {-1 / 3.0, -1 / 6.0, -3 / 2509.0}));
  CHECK(slopes([](Tensor y) { return atan2(y, 0); }, {0}, {0}));
}

TEST_CASE("hypot, logaddexp: do not overflow") {
  CHECK(near(hypot(full({1}, 3e200, f64), 4e200), {5e200}));
  CHECK(near(hypot(vector({0, infinity, not_a_number}), vector({0, 1, 1})),
             {0, infinity, not_a_number}));
  CHECK(slopes([](Tensor x) { return hypot(x, 4); }, {3, 0}, {0.6, 0}));
  CHECK(near(logaddexp(vector({1000, -infinity, infinity}), vector({1000, -infinity, 0})),
             {1000 + M_LN2, -infinity, infinity}));
}

TEST_CASE("pow: integers stay integers, and wrap") {
  CHECK(pow(integers({2, -3}), 3).dtype() == i64);
  CHECK(near(pow(integers({2, -3, 0}), 3), {8, -27, 0}));
  CHECK(near(pow(integers({2, -3, 0, 5}), integers({10, 3, 0, 1})), {1024, -27, 1, 5}));
  CHECK(near(pow(integers({1, -1, -1, 2}), integers({-3, -3, -2, -1})), {1, -1, 1, 0}));
  CHECK(near(pow(full({1}, 2, i8), 7), {-128}));
  CHECK(near(pow(full({1}, 2, u8), full({1}, 200, u8)), {0}));
  CHECK(near(pow(integers({4}), 0.5), {2}));
  CHECK(near(pow(vector({2, 9, -2}), vector({10, 0.5, 3})), {1024, 3, -8}));
  MISTAKE(ValueError, pow(integers({2}), -1), "pow: ", "negative integer", "x.to(f32)");
}

TEST_CASE("scientific: 16 bits are computed in f32 and rounded once, integers count as f32") {
  for (const DType dtype : {f16, bf16}) {
    const Tensor x = vector({0.1f, 0.7f, -0.3f}).to(dtype);
    for (Apply function : {Apply(asin), Apply(sinh), Apply(rsqrt), Apply(atanh), Apply(log2)}) {
      CHECK(function(x).dtype() == dtype);
      CHECK(alike(function(x), function(x.to(f32)).to(dtype), 0));
    }
  }
  CHECK(tan(integers({1})).dtype() == f32);
  CHECK(atan2(integers({1}), integers({2})).dtype() == f32);
  CHECK(hypot(ones({2}, f16), 2.0).dtype() == f16);
}

TEST_CASE("scientific: mistakes name the line of the caller") {
  MISTAKE(ShapeError, atan2(ones({3}), ones({4})), "atan2: ", "f32[3]", "f32[4]");
  MISTAKE(ShapeError, hypot(ones({3}), ones({4})), "hypot: ");
  MISTAKE(ShapeError, logaddexp(ones({3}), ones({4})), "logaddexp: ");
  MISTAKE(ValueError, asinh(Tensor()), "the tensor is undefined");
}

namespace {

using Exact = long double (*)(long double);

struct Precise {
  const char* name;
  Apply function;
  Exact exact;
};

const Precise precise_functions[]{
    {"tan", Apply(tan), std::tan},
    {"asin", Apply(asin), std::asin},
    {"acos", Apply(acos), std::acos},
    {"sinh", Apply(sinh), std::sinh},
    {"cosh", Apply(cosh), std::cosh},
    {"asinh", Apply(asinh), std::asinh},
    {"acosh", Apply(acosh), std::acosh},
    {"atanh", Apply(atanh), std::atanh},
    {"log2", Apply(log2), std::log2},
    {"log10", Apply(log10), std::log10},
    {"exp2", Apply(exp2), std::exp2},
    {"rsqrt", Apply(rsqrt), [](long double x) { return 1 / std::sqrt(x); }}};

// Where these functions were more than 2 units off, and where they change their formula.
template <class T>
std::vector<T> hard_points() {
  const double found[]{0.0,
                       1.57079637,
                       4.71238899,
                       658.163696,
                       70.7514311,
                       494.800812,
                       420164.455,
                       618.108459,
                       34.5206337,
                       49.1537743,
                       0.12273933,
                       0.0623826049,
                       0.122708502,
                       0.477491901,
                       0.476397246,
                       0.550156415,
                       0.558850924,
                       0.837616503,
                       0.839440467,
                       1.00012124,
                       1.00012062,
                       2.87223035,
                       88.9,
                       89.3,
                       710.381254,
                       38.0143634,
                       3.61558405,
                       1.70689559,
                       64.0000687,
                       99.9999008,
                       1.88076731e-37,
                       1.00000572e-15,
                       1e-40,
                       3e38,
                       1e300,
                       65535.9,
                       65537,
                       1073741823.5,
                       1e22,
                       0.5,
                       1,
                       2,
                       0.99999999,
                       1.00000001};
  std::vector<T> result;
  for (const double x : found) {
    T below = static_cast<T>(x), above = below;
    for (int i = 0; i < 8; ++i) {
      result.insert(result.end(), {below, above, -below, -above});
      below = std::nextafter(below, T(0));
      above = std::nextafter(above, T(HUGE_VAL));
    }
  }
  const int step = sinter_test::by_device(1, 31);
  for (int i = 1; i < 4000; i += step) result.push_back(static_cast<T>(i) * T(0.0223));
  for (int i = 1; i < 4000; i += step) result.push_back(static_cast<T>(i) * T(1.5707963267948966));
  for (int i = -2000; i < 2000; i += step) result.push_back(static_cast<T>(i) / T(2000.7));
  return result;
}

// How far `got` is off, in units in the last place, and for which of `xs` it is furthest.
template <class T>
std::pair<double, T> worst_of(const Precise& one, const std::vector<T>& xs,
                              const std::vector<T>& got) {
  std::pair<double, T> worst{};
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const long double exact = one.exact(static_cast<long double>(xs[i]));
    const T near = std::fabs(static_cast<T>(exact));
    if (!std::isfinite(near)) {
      INFO(one.name, "(", xs[i], ")");
      CHECK((std::isnan(near) ? std::isnan(got[i]) : got[i] == static_cast<T>(exact)));
      continue;
    }
    const long double unit = std::nextafter(near, T(HUGE_VAL)) - near;
    const double off = static_cast<double>(std::fabs(got[i] - exact) / unit);
    if (off > worst.first) worst = {off, xs[i]};
  }
  return worst;
}

template <class T>
void check_units(DType dtype) {
  const std::vector<T> xs = hard_points<T>();
  const Tensor x = from_vector(xs, {static_cast<std::int64_t>(xs.size())});
  CHECK(x.dtype() == dtype);
  const auto all = [](const Tensor& y) {
    std::vector<Tensor> results;
    for (const Precise& one : precise_functions) results.push_back(one.function(y));
    return results;
  };
  for (const Backend backend : {Backend::fused, Backend::eager}) {
    if (sinter_test::on_gpu() && backend == Backend::eager) continue;  // the same kernels
    const std::vector<Tensor> found = compile(all, {.backend = backend})(x);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Precise& one = precise_functions[i];
      const auto [worst, at] = worst_of(one, xs, found[i].to_vector<T>());
      INFO(one.name, " ", dtype, " at ", at);
      CHECK(worst <= sinter_test::by_device(2, 4));
    }
  }
}

}  // namespace

TEST_CASE("scientific: f32 and f64 are within 2 units in the last place") {
  check_units<float>(f32);
  check_units<double>(f64);
}

TEST_CASE("scientific: gradients at the ends of domains, forwards and backwards") {
  for (const Apply function : {Apply(asin), Apply(acosh)}) {
    CHECK(grad([&](Tensor x) { return function(x); })(full({}, 1, f64)).item<double>() == HUGE_VAL);
  }
  CHECK(grad([](Tensor x) { return acos(x); })(full({}, 1, f64)).item<double>() == -HUGE_VAL);
  CHECK(grad([](Tensor x) { return hypot(x, 4e200); })(full({}, 3e200, f64)).item<double>() ==
        doctest::Approx(0.6));
}

TEST_CASE("scientific: outside of what they are defined for, acos and acosh are NaN") {
  for (const double x : {-1.0001, 1.0001, -HUGE_VAL}) {
    CHECK(std::isnan(acos(full({}, x, f64)).item<double>()));
  }
  for (const double x : {0.9, -1.5, -1e300, -HUGE_VAL}) {
    CHECK(std::isnan(acosh(full({}, x, f64)).item<double>()));
  }
}
