#include <doctest/doctest.h>
#include <sinter/graph/infer.hpp>
#include <sinter/graph/print.hpp>

#include <string>

using namespace sinter;
using namespace sinter::detail;

namespace {

using List = std::vector<std::int64_t>;

// The printed type of the first result.
std::string inferred(const Node& node, Vector<TensorType> types) {
  return to_string(infer(node, types)[0]);
}

Node reduction(Op op, List axes) { return {.op = op, .attributes = {{"axes", axes}}}; }

Node named(Op op, TensorType type) { return {.op = op, .results = {type}}; }

const Extent n = Extent::symbol(0, {.min = 2});

}  // namespace

TEST_CASE("infer: an elementwise operation keeps shape and dtype; comparisons give booleans") {
  const TensorType x{f16, {n, 3}};
  CHECK(inferred({.op = Op::exp}, {x}) == "f16[s0, 3]");
  CHECK(inferred({.op = Op::add}, {x, x}) == "f16[s0, 3]");
  CHECK(inferred({.op = Op::lt}, {x, x}) == "bool[s0, 3]");
  CHECK(inferred({.op = Op::select}, {{boolean, {n, 3}}, x, x}) == "f16[s0, 3]");
}

TEST_CASE("infer: operands must have one shape and dtype, select a boolean condition") {
  const TensorType x{f32, {4}};
  CHECK_THROWS_AS(inferred({.op = Op::add}, {x, {f64, {4}}}), InternalError);
  CHECK_THROWS_AS(inferred({.op = Op::add}, {x, {f32, {1}}}), InternalError);
  CHECK_THROWS_AS(inferred({.op = Op::add}, {x, {f32, {n}}}), InternalError);
  CHECK_THROWS_AS(inferred({.op = Op::select}, {x, x, x}), InternalError);
  CHECK_THROWS_AS(inferred({.op = Op::select}, {{boolean, {4}}, {f64, {4}}, x}), InternalError);
}

TEST_CASE("infer: counts inputs and looks at their dtype for every operation of the table") {
  for (std::size_t i = 0; i < op_count; ++i) {
    const OpInfo& row = op_table[i];
    INFO(row.name);
    if (row.name == "custom_elementwise") continue;  // as many inputs as its text takes
    const Node node{.op = static_cast<Op>(i), .results = {{f32, {4}}}};
    const Vector<TensorType> too_many(5, {f32, {4}});
    CHECK_THROWS_AS(infer(node, too_many), InternalError);
    if (row.arity == 0 || row.takes == Takes::any) continue;
    const DType wrong = row.takes == Takes::integral ? f32 : boolean;
    const Vector<TensorType> types(static_cast<std::size_t>(row.arity), {wrong, {4}});
    CHECK_THROWS_AS(infer(node, types), InternalError);
  }
}

TEST_CASE("infer: a reduction drops its axes; argmax gives i64") {
  const TensorType x{i16, {2, n, 4}};
  CHECK(inferred(reduction(Op::sum, {0, 2}), {x}) == "i16[s0]");
  CHECK(inferred(reduction(Op::max, {}), {x}) == "i16[2, s0, 4]");
  CHECK(inferred(reduction(Op::prod, {0, 1, 2}), {x}) == "i16[]");
  CHECK(inferred(reduction(Op::argmax, {1}), {x}) == "i64[2, 4]");
  CHECK_THROWS_AS(inferred(reduction(Op::sum, {1, 0}), {x}), InternalError);
  CHECK_THROWS_AS(inferred(reduction(Op::sum, {1, 1}), {x}), InternalError);
  CHECK_THROWS_AS(inferred(reduction(Op::sum, {3}), {x}), InternalError);
  CHECK_THROWS_AS(inferred(reduction(Op::sum, {-1}), {x}), InternalError);
}

TEST_CASE("infer: leaves, cast, reshape, expand and slice have the type that the node names") {
  CHECK(inferred(named(Op::constant, {u8, {n}}), {}) == "u8[s0]");
  CHECK(inferred(named(Op::cast, {f64, {7}}), {{f32, {n}}}) == "f64[s0]");
  CHECK(inferred(named(Op::reshape, {f32, {n, 6}}), {{f32, {2, n, 3}}}) == "f32[s0, 6]");
  CHECK(inferred(named(Op::expand, {f32, {n, 6}}), {{f32, {1, 6}}}) == "f32[s0, 6]");
  CHECK_THROWS_AS(inferred(named(Op::reshape, {f32, {7}}), {{f32, {2, 3}}}), InternalError);
  CHECK_THROWS_AS(inferred(named(Op::expand, {f32, {n, 6}}), {{f32, {2, 6}}}), InternalError);
  CHECK_THROWS_AS(inferred(named(Op::expand, {f32, {3, 6}}), {{f32, {6}}}), InternalError);
  CHECK_THROWS_AS(inferred({.op = Op::constant}, {}), InternalError);
}

TEST_CASE("infer: permute and pad compute their shape") {
  const Node permute{.op = Op::permute, .attributes = {{"axes", List{2, 0, 1}}}};
  CHECK(inferred(permute, {{f32, {2, n, 4}}}) == "f32[4, 2, s0]");
  CHECK_THROWS_AS(inferred(permute, {{f32, {2, 3}}}), InternalError);
  const Node twice{.op = Op::permute, .attributes = {{"axes", List{1, 1}}}};
  CHECK_THROWS_AS(inferred(twice, {{f32, {2, 3}}}), InternalError);
  const Node negative{.op = Op::permute, .attributes = {{"axes", List{0, -1}}}};
  CHECK_THROWS_AS(inferred(negative, {{f32, {2, 3}}}), InternalError);

  const Node pad{
      .op = Op::pad,
      .attributes = {{"low", Shape{1, 0}}, {"high", Shape{2, n}}, {"value", constant(0.0f, f32)}}};
  CHECK(inferred(pad, {{f32, {n, 4}}}) == "f32[s0 + 3, s0 + 4]");
}

