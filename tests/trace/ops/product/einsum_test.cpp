// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/einsum.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

namespace {

Tensor matrix = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
Tensor square_matrix = counting({3, 3});
const Shared shared{matrix, square_matrix};

}  // namespace

TEST_CASE("einsum: one operand is permuted, summed, or its diagonal taken") {
  CHECK(near(einsum("ij->ji", {matrix}), {1, 4, 2, 5, 3, 6}));
  CHECK(near(einsum("ij->j", {matrix}), {5, 7, 9}));
  CHECK(near(einsum("ij->", {matrix}), {21}));
  CHECK(near(einsum("ii->i", {square_matrix}), {0, 4, 8}));
  CHECK(near(einsum("ii", {square_matrix}), {12}));
  CHECK(near(einsum("iji->ji", {counting({2, 3, 2})}), {0, 7, 2, 9, 4, 11}));
  CHECK(near(einsum("iij->j", {counting({2, 2, 2})}), {6, 8}));
  CHECK(near(einsum("iii->i", {counting({2, 2, 2})}), {0, 7}));
  CHECK(near(einsum("ba", {matrix}), {1, 4, 2, 5, 3, 6}));
}

TEST_CASE("einsum: several operands are multiplied and summed") {
  const Tensor a = counting({2, 3, 4}), b = counting({2, 4, 5}), v = vector({1, -1, 2});

  CHECK(alike(einsum("bij,bjk->bik", {a, b}), matmul(a, b)));
  CHECK(near(einsum("ij,j->i", {matrix, v}), {5, 11}));
  CHECK(near(einsum(" i j , j -> i ", {matrix, v}), {5, 11}));
  CHECK(near(einsum("i,j->ij", {vector({1, 2}), v}), {1, -1, 2, 2, -2, 4}));
  CHECK(near(einsum("i,i->i", {v, v}), {1, 1, 4}));
  CHECK(near(einsum("ij,ij->", {matrix, matrix}), {91}));
  CHECK(near(einsum("ij,k->k", {matrix, v}), {21, -21, 42}));
  CHECK(to_string(einsum("bhqd,bhkd->bhqk", {ones({2, 3, 4, 5}), ones({2, 3, 6, 5})})) ==
        "f32[2, 3, 4, 6]");
  CHECK(near(einsum("ij,jk,kl,l->i", {matrix, ones({3, 4}), ones({4, 2}), ones({2})}), {48, 120}));
  CHECK(near(einsum(",i", {2, v}), {2, -2, 4}));
  CHECK(near(einsum("aB,Ba", {matrix, transpose(matrix, 0, 1)}), {91}));
  CHECK(to_string(einsum("aB", {matrix})) == "f32[3, 2]");
}

TEST_CASE("einsum: an ellipsis stands for the axes without letters, and extents of 1 repeat") {
  const Tensor a = counting({5, 1, 2, 3}), b = counting({4, 3, 2});

  CHECK(to_string(einsum("...ij,...jk->...ik", {a, b})) == "f32[5, 4, 2, 2]");
  CHECK(alike(einsum("...ij,...jk", {a, b}), matmul(a, b)));
  CHECK(to_string(einsum("i...->...i", {a})) == "f32[1, 2, 3, 5]");
  CHECK(near(einsum("...->", {matrix}), {21}));
  CHECK(near(einsum("i...->i", {matrix}), {6, 15}));
  CHECK(near(einsum("ij,ij->ij", {matrix, tensor({1, 2, 3}, {1, 3})}), {1, 4, 9, 4, 10, 18}));
  CHECK(near(einsum("ij,jk->ik", {matrix, ones({1, 2})}), {6, 6, 15, 15}));
}

TEST_CASE("einsum: dtypes are promoted, integers stay integers, nothing sums to 0") {
  CHECK(einsum("ij,j->i", {matrix.to(i32), integers({1, 2, 3})}).dtype() == i64);
  CHECK(near(einsum("i->", {full({300}, 1, i8)}), {300}));
  CHECK(near(einsum("i,i->", {full({300}, 1, i8), full({300}, 1, i8)}), {44}));
  CHECK(einsum("i,i->", {full({3}, 1, f16), ones({3})}).dtype() == f32);
  CHECK(near(einsum("ij,jk->ik", {ones({2, 0}), ones({0, 1})}), {0, 0}));
}

