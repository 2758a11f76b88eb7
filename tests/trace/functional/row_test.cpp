// test: moved
#include "testing.hpp"

#include <sinter/trace/functional/row.hpp>

using namespace testing;

namespace {

TensorOf<float, "batch", 3> x = tensor({0.5f, -1, 2, 0, 1, -3}, {2, 3});
Tensor untyped = x;
const Shared shared{x, untyped};

template <class Typed>
bool stays(const Typed& typed, const Tensor& expected) {
  static_assert(std::is_same_v<Typed, TensorOf<float, "batch", 3>>);
  return alike(typed, expected);
}

}  // namespace

TEST_CASE("typed rows: softmax and its like keep the dimensions") {
  CHECK(stays(softmax<-1>(x), softmax(untyped, -1)));
  CHECK(stays(softmax(x, 0), softmax(untyped, 0)));
  CHECK(stays(log_softmax<1>(x), log_softmax(untyped, 1)));
  CHECK(stays(softmin<1>(x * 2), softmin(untyped * 2, 1)));
  CHECK(stays(cumsum<0>(x), cumsum(untyped, 0)));
  CHECK(stays(cumprod(x, 1), cumprod(untyped, 1)));
  CHECK(stays(layer_norm(x, ones({3}), zeros({3})), layer_norm(untyped, ones({3}), zeros({3}))));
  CHECK(stays(rms_norm(x, ones({3})), rms_norm(untyped, ones({3}))));
  CHECK(stays(masked_fill(x, x > 0, 7), masked_fill(untyped, untyped > 0, 7)));
  CHECK(stays(tril(x), tril(untyped)));
  CHECK(stays(triu(x, 1), triu(untyped, 1)));
  CHECK(stays(roll(x, 1, 1), roll(untyped, 1, 1)));
  CHECK(stays(dropout(x, 0), untyped));
  CHECK(stays(detach(x), untyped));
}

TEST_CASE("typed rows: integers have the dtypes that they have at run time") {
  const TensorOf<std::int32_t, 3> integer = integers({1, 2, 3}).to(i32);
  const TensorOf<std::int64_t, 3> sums = cumsum<0>(integer);
  const TensorOf<float, 3> shares = softmax<0>(integer);
  CHECK(near(sums, {1, 3, 6}));
  CHECK(near(sum(shares), {1}));
}

TEST_CASE("typed losses: are one number") {
  const TensorOf<float, "batch", 3> target = ones({2, 3});
  const TensorOf<std::int64_t, "batch"> classes = integers({2, 0});
  const TensorOf<float> square = mse_loss(x, target), size = l1_loss(x, target);
  const TensorOf<float> both = huber_loss(x, target), smooth = smooth_l1_loss(x, target);
  const TensorOf<float> cross = cross_entropy(x, classes), nll = nll_loss(x, classes);
  const TensorOf<float> shares = cross_entropy(x, target / 3.0f);
  const TensorOf<float> binary = binary_cross_entropy_with_logits(x, target);

  CHECK(alike(square, mse_loss(untyped, Tensor(target))));
  CHECK(alike(size, l1_loss(untyped, Tensor(target))));
  CHECK(alike(both, huber_loss(untyped, Tensor(target))));
  CHECK(alike(smooth, smooth_l1_loss(untyped, Tensor(target))));
  CHECK(alike(cross, cross_entropy(untyped, Tensor(classes))));
  CHECK(alike(nll, nll_loss(untyped, Tensor(classes))));
  CHECK(alike(shares, cross_entropy(untyped, Tensor(target) / 3)));
  CHECK(alike(binary, binary_cross_entropy_with_logits(untyped, Tensor(target))));
  static_assert(std::is_same_v<decltype(mse_loss(x, target, Reduction::none)), Tensor>);
}
