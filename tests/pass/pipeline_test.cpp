#include <doctest/doctest.h>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/pass/pipeline.hpp>

#include "numbers.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace numbers;

namespace {

// A stream of numbers that is the same everywhere.
struct Dice {
  std::uint32_t state;

  std::size_t operator()(std::size_t sides) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % sides;
  }
  template <class T, std::size_t size>
  T pick(const T (&list)[size]) {
    return list[(*this)(size)];
  }
};

/// A program of operations that passes like to change, written at random.
class RandomProgram {
 public:
  /// Smooth ones have only operations that a last bit more or less cannot make a leap.
  RandomProgram(std::uint32_t seed, bool smooth) : dice_{seed}, smooth_(smooth) {
    const Extent n = Extent::symbol(0);
    const DType dtype = smooth ? f64 : f32;
    values_ = {build_.input({dtype, {n, 3}}), build_.input({dtype, {2, n}})};
    for (int step = 0; step < 14; ++step) values_.push_back(next(any()));
    for (int output = 0; output < 4; ++output) graph_.outputs.push_back(any());
  }

  const Graph& graph() const { return graph_; }

 private:
  Value any() {
    return values_[values_.size() - 1 - dice_(std::min(values_.size(), std::size_t{5}))];
  }

  Value next(Value x) {
    switch (dice_(smooth_ ? 8 : 11)) {
      case 0:
      case 1:
        return with_constant(x);
      case 2:
        return reduce(x);
      case 3:
      case 4:
        return move(x);
      case 5:
        return build_.neg(x);
      case 6:
        return combine(x);
      case 7:
        return build_.mul(with_constant(x), build_.constant_like(x, 0.5));
      case 8:
        return build_.cast(x, dice_.pick({f16, bf16, f32, f64, i32, i8, u8}));
      case 9:
        return build_.elementwise(dice_.pick({Op::abs, Op::neg, Op::sign}), {x});
      default:
        return build_.select(build_.elementwise(dice_.pick({Op::lt, Op::eq, Op::ge}),
                                                {x, build_.constant_like(x, 1)}),
                             with_constant(x), x);
    }
  }

  Value with_constant(Value x) {
    const double number = dice_.pick({0.0, -0.0, 1.0, -1.0, 2.0, 3.0, 0.1});
    const Value constant = build_.constant_like(x, number);
    const bool divides = is_floating(build_.dtype(x)) && number != 0 && dice_(3) == 0;
    if (divides) return build_.div(x, constant);
    const Op op = smooth_ ? dice_.pick({Op::add, Op::mul, Op::sub})
                          : dice_.pick({Op::add, Op::mul, Op::sub, Op::minimum});
    if (dice_(2) == 0) return build_.elementwise(op, {constant, x});
    return build_.elementwise(op, {x, constant});
  }

  Value combine(Value x) {
    const Value y = any();
    if (!same(build_.type(x), build_.type(y))) return build_.add(x, x);
    return dice_(2) == 0 ? build_.add(x, build_.neg(y)) : build_.sub(build_.neg(x), y);
  }

  Value reduce(Value x) {
    const int rank = build_.shape(x).size();
    if (rank == 0) return build_.reshape(x, {1, 1});
    const Op op = smooth_ ? Op::sum : dice_.pick({Op::sum, Op::max, Op::min, Op::prod});
    if (rank > 1 && dice_(3) == 0) return build_.reduce(op, x, {0, 1});
    return build_.reduce(op, x, {static_cast<std::int64_t>(dice_(static_cast<std::size_t>(rank)))});
  }

  Value move(Value x) {
    const Shape shape = build_.shape(x);
    if (shape.empty() || shape.size() > 4) return build_.reshape(x, {numel(shape)});
    AxisList axes;
    Shape zeros, ones, halves, uppers, one_more{1}, repeated{3};
    for (int axis = 0; axis < shape.size(); ++axis) {
      axes.insert(axes.begin(), axis);
      zeros.push_back(0);
      ones.push_back(1);
      halves.push_back(floor_div(shape[axis], 2));
      uppers.push_back(shape[axis] - halves.back());
      one_more.push_back(shape[axis]);
      repeated.push_back(shape[axis]);
    }
    const AxisList one_step(axes.size(), 1), two_steps(axes.size(), 2);
    switch (dice_(8)) {
      case 0:
        return build_.permute(x, axes);
      case 1:
        return build_.expand(build_.reshape(x, one_more), repeated);
      case 2:
        return build_.reshape(x, {numel(shape)});
      case 3:
        return build_.pad(x, dice_(2) == 0 ? zeros : ones, zeros, constant(0));
      case 4:
        return build_.slice(x, zeros, one_step, shape);
      case 5:
        return build_.slice(x, ones, two_steps, halves);
      case 6:
        return build_.slice(x, halves, one_step, uppers);
      default:
        return build_.flip(x, {0});
    }
  }

