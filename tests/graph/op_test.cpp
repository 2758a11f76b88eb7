#include <doctest/doctest.h>
#include <sinter/graph/op.hpp>

#include <set>
#include <string_view>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("op: the table is in the order of the enumeration") {
  CHECK(info(Op::input).name == "input");
  CHECK(info(Op::cast).name == "cast");
  CHECK(info(Op::add).name == "add");
  CHECK(info(Op::select).name == "select");
  CHECK(info(Op::sum).name == "sum");
  CHECK(info(Op::reshape).name == "reshape");
  CHECK(info(Op::gather).name == "gather");
  CHECK(info(Op::dot_general).name == "dot_general");
  CHECK(info(Op::custom).name == "custom");
  CHECK(op_table.size() == static_cast<std::size_t>(Op::custom) + 1);
  CHECK(to_string(Op::floor_divide) == "floor_divide");
}

TEST_CASE("op: names are unique") {
  std::set<std::string_view> names;
  for (const OpInfo& row : op_table) names.insert(row.name);
  CHECK(names.size() == op_count);
}

TEST_CASE("op: kinds and arities agree") {
  for (const OpInfo& row : op_table) {
    INFO(row.name);
    if (row.kind == OpKind::reduction || row.kind == OpKind::movement) CHECK(row.arity == 1);
    const bool is_custom = row.name == "custom_elementwise";
    if (row.kind == OpKind::elementwise) CHECK((is_custom || (row.arity >= 1 && row.arity <= 3)));
    if (row.kind == OpKind::contraction) CHECK(row.arity == 2);
  }
  CHECK(is_elementwise(Op::select));
  CHECK(is_reduction(Op::argmax));
  CHECK(is_movement(Op::flip));
  CHECK_FALSE(is_elementwise(Op::random_bits));
}

TEST_CASE("op: transcendental functions are of floating numbers, and called but for pow") {
  for (const Op op : {Op::exp, Op::tan, Op::erf, Op::pow}) {
    CHECK(is_function(op));
    CHECK(info(op).takes == Takes::floating);
  }
  CHECK(info(Op::exp).work == Work::function);
  CHECK(info(Op::pow).work == Work::call);
  CHECK_FALSE(is_function(Op::sqrt));
  CHECK_FALSE(is_function(Op::random_bits));
}

TEST_CASE("op: a comparison takes what it compares and gives booleans") {
  for (const Op op : {Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge}) {
    CHECK(info(op).takes == Takes::any);
    CHECK(info(op).gives == Gives::boolean);
  }
}

TEST_CASE("takes: numbers are all but booleans, integral are all that have no fraction") {
  CHECK(takes(Takes::any, boolean));
  CHECK_FALSE(takes(Takes::numbers, boolean));
  CHECK(takes(Takes::numbers, u8));
  CHECK(takes(Takes::floating, bf16));
  CHECK_FALSE(takes(Takes::floating, i64));
  CHECK(takes(Takes::integral, boolean));
  CHECK_FALSE(takes(Takes::integral, f16));
}
