// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/typed/einsum.hpp>

using namespace testing;

namespace {

TensorOf<float, "batch", 2, 3> a = counting({4, 2, 3});
TensorOf<float, "batch", 3, 5> b = counting({4, 3, 5});
const Shared shared{a, b};

bool agree(const Tensor& typed, const Tensor& expected) {
  return same(typed.shape(), expected.shape()) && alike(typed, expected);
}

}  // namespace

TEST_CASE("typed einsum: each letter is a dimension of the result") {
  const TensorOf<float, "batch", 2, 5> product = einsum<"bij, bjk -> bik">(a, b);
  const TensorOf<float, 3> columns = einsum<"bij->j">(a);
  const TensorOf<float> total = einsum<"bij,bij->">(a, a);
  const TensorOf<float, 3, 2, "batch"> turned = einsum<"bij->jib">(a * 1);

  CHECK(agree(product, einsum("bij,bjk->bik", {a, b})));
  CHECK(agree(columns, einsum("bij->j", {a})));
  CHECK(agree(total, einsum("bij,bij->", {a, a})));
  CHECK(agree(turned, permute(Tensor(a), {2, 1, 0})));
}

TEST_CASE("typed einsum: without an arrow, the letters that occur once are left") {
  const TensorOf<float, 2, 3> left = counting({2, 3});
  const TensorOf<float, 3, 5> right = counting({3, 5});
  const TensorOf<float, 2, 5> product = einsum<"ij,jk">(left, right);
  CHECK(agree(product, einsum("ij,jk", {left, right})));
}