  Dice dice_;
  bool smooth_;
  Graph graph_{};
  Builder build_{graph_};
  Vector<Value> values_{};
};

constexpr std::int64_t size_of_n = 4;

Constants numbers_for(DType dtype, std::size_t count, bool smooth) {
  const double rough[]{0.0, -0.0, 1.0, -2.5, 7e8, 1e-42, std::nan(""), -1.0 / 0.0, 0.3, 100.0};
  Constants result;
  for (std::size_t i = 0; i < count; ++i) {
    const double even = 0.5 + 0.13 * static_cast<double>(i);
    result.push_back(constant(smooth ? even : rough[i % 10], dtype));
  }
  return result;
}

std::vector<Constants> run_any(const Graph& graph, bool smooth) {
  const DType dtype = smooth ? f64 : f32;
  return run(graph,
             {numbers_for(dtype, 3 * size_of_n, smooth), numbers_for(dtype, 2 * size_of_n, smooth)},
             {size_of_n});
}

}  // namespace

TEST_CASE("pipeline: strict keeps every bit of programs written at random") {
  std::size_t before = 0, after = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const RandomProgram program(seed, false);
    const Graph result = pass::optimize(program.graph(), {.strict = true});
    verify(result);
    const auto expected = run_any(program.graph(), false), found = run_any(result, false);
    bool equal = expected.size() == found.size();
    for (std::size_t i = 0; i < found.size() && equal; ++i) {
      equal = std::equal(found[i].begin(), found[i].end(), expected[i].begin(), expected[i].end(),
                         same_number);
    }
    if (!equal) FAIL_CHECK(text("seed ", seed, "\n", program.graph(), "became\n", result));
    before += program.graph().nodes.size();
    after += result.nodes.size();
  }
  CHECK(after < before * 9 / 10);
}

TEST_CASE("pipeline: fast changes no more than roundings of programs written at random") {
  std::size_t before = 0, after = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const RandomProgram program(seed, true);
    const Graph result = pass::optimize(program.graph());
    verify(result);
    const auto expected = run_any(program.graph(), true), found = run_any(result, true);
    double largest = 1, error = 0;
    REQUIRE(expected.size() == found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(expected[i].size() == found[i].size());
      for (std::size_t k = 0; k < found[i].size(); ++k) {
        largest = std::max(largest, std::abs(expected[i][k].floating()));
        error = std::max(error, std::abs(expected[i][k].floating() - found[i][k].floating()));
      }
    }
    if (!(error <= 1e-11 * largest)) {
      FAIL_CHECK(text("seed ", seed, ": ", error, "\n", program.graph(), "became\n", result));
    }
    before += program.graph().nodes.size();
    after += result.nodes.size();
  }
  CHECK(after < before * 8 / 10);
}

TEST_CASE("pipeline: what one pass finds, the others go on with, until nothing changes") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0);
  const Value x = build.input({f32, {n, 4}});
  const Value one = build.constant_like(x, 1), two = build.constant_like(x, 2);
  const Value back =
      build.reshape(build.reshape(build.mul(x, build.sub(two, one)), {4 * n}), {n, 4});
  const Value sum = build.reduce(Op::sum, build.reduce(Op::sum, back, {1}), {0});
  graph.outputs = {build.div(sum, build.constant_like(sum, 4))};

  const Graph result = pass::optimize(graph);

  CHECK(to_string(result) ==
        "%0: f32[s0, 4] = input\n"
        "%1: f32[] = sum %0 axes=[0, 1]\n"
        "%2: f32[] = constant value=0.25\n"
        "%3: f32[] = mul %1 %2\n"
        "return %3\n");
  CHECK(to_string(pass::optimize(result)) == to_string(result));
}

TEST_CASE("pipeline: equal nodes become one, unread ones go, inputs stay") {
  Graph graph;
  for (int i = 0; i < 2; ++i) graph.append({.op = Op::input, .results = {{f32, {2}}}});
  for (int i = 0; i < 2; ++i) {
    graph.append({.op = Op::exp, .inputs = {NodeId{0}}, .results = {{f32, {2}}}});
  }
  graph.append({.op = Op::log, .inputs = {NodeId{0}}, .results = {{f32, {2}}}});
  graph.outputs = {NodeId{2}, NodeId{3}};

  CHECK(to_string(pass::optimize(graph)) ==
        "%0: f32[2] = input\n"
        "%1: f32[2] = input\n"
        "%2: f32[2] = exp %0\n"
        "return %2 %2\n");
}

TEST_CASE("pipeline: nodes keep the line and the module of what they replace") {
  const std::string path = "model.up";
  const Where line = Where::current();
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}});
  build.at(line, &path);
  graph.outputs = {build.div(x, build.constant_like(x, 5))};

  const Graph result = pass::optimize(graph);

  const Node& product = result[result.outputs[0].node];
  CHECK(product.op == Op::mul);
  CHECK(product.where.line() == line.line());
  CHECK(product.path == &path);
}
