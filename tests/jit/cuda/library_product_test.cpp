#include <doctest/doctest.h>
#include <sinter/jit/cuda/library_product.hpp>

#include "product_kernels.hpp"

using namespace testing;

namespace {

constexpr std::int64_t m = 144, k = 136, n = 152;

}  // namespace

TEST_CASE("library_product: a product of two inputs, with their layouts") {
  ProductGraph g;
  const auto call =
      jit::library_product(g.kernel(g.product(g.input(f32, {m, k}), g.input(f32, {n, k}), true)));
  REQUIRE(call != nullptr);
  CHECK(call->operands == f32);
  CHECK(call->stored == f32);
  CHECK(same(call->rows, m));
  CHECK(same(call->columns, n));
  CHECK(same(call->depth, k));
  CHECK(call->left.by_depth);
  CHECK(call->right.by_depth);
  CHECK(same(call->left.pitch, k));
  CHECK(same(call->result.pitch, n));
  CHECK(call->left.buffer == 0);
  CHECK(call->right.buffer == 1);
  CHECK(call->result.buffer == 2);
  CHECK(call->repeats.empty());
}

TEST_CASE("library_product: only f32 may be multiplied as TF32") {
  for (const DType dtype : {DType(f32), DType(f64), DType(bf16)}) {
    ProductGraph g;
    const auto kernel = g.kernel(g.product(g.input(dtype, {m, k}), g.input(dtype, {k, n})));
    CHECK(jit::library_product(kernel, true)->tf32 == (dtype == f32));
    CHECK_FALSE(jit::library_product(kernel)->tf32);
  }
}

TEST_CASE("library_product: sizes may be symbols") {
  const Extent rows = Extent::symbol(0), depth = Extent::symbol(1);
  ProductGraph g;
  const auto call = jit::library_product(
      g.kernel(g.product(g.input(bf16, {rows, depth}), g.input(bf16, {depth, n}))));
  REQUIRE(call != nullptr);
  CHECK(call->operands == bf16);
  CHECK(call->stored == bf16);
  CHECK_FALSE(call->rows.is_number());
  CHECK(call->left.by_depth);
  CHECK_FALSE(call->right.by_depth);
  CHECK(same(call->right.pitch, n));
}

TEST_CASE("library_product: batch axes repeat the product, as one loop if they are contiguous") {
  ProductGraph g;
  const auto call =
      jit::library_product(g.kernel(g.batched(g.input(f32, {3, m, k}), g.input(f32, {3, k, n}))));
  REQUIRE(call != nullptr);
  REQUIRE(call->repeats.size() == 1);
  CHECK(same(call->repeats[0].count, 3));
  CHECK(same(call->repeats[0].left, m * k));
  CHECK(same(call->repeats[0].right, k * n));
  CHECK(same(call->repeats[0].result, m * n));
}

TEST_CASE("library_product: a bias is one row, an added matrix has the layout of the result") {
  ProductGraph g;
  const Value sum = g.product(g.input(f32, {m, k}), g.input(f32, {k, n}));
  const Value added = g.input(f32, {m, n}), bias = g.input(f32, {n});
  const auto call =
      jit::library_product(g.kernel(g.relu(g.b.add(g.b.add(sum, added), g.row(bias, sum)))));
  REQUIRE(call != nullptr);
  CHECK(call->added.buffer == 2);
  CHECK(call->bias.buffer == 3);
  CHECK(call->result.buffer == 4);
  CHECK(same(call->added.pitch, n));
  CHECK(call->added_scale == 1);
  CHECK(call->activation == runtime::Activation::relu);

  ProductGraph turned;
  const Value product = turned.product(turned.input(f32, {m, k}), turned.input(f32, {k, n}));
  const Value other = turned.b.permute(turned.input(f32, {n, m}), {1, 0});
  CHECK(jit::library_product(turned.kernel(turned.b.add(product, other))) == nullptr);
}

TEST_CASE("library_product: a scalar bias, or one per batch, is rejected") {
  ProductGraph one;
  const Value sum = one.product(one.input(f32, {m, k}), one.input(f32, {k, n}));
  const Value number = one.b.expand(one.b.reshape(one.input(f32, {1}), {1, 1}), {m, n});
  CHECK(jit::library_product(one.kernel(one.b.add(sum, number))) == nullptr);

  for (const bool biased : {false, true}) {
    ProductGraph many;
    const Value three = many.b.dot_general(many.input(f32, {m, k}), many.input(f32, {3, k, n}),
                                           {.lhs_contract = {1}, .rhs_contract = {1}});
    const Value bias = many.b.reshape(many.input(f32, {3, n}), {1, 3, n});
    const Value result = biased ? many.b.add(three, many.b.expand(bias, {m, 3, n})) : three;
    CHECK((jit::library_product(many.kernel(result)) == nullptr) == biased);
  }
}

TEST_CASE("library_product: kernels that do more, or less, are rejected") {
  ProductGraph padded;
  const Value wide = padded.b.pad(padded.input(f32, {m, k - 1}), {0, 1}, {0, 0}, constant(0.0f));
  CHECK(jit::library_product(padded.kernel(padded.product(wide, padded.input(f32, {k, n})))) ==
        nullptr);
  ProductGraph integers;
  CHECK(jit::library_product(integers.kernel(integers.product(
            integers.input(i32, {m, k}), integers.input(i32, {k, n})))) == nullptr);
  ProductGraph mixed;
  const Value half = mixed.b.cast(mixed.input(bf16, {m, k}), f32);
  CHECK(jit::library_product(mixed.kernel(mixed.product(half, mixed.input(f32, {k, n})))) ==
        nullptr);
  ProductGraph small;
  CHECK(jit::library_product(small.kernel(
            small.product(small.input(f32, {8, k}), small.input(f32, {k, n})))) == nullptr);
  ProductGraph sum;
  CHECK(jit::library_product(sum.kernel(sum.b.reduce(Op::sum, sum.input(f32, {m, k}), {1}))) ==
        nullptr);
}

TEST_CASE(
    "library_product: large products with a bias and gelu by tanh are one call, small ones none") {
  const auto call = [](std::int64_t size) {
    ProductGraph g;
    const Value x = g.input(bf16, {size, size}), y = g.input(bf16, {size, size});
    const Value sum = g.product(x, y);
    const Value biased = g.b.add(sum, g.row(g.input(bf16, {size}), sum));
    const auto number = [&](double value) {
      return g.b.constant(constant(value, bf16), g.b.type(biased));
    };
    const Value cube = g.b.mul(g.b.mul(biased, biased), biased);
    const Value inner =
        g.b.mul(g.b.add(biased, g.b.mul(cube, number(0.044715))), number(0.7978845608028654));
    const Value one = g.b.add(g.b.elementwise(Op::tanh, {inner}), number(1));
    return jit::library_product(g.kernel(g.b.mul(g.b.mul(biased, number(0.5)), one)));
  };
  for (const std::int64_t size : {4096, 8192}) {
    const auto large = call(size);
    REQUIRE(large != nullptr);
    CHECK(large->activation == runtime::Activation::gelu);
    CHECK(large->bias.buffer >= 0);
    CHECK(large->may_pay());
  }
  CHECK(call(64) == nullptr);
}
