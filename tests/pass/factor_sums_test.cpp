#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/pass/factor_sums.hpp>
#include <sinter/pass/pipeline.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Sum {
  Graph graph{};
  Builder build{graph};

  Value input(Shape shape, Shape wide, DType dtype = f32) {
    return build.expand(build.input({dtype, shape}), wide);
  }
  /// The graph of the sum of x * y over `axes`, and what the passes make of it.
  std::string over(Value x, Value y, AxisList axes, pass::Options options = {}) {
    graph.outputs = {build.reduce(Op::sum, build.mul(x, y), std::move(axes))};
    return to_string(pass::optimize(graph, options));
  }
};

}  // namespace

TEST_CASE("factor_sums: the sum over i and j of a[i] * b[j] is sum(a) * sum(b)") {
  Sum s;
  const Shape wide{5, 3, 4};
  const Value x = s.input({5, 3, 1}, wide), y = s.input({5, 1, 4}, wide);
  CHECK(s.over(x, y, {1, 2}) ==
        "%0: f32[5, 3, 1] = input\n"
        "%1: f32[5, 1, 4] = input\n"
        "%2: f32[5, 4] = reshape %1\n"
        "%3: f32[5] = sum %2 axes=[1]\n"
        "%4: f32[5, 3] = reshape %0\n"
        "%5: f32[5] = sum %4 axes=[1]\n"
        "%6: f32[5] = mul %5 %3\n"
        "return %6\n");
}

TEST_CASE("factor_sums: a factor that repeats along all axes of the sum comes out of it") {
  Sum s;
  const Value x = s.build.input({f32, {6, 7}}), y = s.input({6, 1}, {6, 7});
  CHECK(s.over(x, y, {1}) ==
        "%0: f32[6, 7] = input\n"
        "%1: f32[6, 1] = input\n"
        "%2: f32[6] = sum %0 axes=[1]\n"
        "%3: f32[6] = reshape %1\n"
        "%4: f32[6] = mul %3 %2\n"
        "return %4\n");
}

TEST_CASE("factor_sums: other sums stay, and all of them under strict") {
  const auto stays = [](DType dtype, const Shape& narrow, AxisList axes, bool strict) {
    Sum s;
    const Value x = s.build.input({dtype, {6, 7}}), y = s.input(narrow, {6, 7}, dtype);
    const std::string after = s.over(x, y, std::move(axes), {.strict = strict});
    return after == to_string(s.graph);
  };
  CHECK(stays(f32, {6, 1}, {0, 1}, false));
  CHECK(stays(f32, {6, 1}, {0}, false));
  CHECK(stays(f64, {6, 1}, {1}, true));
  CHECK_FALSE(stays(f32, {6, 1}, {1}, false));
}
