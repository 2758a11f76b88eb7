#include <doctest/doctest.h>
#include <sinter/jit/cuda/library_epilogue.hpp>

#include <optional>

#include "product_kernels.hpp"

using namespace testing;
using jit::LibraryEpilogue;
using runtime::Activation;

namespace {

// A product of `dtype`, and epilogues for it.
struct Case : ProductGraph {
  explicit Case(DType dtype = f32)
      : x(input(dtype, {32, 24})),
        y(input(dtype, {24, 40})),
        added(input(dtype, {32, 40})),
        bias(input(dtype, {40})),
        sum(product(x, y)),
        wide_bias(row(bias, sum)) {}

  Value number(double value) { return b.constant(constant(value, b.dtype(sum)), b.type(sum)); }
  Value scaled(Value value, double factor) { return b.mul(value, number(factor)); }

  Optional<LibraryEpilogue> of(Value result) {
    const schedule::Kernel one = kernel(result);
    const auto form = codegen::product_form(one, false);
    REQUIRE(form);
    schedule::ValueId store = 0;
    for (std::size_t id = 0; id < one.instructions.size(); ++id) {
      if (one.instructions[id].code == schedule::Code::store) {
        store = static_cast<schedule::ValueId>(id);
      }
    }
    return jit::library_epilogue(one, *form, store);
  }

  Value x, y, added, bias, sum, wide_bias;
};

}  // namespace

TEST_CASE("library_epilogue: factors, an added matrix, a bias and an activation are recognised") {
  for (const DType dtype : {f32, bf16, f64}) {
    Case plain(dtype);
    const auto nothing = plain.of(plain.sum);
    REQUIRE(nothing);
    CHECK(nothing->scale == 1);
    CHECK(nothing->added == -1);
    CHECK(nothing->bias == -1);
    CHECK(nothing->activation == Activation::none);

    Case full(dtype);
    const Value terms = full.b.add(
        full.b.sub(full.scaled(full.added, 0.5), full.scaled(full.sum, 0.25)), full.wide_bias);
    const auto all = full.of(full.relu(terms));
    REQUIRE(all);
    CHECK(all->scale == -0.25);
    CHECK(all->added_scale == 0.5);
    CHECK(all->added >= 0);
    CHECK(all->bias >= 0);
    CHECK(all->activation == Activation::relu);
  }
}

TEST_CASE("library_epilogue: gelu by tanh is recognised, in any order of its operands") {
  for (const bool turned : {false, true}) {
    Case one;
    const Value x = one.b.add(one.sum, one.wide_bias);
    const auto mul = [&](Value p, Value q) { return turned ? one.b.mul(q, p) : one.b.mul(p, q); };
    const auto add = [&](Value p, Value q) { return turned ? one.b.add(q, p) : one.b.add(p, q); };
    const Value cube = mul(mul(mul(x, x), x), one.number(0.044715));
    const Value curve =
        one.b.elementwise(Op::tanh, {mul(add(x, cube), one.number(0.797884560802865356))});
    const auto found = one.of(mul(mul(x, one.number(0.5)), add(curve, one.number(1))));
    REQUIRE(found);
    CHECK(found->activation == Activation::gelu);
    CHECK(found->bias >= 0);
  }
  Case other;  // with a different constant
  const Value curve = other.b.elementwise(Op::tanh, {other.scaled(other.sum, 0.7)});
  CHECK_FALSE(
      other.of(other.b.mul(other.scaled(other.sum, 0.5), other.b.add(curve, other.number(1)))));
}

TEST_CASE("library_epilogue: unsupported operations and orders are rejected") {
  Case after;  // an addition after the activation
  CHECK_FALSE(after.of(after.b.add(after.relu(after.sum), after.added)));
  Case scaled;  // a factor of the bias
  CHECK_FALSE(scaled.of(scaled.scaled(scaled.b.add(scaled.sum, scaled.wide_bias), 2)));
  Case square;
  CHECK_FALSE(square.of(square.b.mul(square.sum, square.sum)));
  Case times;  // a factor that is data
  CHECK_FALSE(times.of(times.b.mul(times.sum, times.added)));
  Case two;  // two matrices
  const Value more = two.input(f32, {32, 40});
  CHECK_FALSE(two.of(two.b.add(two.b.add(two.sum, two.added), more)));
  Case mixed;  // in another type
  const Value half = mixed.input(bf16, {32, 40});
  CHECK_FALSE(mixed.of(mixed.b.add(mixed.sum, mixed.b.cast(half, f32))));
}

TEST_CASE("library_epilogue: a rounding that the program asks for may only come last") {
  const auto round = [](Case& one, Value value) {
    const Value result = one.b.cast(value, bf16);
    Node& node = one.graph.nodes[static_cast<std::size_t>(result.node)];
    node.attributes.push_back({"written", constant(true)});
    return result;
  };
  Case last;
  CHECK(last.of(round(last, last.scaled(last.sum, 2))));
  Case before;
  CHECK_FALSE(before.of(before.b.add(before.b.cast(round(before, before.sum), f32), before.added)));
  Case unwritten;  // not rounded by fast numerics
  const Value same = unwritten.b.cast(unwritten.b.cast(unwritten.sum, bf16), f32);
  CHECK(unwritten.of(unwritten.b.add(same, unwritten.added)));
}

TEST_CASE("library_epilogue: a value repeatedly added to itself is rejected") {
  Case one;
  Value value = one.sum;
  for (int i = 0; i < 40; ++i) value = one.b.add(value, value);
  CHECK_FALSE(one.of(value));
}
