// test: moved
#include "testing.hpp"

#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/compile.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/elementwise/scientific.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

using namespace testing;

namespace {

TensorOf<float, "batch", 4> x = counting({3, 4});
const Shared shared{x};

}  // namespace

TEST_CASE("TensorOf: converts from and to Tensor, and says what it is") {
  const Tensor back = x;

  CHECK(back.lazy() == x.tensor().lazy());
  CHECK(to_string(x) == "f32[3, 4]");
  CHECK(x.dtype() == f32);
  CHECK(x.ndim() == 2);
  CHECK(x.size(0).number() == 3);
  CHECK(x.numel().number() == 12);
  CHECK(x.to_vector() == x.to_vector<float>());
  CHECK(x.data()[5] == 5);
  CHECK(TensorOf<float>(full({}, 2.5)).item<int>() == 2);
  static_assert(detail::TypedTensor<TensorOf<float, "batch", 4>>);
  static_assert(detail::TypedTensor<const TensorOf<float, "batch", 4>>);
  CHECK_FALSE(TensorOf<float, 4>().defined());
}

TEST_CASE("TensorOf: converts to what agrees, and dyn agrees with all") {
  const TensorOf<float, dyn, 4> any = x;
  const TensorOf<float, "batch", 4> again = any;
  const TensorOf<float, 3, dyn> other = Tensor(x);
  CHECK(alike(again, x));
  CHECK(alike(other, x));
  static_assert(!std::is_convertible_v<TensorOf<float, 4>, std::string>);
}

TEST_CASE("TensorOf: marks nothing, and keeps the marks of the tensor") {
  const Tensor plain = ones({3, 4});
  const TensorOf<float, "batch", 4> typed = plain;
  CHECK(plain.marks() == nullptr);
  CHECK(typed.tensor().marks() == nullptr);
}

namespace {

Graph graph_of(const Tensor& value, const Recorder& recorder) {
  Graph graph;
  Extractor extractor(graph, &recorder);
  for (const LazyRef& known : recorder.tape().values()) {
    if (known->node.op == Op::input) extractor.add_input(Tensor(known));
  }
  graph.outputs.push_back(extractor.add(value));
  return graph;
}

}  // namespace

TEST_CASE("Elementwise: records nothing until it becomes a tensor, then nodes with their lines") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const TensorOf<float, "batch", 4> input = recorder.placeholder({f32, {3, 4}});
  const auto expression = exp(input) * 2;
  const unsigned line = __LINE__ - 1;
  CHECK(recorder.tape().values().size() == 1);

  const Tensor result = expression;

  const Graph graph = graph_of(result, recorder);
  REQUIRE(graph.nodes.size() == 4);  // the input, exp, the number, mul
  const Node& mul = graph[graph.outputs[0].node];
  CHECK(mul.op == Op::mul);
  CHECK(mul.where.line() == line);
  CHECK(graph[mul.inputs[0].node].op == Op::exp);
  CHECK(graph[mul.inputs[0].node].where.line() == line);
  CHECK(attribute<Constant>(graph[mul.inputs[1].node], "value") == constant(2, f32));
}

TEST_CASE("Elementwise: is recorded as one value of its numbers and tensors") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const TensorOf<float, 4> a = recorder.placeholder({f32, {4}});
  const TensorOf<float, 4> b = recorder.placeholder({f32, {4}});
  const auto values_of = [&](const auto& expression) {
    const std::size_t before = recorder.tape().values().size();
    const Tensor result = expression;
    return recorder.tape().values().size() - before;
  };
  const auto eight = [&] { return sin((a * b + 0.5f) * (a - b) * b + exp(a)); };

  CHECK(values_of(eight()) == 2);  // the number and the expression
  CHECK(values_of(eight()) == 2);
  CHECK(values_of(a / b) == 1);
}

TEST_CASE("Elementwise: as one value it is the same graph as its operations one by one") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Extent n = recorder.symbol({.min = 2}, 3, Freedom::marked, "n");
  const TensorOf<float, "n", 4> rows = recorder.placeholder({f32, {n, 4}});
  const TensorOf<float, 4> row = recorder.placeholder({f32, {4}});
  const TensorOf<std::int64_t, 4> integer = recorder.placeholder({i64, {4}});
  const auto check = [&](const auto& expression) {
    const Graph whole = graph_of(expression, recorder);
    const Graph single = graph_of(expression.record(), recorder);
    CHECK_MESSAGE(hash_of(whole) == hash_of(single), to_string(whole), to_string(single));
    CHECK_NOTHROW(verify(whole));
  };
  check(rows * row + 0.5);
  check(2 / (rows - row));
  check(gelu(rows) * sigmoid(row));
  check(where(rows > 0, rows, -1));
  check(clamp(rows, -1, row));
  check(pow(integer, 2) % 3 + 0.5f);
  check((integer > 3) & (integer < 9));
  check(isnan(rows) | logical_not(row > 2));
}

