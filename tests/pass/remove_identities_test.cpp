#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/pass/remove_identities.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

// The graph whose output is what `write` makes of an input of `dtype`, after the pass.
template <class Write>
std::string after_pass(DType dtype, const Write& write) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({dtype, {4}});
  graph.outputs = {write(build, x)};
  return to_string(pass::remove_identities(graph));
}

// The lines that a graph has when nothing but its input is left: constants stay until the next
// rewriting, because the rule that drops them has already seen them.
constexpr const char* only_input = "return %0\n";

bool gives_input(const std::string& graph) {
  return graph.size() > 10 && graph.compare(graph.size() - 10, 10, only_input) == 0;
}

}  // namespace

TEST_CASE("remove_identities: x * 1 becomes x") {
  const auto result = after_pass(
      f32, [](Builder& build, Value x) { return build.mul(x, build.constant_like(x, 1)); });

  CHECK(result ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=1\n"
        "return %0\n");
}

TEST_CASE("remove_identities: operands that change nothing go away") {
  const auto binary = [](Op op, auto number) {
    return [op, number](Builder& build, Value x) {
      return build.elementwise(op, {x, build.constant_like(x, number)});
    };
  };
  CHECK(gives_input(after_pass(f32, binary(Op::div, 1))));
  CHECK(gives_input(after_pass(f32, binary(Op::pow, 1))));
  CHECK(gives_input(after_pass(f32, binary(Op::sub, 0))));
  CHECK(gives_input(after_pass(f32, binary(Op::add, -0.0))));
  CHECK(gives_input(after_pass(i32, binary(Op::add, 0))));
  CHECK(gives_input(after_pass(i32, binary(Op::floor_divide, 1))));
  CHECK(gives_input(after_pass(i32, binary(Op::bitwise_or, 0))));
  CHECK(gives_input(after_pass(i32, binary(Op::bitwise_xor, 0))));
  CHECK(gives_input(after_pass(i32, binary(Op::bitwise_and, -1))));
  CHECK(gives_input(after_pass(boolean, binary(Op::bitwise_and, true))));
  CHECK(gives_input(after_pass(i32, binary(Op::shift_left, 0))));
  CHECK(gives_input(after_pass(i32, binary(Op::shift_right, 0))));
}

TEST_CASE("remove_identities: keeps x + 0, which makes -0 a 0") {
  const auto result = after_pass(
      f32, [](Builder& build, Value x) { return build.add(x, build.constant_like(x, 0)); });

  CHECK(result ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=0\n"
        "%2: f32[4] = add %0 %1\n"
        "return %2\n");
}

TEST_CASE("remove_identities: keeps x * 0, which is NaN where x is infinite") {
  const auto result = after_pass(
      f32, [](Builder& build, Value x) { return build.mul(x, build.constant_like(x, 0)); });

  CHECK(result ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=0\n"
        "%2: f32[4] = mul %0 %1\n"
        "return %2\n");
}

TEST_CASE("remove_identities: keeps floor_divide(x, 1) of floating numbers, which is floor(x)") {
  CHECK_FALSE(gives_input(after_pass(f32, [](Builder& build, Value x) {
    return build.elementwise(Op::floor_divide, {x, build.constant_like(x, 1)});
  })));
}

TEST_CASE("remove_identities: constants move to the right") {
  const auto result = after_pass(
      f32, [](Builder& build, Value x) { return build.add(build.constant_like(x, 2), x); });

  CHECK(result ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=2\n"
        "%2: f32[4] = add %0 %1\n"
        "return %2\n");
}

TEST_CASE("remove_identities: a sign that is changed twice, or not looked at, goes away") {
  CHECK(gives_input(
      after_pass(f32, [](Builder& build, Value x) { return build.neg(build.neg(x)); })));
  CHECK(gives_input(after_pass(i8, [](Builder& build, Value x) {
    return build.elementwise(Op::bitwise_not, {build.elementwise(Op::bitwise_not, {x})});
  })));

  const auto result = after_pass(
      f32, [](Builder& build, Value x) { return build.elementwise(Op::abs, {build.neg(x)}); });

  CHECK(result ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = neg %0\n"
        "%2: f32[4] = abs %0\n"
        "return %2\n");
}

TEST_CASE("remove_identities: abs(-x) of numbers without a sign stays") {
  const auto result = after_pass(
      u8, [](Builder& build, Value x) { return build.elementwise(Op::abs, {build.neg(x)}); });

  CHECK(result ==
        "%0: u8[4] = input\n"
        "%1: u8[4] = neg %0\n"
        "%2: u8[4] = abs %1\n"
        "return %2\n");
}

