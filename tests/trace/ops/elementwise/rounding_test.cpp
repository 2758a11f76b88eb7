// test: moved
#include "functions.hpp"

#include <sinter/trace/ops/elementwise/rounding.hpp>

using namespace testing;

namespace {

const Numbers points{
    -2.5,  -1.5,     -0.5,     -0.0, 0.49999999999999994, 0.5, 1.5, 2.5, 4503599627370497.5,
    1e300, HUGE_VAL, -HUGE_VAL};

}  // namespace

TEST_CASE("floor, ceil, trunc, round: are those of the C library, round with ties to even") {
  CHECK(agrees([](Tensor x) { return floor(x); }, points, [](double x) { return std::floor(x); }));
  CHECK(agrees([](Tensor x) { return ceil(x); }, points, [](double x) { return std::ceil(x); }));
  CHECK(agrees([](Tensor x) { return trunc(x); }, points, [](double x) { return std::trunc(x); }));
  CHECK(agrees([](Tensor x) { return round(x); }, points,
               [](double x) { return std::nearbyint(x); }));
  CHECK(agrees([](Tensor x) { return frac(x); }, {-2.75, 0.25, 3},
               [](double x) { return x - std::trunc(x); }));
}

TEST_CASE("ceil, trunc, round: the sign of 0 is that of the argument") {
  for (Apply function : {Apply(ceil), Apply(trunc)}) {
    CHECK(std::signbit(function(full({}, -0.3)).item<float>()));
    CHECK_FALSE(std::signbit(function(full({}, 0.0)).item<float>()));
  }
  CHECK(std::signbit(round(full({}, -0.3)).item<float>()));
}

TEST_CASE("round: to decimals, of both signs") {
  CHECK(near(round(vector({1.2345f, -1.235f}), 2), {1.23, -1.24}, 1e-6));
  CHECK(near(round(vector({1250, 1350}), -2), {1200, 1400}));
}

TEST_CASE("rounding: integers stay as they are, and no gradient flows") {
  CHECK(floor(integers({3})).dtype() == i64);
  CHECK(near(ceil(integers({-3, 4})), {-3, 4}));
  CHECK(near(round(full({1}, 7, u8)), {7}));
  CHECK(slopes([](Tensor x) { return x * floor(x) + ceil(x) + round(x) + trunc(x); }, {2.5, -1.25},
               {2, -2}));
}

TEST_CASE("fmod: has the sign of lhs, as in C") {
  const Numbers xs{5.5, -5.5, 1e10, -0.0, 6.0, -6.0}, ys{2.0, -2.0, 0.3, HUGE_VAL};
  const auto all = fmod(from_vector(xs, {6, 1}), from_vector(ys, {4})).to_vector<double>();
  auto next = all.begin();
  for (const double x : xs) {
    for (const double y : ys) {
      const double found = *next++;
      CHECK(found == std::fmod(x, y));
      CHECK(std::signbit(found) == std::signbit(std::fmod(x, y)));
    }
  }
  CHECK(near(fmod(integers({7, -7, 7, -7}), integers({3, 3, -3, -3})), {1, -1, 1, -1}));
  CHECK(near(fmod(full({1}, -128, i8), 3), {-2}));
  CHECK(slopes([](Tensor x) { return fmod(x, 3); }, {5.5, -5.5, 0}, {1, 1, 1}));
  CHECK(slopes([](Tensor y) { return fmod(7, y); }, {2, -2}, {-3, 3}));
}