TEST_CASE("Elementwise: an expression is another one for other sizes, dtypes and lines") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const auto result = [&](std::int64_t size) -> Tensor {
    const TensorOf<float, dyn> operand = recorder.placeholder({f32, {size}});
    return exp(operand) + 1;
  };
  CHECK(same(result(4).shape(), Shape{4}));
  CHECK(same(result(5).shape(), Shape{5}));
  const TensorOf<float, 4> operand = recorder.placeholder({f32, {4}});
  const Tensor first = exp(operand) * 2;
  const Tensor second = exp(operand) * 2;
  CHECK(graph_of(second, recorder).nodes.back().where.line() ==
        graph_of(first, recorder).nodes.back().where.line() + 1);
}

TEST_CASE("Elementwise: what asks of sizes is recorded one by one, with its assumptions") {
  for (int i = 0; i < 2; ++i) {
    Recorder recorder;
    RecorderScope scope(&recorder);
    const Extent n = recorder.symbol({.min = 2}, 3, Freedom::automatic, "n");
    const Extent m = recorder.symbol({.min = 2}, 3, Freedom::automatic, "m");
    const TensorOf<float, dyn> a = recorder.placeholder({f32, {n}});
    const TensorOf<float, dyn> b = recorder.placeholder({f32, {m}});
    const Tensor sum = a + b;
    CHECK(same(recorder.resolve(n), recorder.resolve(m)));
    CHECK(graph_of(sum, recorder).nodes.size() == 3);
  }
}

TEST_CASE("Elementwise: gradients reach into an expression that is one value") {
  const TensorOf<float, 3> point = vector({0.5f, 1, 2});
  const auto loss = [](const Tensor& at) {
    const TensorOf<float, 3> typed = at;
    return sum(exp(typed * 2) * sin(typed) / 3);
  };
  const auto untyped = [](const Tensor& at) { return sum(exp(at * 2) * sin(at) / 3); };
  auto compiled = compile(grad(loss));
  CHECK(alike(compiled(point), grad(untyped)(Tensor(point))));
  CHECK(alike(compiled(point), grad(loss)(Tensor(point))));
}

TEST_CASE("Elementwise: outlives its statement and its operands") {
  const auto expression = [] {
    const TensorOf<float, 2> local = vector({1, 2});
    return local * local + 1;
  }();
  CHECK(near(expression, {2, 5}));
}

TEST_CASE("Elementwise: past 8 leaves the operands are recorded first") {
  const auto four = (x + 2) * (-x - x);
  const auto eight = four / four;
  const auto nine = eight * x;
  static_assert(four.leaves == 4);
  static_assert(eight.leaves == 8);
  static_assert(nine.leaves == 2);
  const auto e0 = x + x;
  const auto e1 = e0 * e0 + e0;
  const auto e2 = e1 * e1 + e1;
  const auto e3 = e2 * e2 + e2;
  static_assert(sizeof(e3) <= 1024);
  const Tensor t0 = Tensor(x) + Tensor(x), t1 = t0 * t0 + t0, t2 = t1 * t1 + t1;
  CHECK(alike(e3, t2 * t2 + t2));
}

TEST_CASE("Elementwise: dimensions broadcast in the type") {
  const TensorOf<float, 4> row = ones({4});
  const TensorOf<float, "batch", 1> column = ones({3, 1});
  static_assert(std::is_same_v<typed::TypeOf<decltype(x + row)>, TensorOf<float, "batch", 4>>);
  static_assert(std::is_same_v<typed::TypeOf<decltype(column * row)>, TensorOf<float, "batch", 4>>);
  static_assert(std::is_same_v<typed::TypeOf<decltype(where(column > 0, x, row))>,
                               TensorOf<float, "batch", 4>>);
  CHECK(alike(x + row, Tensor(x) + 1));
}