TEST_CASE("einsum: gradients are einsums of the others") {
  const Tensor a = counting({2, 3}), b = counting({3, 4}), g = counting({2, 4});
  const auto total = [&](const Tensor& x, const Tensor& y) {
    return sum(mul(einsum("ij,jk->ik", {x, y}), g));
  };
  CHECK(alike(grad(total)(a, b), einsum("ik,jk->ij", {g, b})));
  CHECK(alike(grad(total, 1)(a, b), einsum("ik,ij->jk", {g, a})));
  CHECK(near(grad([](const Tensor& x) { return einsum("ii->", {x}); })(square_matrix),
             {1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST_CASE("einsum: sizes may be symbols") {
  Tensor a = counting({5, 2, 3}), b = counting({5, 3, 3});
  const auto product = [](const Tensor& x, const Tensor& y) {
    return einsum("bij,bjj,bkj->bik", {x, y, x});
  };
  const Numbers expected = numbers(product(a, b));
  CHECK(near(compile(product)(a, b), expected));
  for (int axis = 0; axis < 3; ++axis) mark_dynamic(a, axis), mark_dynamic(b, axis);
  auto compiled = compile(product);
  CHECK(near(compiled(a, b), expected));
  Tensor c = counting({2, 4, 6}), d = counting({2, 6, 6});
  CHECK(alike(compiled(c, d), product(c, d)));
  CHECK(compiled.stats().recordings <= 2);
}

TEST_CASE("einsum: takes a vector of tensors") {
  const std::vector<Tensor> operands{matrix, matrix};
  CHECK(near(einsum("ij,kj->ik", operands), {14, 32, 32, 77}));
}

TEST_CASE("einsum: mistakes point into the equation") {
  const Tensor x = ones({2, 3}), y = ones({4, 5});

  MISTAKE(ShapeError, einsum("ij,jk->ik", {x, y}), "einsum: 'j' has two sizes",
          "\n  text  ij,jk->ik\n           ^", "3 before, 4 here");
  MISTAKE(ShapeError, einsum("ij,ki->jk", {x, y}), "\n            ^", "2 before, 5 here");
  MISTAKE(ShapeError, einsum("ii->i", {x}), "'i' of an operand have two sizes", "2 and 3");
  MISTAKE(ShapeError, einsum("...i,...j->ij", {x, y}), "'...' has two sizes", "2 before, 4 here");
  MISTAKE(ShapeError, einsum("ijk->k", {x}), "the wrong number of axes", "f32[2, 3]", "named 3");
  MISTAKE(ShapeError, einsum("i,ij->j", {x, x}), "the wrong number of axes", "\n        ^");
  MISTAKE(ValueError, einsum("ij,jk->iq", {x, ones({3, 5})}), "'q', no operand has it",
          "\n                ^");
  MISTAKE(ValueError, einsum("ij->ii", {x}), "the result has 'i' twice", "\n             ^");
  MISTAKE(ValueError, einsum("i1", {x}), "not allowed in an equation", "\n         ^");
  MISTAKE(ValueError, einsum("ij->i->j", {x}), "not allowed in an equation", "\n             ^");
  MISTAKE(ValueError, einsum("ij..", {x}), "not allowed in an equation", "\n          ^");
  MISTAKE(ValueError, einsum("...i...", {x}), "two ellipses", "\n            ^");
  MISTAKE(ValueError, einsum("ij,j", {x}), "fewer operands", "named 2", "given 1");
  MISTAKE(ValueError, einsum("ij", {x, y}), "more operands", "named 1", "given 2");
  MISTAKE(DTypeError, einsum("i->", {full({2}, true)}), "boolean", "einsum");
}

TEST_CASE("einsum: integers of one operand add up in i64, as sum; products keep their dtype") {
  CHECK(near(einsum("ij->i", {full({2, 2}, 200, u8)}), {400, 400}));
  CHECK(einsum("ij->i", {ones({2, 2}, i32)}).dtype() == i64);
  CHECK(einsum("ij->ji", {ones({2, 2}, i32)}).dtype() == i32);
  CHECK(einsum("ij,jk->ik", {ones({2, 2}, i32), ones({2, 2}, i32)}).dtype() == i32);
}
