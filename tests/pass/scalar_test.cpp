#include <doctest/doctest.h>
#include <sinter/pass/scalar.hpp>

#include <limits>

#include "numbers.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace numbers;

namespace {

constexpr DType dtypes[]{boolean, u8, i8, i16, i32, i64, f16, bf16, f32, f64};

// Numbers at which operations differ: zeros, ties, the least and the greatest, and no numbers.
Constants edges(DType dtype) {
  Constants result;
  const double infinity = std::numeric_limits<double>::infinity();
  if (is_floating(dtype)) {
    for (const double x : {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.3, 1e-7, 1e5, -1e30, infinity,
                           -infinity, std::nan("")}) {
      result.push_back(constant(x, dtype));
    }
    return result;
  }
  const auto least = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t x :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}, std::int64_t{-7},
        std::int64_t{31}, std::int64_t{64}, std::int64_t{100}, std::int64_t{1} << 31, least,
        std::numeric_limits<std::int64_t>::max()}) {
    result.push_back(constant(x, dtype));
    result.push_back(constant(x / (std::int64_t{1} << (64 - 8 * info(dtype).size)), dtype));
  }
  return result;
}

// Checks each of `results`, which are values of `graph`, against the number beside it.
void check(Graph& graph, const std::vector<std::pair<Value, Constant>>& results) {
  for (const auto& [value, expected] : results) graph.outputs.push_back(value);
  const auto outputs = run(graph, {});
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Node& node = graph[results[i].first.node];
    if (same_number(outputs[i][0], results[i].second)) continue;
    const Constant x = attribute<Constant>(graph[node.inputs[0].node], "value");
    const Constant y =
        attribute<Constant>(graph[node.inputs[node.inputs.size() - 1].node], "value");
    FAIL_CHECK(text(node.op, " of ", x.dtype, " ", x, " and ", y, " is ", outputs[i][0], ", not ",
                    results[i].second));
  }
  CHECK(outputs.size() == results.size());
}

}  // namespace

TEST_CASE("scalar: computes what the interpreter computes, for every operation, dtype and edge") {
  for (const DType dtype : dtypes) {
    const Constants numbers = edges(dtype);
    for (std::size_t row = 0; row < op_count; ++row) {
      const Op op = static_cast<Op>(row);
      if (!is_elementwise(op) || op == Op::cast || op == Op::select) continue;
      if (!takes(info(op).takes, dtype) || op == Op::custom_elementwise) continue;
      Graph graph;
      Builder build(graph);
      std::vector<std::pair<Value, Constant>> results;
      for (const Constant& x : numbers) {
        for (const Constant& y : numbers) {
          const bool unary = info(op).arity == 1;
          const Value lhs = build.constant(x, {dtype, {}}), rhs = build.constant(y, {dtype, {}});
          const Constant operands[]{x, y};
          const auto number = pass::compute(op, {operands, unary ? 1u : 2u},
                                            info(op).gives == Gives::boolean ? boolean : dtype);
          if (!number) continue;
          results.push_back(
              {unary ? build.elementwise(op, {lhs}) : build.elementwise(op, {lhs, rhs}), *number});
        }
      }
      CHECK(!results.empty());
      check(graph, results);
    }
  }
}

TEST_CASE("scalar: casts are those of the interpreter") {
  for (const DType from : dtypes) {
    for (const DType to : dtypes) {
      Graph graph;
      Builder build(graph);
      std::vector<std::pair<Value, Constant>> results;
      for (const Constant& x : edges(from)) {
        if (from == to) continue;
        const auto number = pass::compute(Op::cast, {&x, 1}, to);
        REQUIRE(number.has_value());
        results.push_back({build.cast(build.constant(x, {from, {}}), to), *number});
      }
      check(graph, results);
    }
  }
}

TEST_CASE("scalar: select takes one of the two numbers") {
  const Constant operands[]{constant(true), constant(2), constant(3)};
  CHECK(pass::compute(Op::select, operands, i64) == constant(2));

  const Constant others[]{constant(false), constant(2), constant(3)};
  CHECK(pass::compute(Op::select, others, i64) == constant(3));
}

TEST_CASE("scalar: division of integers by zero has no number, that of the least by -1 wraps") {
  const auto divide = [](std::int64_t x, std::int64_t y) {
    const Constant operands[]{constant(x), constant(y)};
    return pass::compute(Op::floor_divide, operands, i64);
  };
  const auto least = std::numeric_limits<std::int64_t>::min();
  CHECK_FALSE(divide(1, 0).has_value());
  CHECK(divide(least, -1) == constant(least));
  CHECK(divide(-7, 2) == constant(-4));
}
