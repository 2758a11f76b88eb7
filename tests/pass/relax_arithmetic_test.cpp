#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/pass/relax_arithmetic.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

template <class Write>
std::string after_pass(DType dtype, const Write& write) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({dtype, {4}});
  graph.outputs = {write(build, x)};
  return to_string(pass::relax_arithmetic(graph));
}

}  // namespace

TEST_CASE("relax_arithmetic: a division by a constant becomes a multiplication") {
  const auto by_ten = [](Builder& build, Value x) {
    return build.div(x, build.constant_like(x, 10));
  };

  CHECK(after_pass(f64, by_ten) ==
        "%0: f64[4] = input\n"
        "%1: f64[4] = constant value=10\n"
        "%2: f64[4] = constant value=0.1\n"
        "%3: f64[4] = mul %0 %2\n"
        "return %3\n");
}

TEST_CASE(
    "relax_arithmetic: keeps divisions in 16 bits, by 0 and by what has no normal reciprocal") {
  const auto keeps = [](DType dtype, double number) {
    const auto result = after_pass(dtype, [number](Builder& build, Value x) {
      return build.div(x, build.constant_like(x, number));
    });
    return result.find("div") != std::string::npos;
  };
  CHECK(keeps(f16, 10));
  CHECK(keeps(bf16, 10));
  CHECK(keeps(f32, 0));
  CHECK(keeps(f32, 1e-40));
  CHECK(keeps(f32, 3e38));
  CHECK_FALSE(keeps(f32, 10));
}

TEST_CASE("relax_arithmetic: constant factors are multiplied first, unless that overflows") {
  const auto factors = [](double a, double b) {
    return [=](Builder& build, Value x) {
      const Value product = build.mul(x, build.constant_like(x, a));
      return build.mul(product, build.constant_like(x, b));
    };
  };

  CHECK(after_pass(f32, factors(2, 1.5)) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=2\n"
        "%2: f32[4] = mul %0 %1\n"
        "%3: f32[4] = constant value=1.5\n"
        "%4: f32[4] = constant value=3\n"
        "%5: f32[4] = mul %0 %4\n"
        "return %5\n");
  CHECK(after_pass(f32, factors(1e30, 1e30)).find("return %3") != std::string::npos);
}

TEST_CASE("relax_arithmetic: x + 0 becomes x, -(x - y) becomes y - x") {
  const auto written = [](Builder& build, Value x) {
    const Value turned = build.neg(build.sub(x, build.constant_like(x, 2)));
    return build.add(turned, build.constant_like(x, 0));
  };

  CHECK(after_pass(f32, written) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=2\n"
        "%2: f32[4] = sub %0 %1\n"
        "%3: f32[4] = sub %1 %0\n"
        "%4: f32[4] = constant value=0\n"
        "return %3\n");
}

TEST_CASE("relax_arithmetic: squares are products and inverses are divisions") {
  const auto power = [](double exponent) {
    return [=](Builder& build, Value x) {
      return build.elementwise(Op::pow, {x, build.constant_like(x, exponent)});
    };
  };

  CHECK(after_pass(f32, power(2)) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=2\n"
        "%2: f32[4] = mul %0 %0\n"
        "return %2\n");
  CHECK(after_pass(f32, power(-1)) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=-1\n"
        "%2: f32[4] = constant value=1\n"
        "%3: f32[4] = div %2 %0\n"
        "return %3\n");
  CHECK(after_pass(f32, power(3)).find("pow") != std::string::npos);
}