TEST_CASE("remove_identities: adding what is negated is subtracting, and the other way round") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}}), y = build.input({f32, {4}});
  graph.outputs = {build.add(x, build.neg(y)), build.add(build.neg(y), x),
                   build.sub(x, build.neg(y))};

  CHECK(to_string(pass::remove_identities(graph)) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = input\n"
        "%2: f32[4] = neg %1\n"
        "%3: f32[4] = sub %0 %1\n"
        "%4: f32[4] = add %0 %1\n"
        "return %3 %3 %4\n");
}

TEST_CASE("remove_identities: signs inside and outside of a product cancel") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}}), y = build.input({f32, {4}});
  const Value product = build.neg(build.mul(build.neg(x), y));
  graph.outputs = {product, build.neg(build.div(x, build.neg(y)))};

  CHECK(to_string(pass::remove_identities(pass::remove_identities(graph))) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = input\n"
        "%2: f32[4] = mul %0 %1\n"
        "%3: f32[4] = div %0 %1\n"
        "return %2 %3\n");
}

TEST_CASE("remove_identities: x * -1 becomes -x") {
  const auto result = after_pass(
      f32, [](Builder& build, Value x) { return build.mul(x, build.constant_like(x, -1)); });

  CHECK(result ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=-1\n"
        "%2: f32[4] = neg %0\n"
        "return %2\n");
}

TEST_CASE("remove_identities: divisions by powers of two become multiplications, others stay") {
  const auto divided_by = [](double number) {
    return
        [number](Builder& build, Value x) { return build.div(x, build.constant_like(x, number)); };
  };

  CHECK(after_pass(f32, divided_by(-8)) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=-8\n"
        "%2: f32[4] = constant value=-0.125\n"
        "%3: f32[4] = mul %0 %2\n"
        "return %3\n");
  for (const double number : {3.0, 0.0, 0x1p-127, 0x1p127}) {
    CHECK(after_pass(f32, divided_by(number)).find("div") != std::string::npos);
  }
  CHECK(after_pass(f32, divided_by(0x1p126)).find("div") == std::string::npos);
  CHECK(after_pass(f16, divided_by(0x1p-14)).find("div") == std::string::npos);
  CHECK(after_pass(f16, divided_by(0x1p15)).find("div") != std::string::npos);
}

TEST_CASE("remove_identities: a select that is decided goes away") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}}), y = build.input({f32, {4}});
  const Value which = build.input({boolean, {4}});
  const Value yes = build.constant(constant(true), {boolean, {4}});
  graph.outputs = {build.select(yes, x, y), build.select(build.constant_like(yes, false), x, y),
                   build.select(which, y, y)};

  CHECK(to_string(pass::remove_identities(graph)) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = input\n"
        "%2: bool[4] = input\n"
        "%3: bool[4] = constant value=true\n"
        "%4: bool[4] = constant value=false\n"
        "return %0 %1 %1\n");
}

TEST_CASE("remove_identities: a cast to a dtype that holds everything, and on, is one cast") {
  const auto cast_through = [](DType between, DType to) {
    return [=](Builder& build, Value x) { return build.cast(build.cast(x, between), to); };
  };
  CHECK(gives_input(after_pass(f16, cast_through(f32, f16))));
  CHECK(gives_input(after_pass(boolean, cast_through(f32, boolean))));
  CHECK(gives_input(after_pass(i32, cast_through(f64, i32))));
  CHECK(gives_input(after_pass(u8, cast_through(bf16, u8))));
  CHECK(after_pass(bf16, cast_through(f32, f16)) ==
        "%0: bf16[4] = input\n"
        "%1: f32[4] = cast %0\n"
        "%2: f16[4] = cast %0\n"
        "return %2\n");
  const auto reshaped_between = [](Builder& build, Value x) {
    return build.cast(build.reshape(build.cast(x, f32), Shape{2, 2}), f16);
  };
  CHECK(after_pass(f16, reshaped_between).find("f16[2, 2] = reshape %0\nreturn") !=
        std::string::npos);
}

TEST_CASE("remove_identities: a cast that rounds, wraps or saturates stays") {
  const auto casts = [](DType from, DType between, DType to) {
    const auto result = after_pass(
        from, [=](Builder& build, Value x) { return build.cast(build.cast(x, between), to); });
    return result.find("return %2") != std::string::npos &&
           result.find("cast %1") != std::string::npos;
  };
  CHECK(casts(f32, f16, f32));
  CHECK(casts(f16, bf16, f16));
  CHECK(casts(i64, f64, i64));
  CHECK(casts(i32, f64, u8));
  CHECK(casts(i16, u8, i16));
  CHECK(casts(i32, f32, f64));
  CHECK(casts(u8, i8, u8));
  CHECK(casts(f32, boolean, f32));
}

TEST_CASE("remove_identities: the extreme of a value and itself is that value") {
  CHECK(gives_input(after_pass(f32, [](Builder& build, Value x) {
    return build.elementwise(Op::maximum, {x, x});
  })));
}
