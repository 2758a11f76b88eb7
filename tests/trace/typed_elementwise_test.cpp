#include "testing.hpp"

#include <sinter/trace/typed_elementwise.hpp>

using namespace testing;

namespace {

const TensorOf<float, 5> x = vector({-2, -0.5, 0.25, 1, 3});
const Tensor untyped = x;

template <class E>
bool agree(const E& typed, const Tensor& expected) {
  static_assert(Expression<E>);
  return near(typed, numbers(expected)) && Tensor(typed).dtype() == E::type.dtype;
}

}  // namespace

TEST_CASE("typed elementwise: functions of one operand give what the untyped ones give") {
  CHECK(agree(neg(x), neg(untyped)));
  CHECK(agree(abs(x), abs(untyped)));
  CHECK(agree(sign(x), sign(untyped)));
  CHECK(agree(exp(x), exp(untyped)));
  CHECK(agree(log(x), log(untyped)));
  CHECK(agree(sin(x), sin(untyped)));
  CHECK(agree(cos(x), cos(untyped)));
  CHECK(agree(tanh(x), tanh(untyped)));
  CHECK(agree(erf(x), erf(untyped)));
  CHECK(agree(sqrt(x), sqrt(untyped)));
  CHECK(agree(floor(x), floor(untyped)));
  CHECK(agree(square(x), square(untyped)));
  CHECK(agree(reciprocal(x), reciprocal(untyped)));
  CHECK(agree(rsqrt(x), rsqrt(untyped)));
  CHECK(agree(isnan(x), isnan(untyped)));
  CHECK(agree(logical_not(x), logical_not(untyped)));
  CHECK(agree(relu(x), relu(untyped)));
  CHECK(agree(sigmoid(x), sigmoid(untyped)));
  CHECK(agree(silu(x), silu(untyped)));
  CHECK(agree(softplus(x), softplus(untyped)));
  CHECK(agree(gelu(x), gelu(untyped)));
}

TEST_CASE("typed elementwise: functions of more operands give what the untyped ones give") {
  const auto y = x + 1;
  const Tensor other = untyped + 1;
  CHECK(agree(minimum(x, 0), minimum(untyped, 0)));
  CHECK(agree(maximum(0.5, x), maximum(0.5, untyped)));
  CHECK(agree(pow(x, 2), pow(untyped, 2)));
  CHECK(agree(pow(2, x), pow(2, untyped)));
  CHECK(agree(floor_divide(x, y), floor_divide(untyped, other)));
  CHECK(agree(remainder(x, 2), remainder(untyped, 2)));
  CHECK(agree(logical_and(x > 0, y), logical_and(untyped > 0, other)));
  CHECK(agree(logical_or(x > 0, y > 1), logical_or(untyped > 0, other > 1)));
  CHECK(agree(where(x > 0, x, 0), where(untyped > 0, untyped, 0)));
  CHECK(agree(clamp(x, -1, 1), clamp(untyped, -1, 1)));
}

TEST_CASE("typed elementwise: an untyped operand gives the untyped function") {
  static_assert(std::is_same_v<decltype(minimum(x, untyped)), Tensor>);
  static_assert(std::is_same_v<decltype(where(x > 0, untyped, 0)), Tensor>);
  CHECK(near(where(x > 0, untyped, 0), numbers(where(untyped > 0, untyped, 0))));
}
