// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/typed/movement.hpp>

using namespace testing;

namespace {

TensorOf<float, "batch", 3, 4> x = counting({2, 3, 4});
Tensor untyped = x;
const Shared shared{x, untyped};

template <class Type, class Typed>
bool is(const Typed& typed, const Tensor& expected) {
  static_assert(std::is_same_v<Typed, Type>);
  return same(typed.shape(), expected.shape()) && alike(typed, expected);
}

}  // namespace

TEST_CASE("typed movement: exchanges, adds and drops dimensions") {
  CHECK(is<TensorOf<float, "batch", 4, 3>>(transpose<1, -1>(x), transpose(untyped, 1, -1)));
  CHECK(is<TensorOf<float, 4, "batch", 3>>(permute<2, 0, 1>(x), permute(untyped, {2, 0, 1})));
  CHECK(is<TensorOf<float, "batch", 1, 3, 4>>(unsqueeze<1>(x), unsqueeze(untyped, 1)));
  CHECK(is<TensorOf<float, "batch", 3, 4, 1>>(unsqueeze<-1>(x), unsqueeze(untyped, -1)));
  CHECK(is<TensorOf<float, "batch", 3, 4>>(squeeze<1>(unsqueeze<1>(x)), untyped));
  CHECK(is<TensorOf<float, "batch", 3, 4>>(squeeze(unsqueeze<0>(unsqueeze<-1>(x))), untyped));
  CHECK(is<TensorOf<float, "batch", 3, 4>>(flip<0, -1>(x), flip(untyped, {0, -1})));
  CHECK(is<TensorOf<float, "batch", 3, 4>>(flip(x, 1), flip(untyped, 1)));
}

TEST_CASE("typed squeeze: a named dimension stays, even where it is 1") {
  const TensorOf<float, "batch", 1, 3> one = counting({1, 1, 3});
  CHECK(is<TensorOf<float, "batch", 3>>(squeeze(one), counting({1, 3})));
}

TEST_CASE("typed flatten, reshape: numbers multiply, names stay") {
  CHECK(is<TensorOf<float, "batch", 12>>(flatten<1>(x), flatten(untyped, 1)));
  CHECK(is<TensorOf<float, dyn>>(flatten(x), flatten(untyped)));
  CHECK(is<TensorOf<float, 4, 3, "batch">>(reshape<4, 3, "batch">(x), reshape(untyped, {4, 3, 2})));
  CHECK(is<TensorOf<float, "rows", 4>>(reshape<"rows", 4>(x), reshape(untyped, {6, 4})));
  CHECK(is<TensorOf<float, dyn, 3>>(reshape<dyn, 3>(x), reshape(untyped, {8, 3})));
}

TEST_CASE("typed expand: repeats along axes of extent 1, and new ones") {
  const TensorOf<float, "batch", 1> column = counting({2, 1});
  CHECK(is<TensorOf<float, 5, "batch", 3>>(expand<5, "batch", 3>(column),
                                           expand(Tensor(column), {5, 2, 3})));
}

TEST_CASE("typed concatenate, stack: add up along an axis, or make one") {
  CHECK(is<TensorOf<float, "batch", 6, 4>>(concatenate<1>(x, x * 2),
                                           concatenate({untyped, untyped * 2}, 1)));
  CHECK(is<TensorOf<float, dyn, 3, 4>>(concatenate(x, x), concatenate({untyped, untyped})));
  CHECK(is<TensorOf<float, 2, "batch", 3, 4>>(stack(x, x), stack({untyped, untyped})));
  CHECK(is<TensorOf<float, "batch", 3, 4, 2>>(stack<-1>(x, x), stack({untyped, untyped}, -1)));
  const TensorOf<std::int64_t, "batch", 3, 4> integer = ones({2, 3, 4}, i64);
  static_assert(decltype(concatenate<1>(integer, x))::type.dtype == f32);
  CHECK(concatenate<1>(integer, x).tensor().dtype() == f32);
}

TEST_CASE("typed reshape: what the compiler cannot know is checked when the program runs") {
  MISTAKE(ShapeError, (reshape<"rows", 5>(x)), "reshape: ", "f32[2, 3, 4]");
}
