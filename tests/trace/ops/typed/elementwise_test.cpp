// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/typed/elementwise.hpp>

using namespace testing;

namespace {

TensorOf<float, 5> x = vector({-2, -0.5, 0.25, 1, 3});
Tensor untyped = x;
const Shared shared{x, untyped};

template <class E>
bool agree(const E& typed, const Tensor& expected) {
  static_assert(Expression<E>);
  return alike(typed, expected) && Tensor(typed).dtype() == E::type.dtype;
}

}  // namespace

TEST_CASE("typed elementwise: functions of more operands give what the untyped ones give") {
  const auto y = x + 1;
  const Tensor other = untyped + 1;
  CHECK(agree(minimum(x, 0), minimum(untyped, 0)));
  CHECK(agree(maximum(0.5, x), maximum(0.5, untyped)));
  CHECK(agree(pow(x, 2), pow(untyped, 2)));
  CHECK(agree(pow(2, x), pow(2, untyped)));
  CHECK(agree(floor_divide(x, y), floor_divide(untyped, other)));
  CHECK(agree(remainder(x, 2), remainder(untyped, 2)));
  const TensorOf<std::int64_t, 2> integer = integers({3, -4});
  CHECK(agree(pow(integer, 3), pow(Tensor(integer), 3)));
  CHECK(agree(shift_left(integer, 1), shift_left(Tensor(integer), 1)));
  CHECK(agree(where(x > 0, x, 0), where(untyped > 0, untyped, 0)));
}

TEST_CASE("typed elementwise: an untyped operand gives the untyped function") {
  static_assert(std::is_same_v<decltype(minimum(x, untyped)), Tensor>);
  static_assert(std::is_same_v<decltype(where(x > 0, untyped, 0)), Tensor>);
  CHECK(alike(where(x > 0, untyped, 0), where(untyped > 0, untyped, 0)));
}