TEST_CASE("Elementwise: dtypes meet in the type as they do at run time") {
  const TensorOf<std::int64_t, 2> integer = integers({3, 4});
  const TensorOf<half, 2> small = ones({2}, f16);
  const auto check = [](const auto& expression, DType expected) {
    CHECK(expression.type.dtype == expected);
    CHECK(Tensor(expression).dtype() == expected);
  };
  check(integer + integer, i64);
  check(integer / integer, f32);
  check(integer + 0.5, f32);
  check(small + 0.5, f16);
  check(small + integer, f16);
  check(exp(integer), f32);
  check(sigmoid(integer), f32);
  check(relu(integer), i64);
  check(integer > 3, boolean);
  check(integer == integer, boolean);
  check(isnan(small), boolean);
  check(where(integer > 3, integer, 0.5), f32);
  check((integer > 3) & (integer < 9), boolean);
}

TEST_CASE("Elementwise: with a Tensor or a Scalar it is a Tensor") {
  static_assert(std::is_same_v<decltype(x + Tensor(x)), Tensor>);
  static_assert(std::is_same_v<decltype(Tensor(x) * exp(x)), Tensor>);
  static_assert(std::is_same_v<decltype(x * Scalar(2)), Tensor>);
  static_assert(std::is_same_v<decltype(maximum(x, Tensor(x))), Tensor>);
  CHECK(alike(x * Scalar(2), Tensor(x) * 2));
}

TEST_CASE("Elementwise: an expression of the same operands is in the graph once") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const TensorOf<float, 4> a = recorder.placeholder({f32, {4}});
  const TensorOf<float, 4> b = recorder.placeholder({f32, {4}});
  const auto of = [](const auto& p, const auto& q, float factor) { return exp(p) * factor + q; };
  Graph graph;
  Extractor extractor(graph, &recorder);
  const auto node_of = [&](const Tensor& value) { return extractor.add(value).node; };

  const NodeId first = node_of(of(a, b, 2));

  CHECK(node_of(of(a, b, 2)) == first);
  CHECK(node_of(of(b, a, 2)) != first);
  CHECK(node_of(of(a, b, 3)) != first);
  CHECK(node_of(exp(a) * 2 + b) == first);
}

TEST_CASE("TensorOf: in a recording, a number in the type fixes a size, a name does not") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Extent n = recorder.symbol({}, 3, Freedom::automatic, "n");
  const Extent m = recorder.symbol({}, 4, Freedom::marked, "m");

  const TensorOf<float, "batch", 4> named = recorder.placeholder({f32, {m, 4}});
  CHECK(same(recorder.resolve(m), m));
  const TensorOf<float, 3, 4> fixed = recorder.placeholder({f32, {n, 4}});
  CHECK(same(recorder.resolve(n), Extent(3)));
  const Tensor marked = recorder.placeholder({f32, {m}});
  using Four = TensorOf<float, 4>;
  MISTAKE(ConstraintError, Four(marked), "m", "4");
}

TEST_CASE("TensorOf: += and the like keep its type") {
  TensorOf<float, 2> total = vector({1, 2});
  const TensorOf<float, 2> before = total;
  total += vector({1, 1});
  total *= 2;
  total -= total / 2;
  CHECK(near(total, {2, 3}));
  CHECK(near(before, {1, 2}));
}

TEST_CASE("TensorOf: mistakes name the line, the values, the rule and the way out") {
  using Named = TensorOf<float, "batch", 64>;
  using Square = TensorOf<float, "n", "n">;
  using Numbers64 = TensorOf<double, 2>;
  TensorOf<float, 2> total = vector({1, 2});
  const TensorOf<float, 2> undefined;

  MISTAKE(ShapeError, Named(ones({32, 63})), "TensorOf: ", "f32[32, 63]", "f32[batch, 64]");
  MISTAKE(ShapeError, Named(ones({64})), "f32[64]", "f32[batch, 64]");
  MISTAKE(ShapeError, Square(ones({2, 3})), "f32[2, 3]", "f32[n, n]", "dyn");
  MISTAKE(DTypeError, Numbers64(ones({2})), "f32[2]", "f64[2]", "x.to(f64)");
  MISTAKE(ShapeError, total += ones({3, 2}), "f32[3, 2]", "f32[2]");
  MISTAKE(ValueError, Tensor(exp(undefined)), "undefined");
  const TensorOf<float, "n"> three = ones({3}), four = ones({4});
  MISTAKE(ShapeError, Tensor(three + four), "add: ", "f32[3]", "f32[4]");
}
