// test: moved
#include <sinter/trace/typed/scientific.hpp>

#include "typed_agreement.hpp"

using namespace typed_agreement;

TEST_CASE("typed scientific: functions of one operand give what the untyped ones give") {
  CHECK(agree(square(x), square(untyped)));
  CHECK(agree(reciprocal(x), reciprocal(untyped)));
  CHECK(agree(rsqrt(x), rsqrt(untyped)));
  CHECK(agree(exp2(x), exp2(untyped)));
  CHECK(agree(log2(x), log2(untyped)));
  CHECK(agree(log10(x), log10(untyped)));
  CHECK(agree(tan(x), tan(untyped)));
  CHECK(agree(asin(x), asin(untyped)));
  CHECK(agree(acos(x), acos(untyped)));
  CHECK(agree(sinh(x), sinh(untyped)));
  CHECK(agree(cosh(x), cosh(untyped)));
  CHECK(agree(asinh(x), asinh(untyped)));
  CHECK(agree(acosh(x), acosh(untyped)));
  CHECK(agree(atanh(x), atanh(untyped)));
  CHECK(agree(floor(x), floor(untyped)));
  CHECK(agree(ceil(x), ceil(untyped)));
  CHECK(agree(trunc(x), trunc(untyped)));
  CHECK(agree(frac(x), frac(untyped)));
  CHECK(agree(round(x), round(untyped)));
  CHECK(agree(isnan(x), isnan(untyped)));
  CHECK(agree(isinf(x), isinf(untyped)));
  CHECK(agree(isposinf(x), isposinf(untyped)));
  CHECK(agree(isneginf(x), isneginf(untyped)));
  CHECK(agree(isfinite(x), isfinite(untyped)));
  CHECK(agree(signbit(x), signbit(untyped)));
  CHECK(agree(logical_not(x), logical_not(untyped)));
  CHECK(agree(nan_to_num(x), nan_to_num(untyped)));
  CHECK(agree(round(x * 3, 1), round(untyped * 3, 1)));
}

TEST_CASE("typed scientific: functions of more operands give what the untyped ones give") {
  const auto y = x + 1;
  const Tensor other = untyped + 1;
  CHECK(agree(atan2(x, y), atan2(untyped, other)));
  CHECK(agree(hypot(x, y), hypot(untyped, other)));
  CHECK(agree(logaddexp(x, y), logaddexp(untyped, other)));
  CHECK(agree(copysign(x, y), copysign(untyped, other)));
  CHECK(agree(fmod(x, y), fmod(untyped, other)));
  CHECK(agree(logical_and(x, y), logical_and(untyped, other)));
  CHECK(agree(logical_or(x, y), logical_or(untyped, other)));
  CHECK(agree(logical_xor(x, y), logical_xor(untyped, other)));
  CHECK(agree(clamp_min(x, y), clamp_min(untyped, other)));
  CHECK(agree(clamp_max(x, y), clamp_max(untyped, other)));
  CHECK(agree(fmin(x, y), fmin(untyped, other)));
  CHECK(agree(fmax(x, y), fmax(untyped, other)));
  CHECK(agree(clamp(x, -1, 1), clamp(untyped, -1, 1)));
  CHECK(agree(clamp(x, 0), clamp(untyped, 0)));
  CHECK(agree(clamp(x, std::nullopt, 1), clamp(untyped, std::nullopt, 1)));
  CHECK(agree(lerp(x, y, 0.25), lerp(untyped, other, 0.25)));
  CHECK(near(clamp(x, {.min = 0}), {0, 0, 0.25, 1, 3}));
}

TEST_CASE("typed scientific: integers have the dtypes that they have at run time") {
  const TensorOf<std::int64_t, 5> integer = arange(5);
  CHECK(agree(floor(integer), floor(Tensor(integer))));
  CHECK(agree(round(integer), round(Tensor(integer))));
  CHECK(agree(fmod(integer, 3), fmod(Tensor(integer), 3)));
  CHECK(agree(sinh(integer), sinh(Tensor(integer))));
  CHECK(agree(clamp(integer, 0.5, 3), clamp(Tensor(integer), 0.5, 3)));
  CHECK(agree(isnan(integer), isnan(Tensor(integer))));
  CHECK(agree(nan_to_num(integer), nan_to_num(Tensor(integer))));
}