TEST_CASE("infer: slice and flip keep the dtype") {
  const Node slice{.op = Op::slice,
                   .attributes = {{"start", Shape{1}}, {"step", List{2}}},
                   .results = {{f32, {3}}}};
  CHECK(inferred(slice, {{f32, {7}}}) == "f32[3]");
  CHECK_THROWS_AS(inferred(slice, {{f32, {7, 7}}}), InternalError);
  CHECK(inferred({.op = Op::flip, .attributes = {{"axes", List{0}}}}, {{i8, {n}}}) == "i8[s0]");
  const Node outside{.op = Op::flip, .attributes = {{"axes", List{1}}}};
  CHECK_THROWS_AS(inferred(outside, {{i8, {n}}}), InternalError);
}

TEST_CASE("infer: unfold names its windows, which come last") {
  const auto windows = [](TensorType type, std::int64_t size, std::int64_t step) {
    return Node{.op = Op::unfold,
                .attributes = {{"axis", constant(0)},
                               {"size", constant(size)},
                               {"step", constant(step)},
                               {"dilation", constant(1)}},
                .results = {type}};
  };
  const TensorType x{i8, {n, 4}};
  CHECK(inferred(windows({i8, {n - 2, 4, 3}}, 3, 1), {x}) == "i8[s0 - 2, 4, 3]");
  CHECK_THROWS_AS(inferred(windows({i8, {n - 2, 4, 2}}, 3, 1), {x}), InternalError);
  CHECK_THROWS_AS(inferred(windows({i8, {n - 2, 3, 3}}, 3, 1), {x}), InternalError);
  CHECK_THROWS_AS(inferred(windows({i8, {n, 4, 0}}, 0, 1), {x}), InternalError);
  CHECK_THROWS_AS(inferred(windows({i8, {n, 4, 1}}, 1, 0), {x}), InternalError);
}

TEST_CASE("infer: concatenate adds extents along its axis; the others are equal") {
  const auto along = [](std::int64_t axis) {
    return Node{.op = Op::concatenate, .attributes = {{"axis", constant(axis)}}};
  };
  CHECK(inferred(along(0), {{f32, {n, 4}}, {f32, {3, 4}}, {f32, {n, 4}}}) == "f32[2*s0 + 3, 4]");
  CHECK(inferred(along(1), {{boolean, {n, 4}}, {boolean, {n, 0}}}) == "bool[s0, 4]");
  CHECK_THROWS_AS(inferred(along(0), {}), InternalError);
  CHECK_THROWS_AS(inferred(along(2), {{f32, {2, 4}}}), InternalError);
  CHECK_THROWS_AS(inferred(along(0), {{f32, {2, 4}}, {f64, {2, 4}}}), InternalError);
  CHECK_THROWS_AS(inferred(along(0), {{f32, {2, 4}}, {f32, {2, n}}}), InternalError);
  CHECK_THROWS_AS(inferred(along(0), {{f32, {2, 4}}, {f32, {2}}}), InternalError);
}

TEST_CASE("infer: gather puts the axes of the indices in place of the axis") {
  const Node gather{.op = Op::gather, .attributes = {{"axis", constant(1)}}};
  CHECK(inferred(gather, {{f32, {5, 6, 7}}, {i64, {n, 2}}}) == "f32[5, s0, 2, 7]");
  CHECK(inferred(gather, {{f32, {5, 6}}, {i64, {}}}) == "f32[5]");
  CHECK_THROWS_AS(inferred(gather, {{f32, {5, 6}}, {i32, {2}}}), InternalError);
  CHECK_THROWS_AS(inferred(gather, {{f32, {5}}, {i64, {2}}}), InternalError);
}

TEST_CASE("infer: scatter_add gives the type of what is added to") {
  const Node node{.op = Op::scatter_add, .attributes = {{"axis", constant(0)}}};
  CHECK(inferred(node, {{f32, {n, 2}}, {i64, {3}}, {f32, {3, 2}}}) == "f32[s0, 2]");
  CHECK_THROWS_AS(inferred(node, {{f32, {n, 2}}, {i64, {3}}, {f32, {4, 2}}}), InternalError);
  CHECK_THROWS_AS(inferred(node, {{f32, {n, 2}}, {i64, {3}}, {f64, {3, 2}}}), InternalError);
  CHECK_THROWS_AS(inferred(node, {{f32, {n, 2}}, {i32, {3}}, {f32, {3, 2}}}), InternalError);
}

TEST_CASE("infer: dot_general gives batch axes, free axes of lhs, free axes of rhs") {
  const Node node{.op = Op::dot_general,
                  .attributes = {{"lhs_batch", List{0}},
                                 {"rhs_batch", List{2}},
                                 {"lhs_contract", List{2}},
                                 {"rhs_contract", List{0}}}};
  CHECK(inferred(node, {{f32, {n, 3, 4}}, {f32, {4, 5, n}}}) == "f32[s0, 3, 5]");
  CHECK_THROWS_AS(inferred(node, {{f32, {n, 3, 4}}, {f32, {5, 5, n}}}), InternalError);
  CHECK(inferred(node, {{f32, {2, 3, 4}}, {f32, {4, 5, n}}}) == "f32[2, 3, 5]");
  CHECK_THROWS_AS(inferred(node, {{f32, {n, 3, 4}}, {f64, {4, 5, n}}}), InternalError);
}
