#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/simplify_reductions.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0);

// The graph whose output is what `write` makes of an input, after the pass, without dead nodes.
template <class Write>
std::string after_pass(bool strict, const TensorType& type, const Write& write) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input(type);
  graph.outputs = {write(build, x)};
  return to_string(rewrite(pass::simplify_reductions(graph, {.strict = strict}), {}));
}

Value sum_twice(Builder& build, Value x) {
  return build.reduce(Op::sum, build.reduce(Op::sum, x, {1}), {0, 1});
}

Value sum_of_repeated(Builder& build, Value x) {
  return build.reduce(Op::sum, build.expand(x, {n, 4, 5}), {0, 1});
}

}  // namespace

TEST_CASE("simplify_reductions: a sum of a sum is one sum") {
  CHECK(after_pass(false, {f32, {2, 3, n, 5}}, sum_twice) ==
        "%0: f32[2, 3, s0, 5] = input\n"
        "%1: f32[5] = sum %0 axes=[0, 1, 2]\n"
        "return %1\n");
}

TEST_CASE("simplify_reductions: strict keeps the order of floating sums, not that of others") {
  CHECK(after_pass(true, {f64, {2, 3, n, 5}}, sum_twice) ==
        "%0: f64[2, 3, s0, 5] = input\n"
        "%1: f64[2, s0, 5] = sum %0 axes=[1]\n"
        "%2: f64[5] = sum %1 axes=[0, 1]\n"
        "return %2\n");
  CHECK(after_pass(true, {i32, {2, 3, n, 5}}, sum_twice) ==
        "%0: i32[2, 3, s0, 5] = input\n"
        "%1: i32[5] = sum %0 axes=[0, 1, 2]\n"
        "return %1\n");
  CHECK(after_pass(true, {f32, {2, n}},
                   [](Builder& build, Value x) {
                     return build.reduce(Op::max, build.reduce(Op::max, x, {1}), {0});
                   }) ==
        "%0: f32[2, s0] = input\n"
        "%1: f32[] = max %0 axes=[0, 1]\n"
        "return %1\n");
}

TEST_CASE("simplify_reductions: strict rounds a floating sum once, from f64") {
  const auto reduce = [](Op op) {
    return [=](Builder& build, Value x) { return build.reduce(op, x, {0}); };
  };
  CHECK(after_pass(true, {f32, {n}}, reduce(Op::sum)) ==
        "%0: f32[s0] = input\n"
        "%1: f64[s0] = cast %0\n"
        "%2: f64[] = sum %1 axes=[0]\n"
        "%3: f32[] = cast %2\n"
        "return %3\n");
  CHECK(after_pass(true, {bf16, {n}}, reduce(Op::prod)).find("f64[] = prod") != std::string::npos);
  CHECK(after_pass(true, {f32, {n}}, reduce(Op::max)).find("cast") == std::string::npos);
  CHECK(after_pass(false, {f32, {n}}, reduce(Op::sum)).find("cast") == std::string::npos);
}

TEST_CASE("simplify_reductions: the maximum of minima stays") {
  CHECK(after_pass(false, {f32, {2, n}},
                   [](Builder& build, Value x) {
                     return build.reduce(Op::max, build.reduce(Op::min, x, {1}), {0});
                   }) ==
        "%0: f32[2, s0] = input\n"
        "%1: f32[2] = min %0 axes=[1]\n"
        "%2: f32[] = max %1 axes=[0]\n"
        "return %2\n");
}

TEST_CASE("simplify_reductions: axes of extent 1 are dropped, not reduced") {
  const auto reduce = [](Op op, AxisList axes) {
    return [=](Builder& build, Value x) { return build.reduce(op, x, axes); };
  };
  CHECK(after_pass(true, {f64, {1, n, 1}}, reduce(Op::sum, {0, 1})) ==
        "%0: f64[1, s0, 1] = input\n"
        "%1: f64[s0, 1] = reshape %0\n"
        "%2: f64[1] = sum %1 axes=[0]\n"
        "return %2\n");
  CHECK(after_pass(true, {f32, {1, n}}, reduce(Op::max, {0})) ==
        "%0: f32[1, s0] = input\n"
        "%1: f32[s0] = reshape %0\n"
        "return %1\n");
  CHECK(after_pass(false, {f32, {1, n}}, reduce(Op::sum, {0})) ==
        "%0: f32[1, s0] = input\n"
        "%1: f32[s0] = reshape %0\n"
        "return %1\n");
}

TEST_CASE("simplify_reductions: what is reduced along an axis of extent 0 is not read") {
  for (const bool strict : {false, true}) {
    const auto reduce = [&](Op op, std::int64_t axis) {
      return after_pass(strict, {f64, {2, 0, n}},
                        [&](Builder& build, Value x) { return build.reduce(op, x, {axis}); });
    };
    CHECK(reduce(Op::sum, 1) ==
          "%0: f64[2, 0, s0] = input\n"
          "%1: f64[2, s0] = constant value=0\n"
          "return %1\n");
    CHECK(reduce(Op::prod, 1) ==
          "%0: f64[2, 0, s0] = input\n"
          "%1: f64[2, s0] = constant value=1\n"
          "return %1\n");
    CHECK(reduce(Op::sum, 2).find("= sum %0 axes=[2]") != std::string::npos);
  }
}

TEST_CASE("simplify_reductions: strict keeps a sum over extent 1, which makes -0 a 0") {
  CHECK(after_pass(true, {f64, {1, n}},
                   [](Builder& build, Value x) { return build.reduce(Op::sum, x, {0}); }) ==
        "%0: f64[1, s0] = input\n"
        "%1: f64[s0] = sum %0 axes=[0]\n"
        "return %1\n");
}

TEST_CASE("simplify_reductions: a sum over what was repeated a known number of times multiplies") {
  CHECK(after_pass(false, {f32, {1, 1, 5}}, sum_of_repeated) ==
        "%0: f32[1, 1, 5] = input\n"
        "%1: f32[s0, 1, 5] = expand %0\n"
        "%2: f32[5] = sum %1 axes=[0, 1]\n"
        "%3: f32[5] = constant value=4\n"
        "%4: f32[5] = mul %2 %3\n"
        "return %4\n");
  CHECK(after_pass(true, {i32, {1, 1, 5}}, sum_of_repeated).find("mul") != std::string::npos);
}

TEST_CASE("simplify_reductions: strict keeps floating sums of what was repeated, which round") {
  CHECK(after_pass(true, {f32, {1, 1, 5}}, sum_of_repeated).find("mul") == std::string::npos);
}
