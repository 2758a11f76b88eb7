#pragma once
// A program for each operation that has a gradient rule, and where it is smooth.

#include <sinter/autodiff/gradient/rules.hpp>
#include <sinter/graph/control.hpp>

#include "../operations.hpp"
#include "finite_differences.hpp"

namespace rule_cases {

using namespace differences;

template <Op op>
Value unary(Program& program) {
  const Extent n = program.size(5);
  return program.builder.elementwise(op, {program.input({n})});
}

template <Op op>
Value binary(Program& program) {
  const Shape shape{program.size(3), program.size(2)};
  const Value x = program.input(shape), y = program.input(shape);
  return program.builder.elementwise(op, {x, y});
}

template <Op op>
Value reduced(Program& program) {
  const Extent a = program.size(2), b = program.size(3), c = program.size(2);
  return program.builder.reduce(op, program.input({a, b, c}), {0, 2});
}

inline Value cast(Program& program) {
  Builder& build = program.builder;
  const Value x = program.input({program.size(4)});
  return build.cast(build.cast(build.mul(x, x), f32), f64);
}

inline Value select(Program& program) {
  const Shape shape{program.size(5)};
  const Value x = program.input(shape), y = program.input(shape);
  return program.builder.select(program.builder.elementwise(Op::lt, {x, y}), x, y);
}

template <Op op>
Value cumulated(Program& program) {
  const Value x = program.input({2, program.size(4), 3});
  return program.builder.cumulate(op, program.builder.mul(x, x), 1);
}

inline Value reshape(Program& program) {
  const Extent n = program.size(4);
  const Value x = program.input({n, 6});
  return program.builder.reshape(program.builder.mul(x, x), {2, n, 3});
}

inline Value permute(Program& program) {
  const Value x = program.input({program.size(2), program.size(3), program.size(4)});
  return program.builder.permute(program.builder.mul(x, x), {1, 2, 0});
}

inline Value expand(Program& program) {
  const Extent n = program.size(3), m = program.size(4);
  const Value x = program.input({n, 1, 1});
  return program.builder.expand(program.builder.mul(x, x), {n, m, 2});
}

inline Value pad(Program& program) {
  const Extent n = program.size(3), by = program.size(2);
  const Value x = program.input({n, n});
  return program.builder.pad(program.builder.mul(x, x), {by, 0}, {1, 2}, constant(5));
}

inline Value slice(Program& program) {
  const Extent n = program.size(7), m = program.size(5);
  const Value x = program.input({n, m, 3});
  const Value square = program.builder.mul(x, x);
  return program.builder.slice(square, {1, 0, 1}, {2, 3, 1}, {ceil_div(n - 1, 2), 2, 2});
}

// Windows that overlap, have gaps, or leave elements at the end out.
template <std::int64_t count, std::int64_t step, std::int64_t dilation>
Value unfold(Program& program) {
  const Extent n = program.size(7);
  const Value x = program.input({2, n, 2});
  const Extent windows = floor_div(n - 1 - (count - 1) * dilation, step) + 1;
  return program.builder.unfold(program.builder.mul(x, x), 1, windows, count, step, dilation);
}

inline Value concatenate(Program& program) {
  Builder& build = program.builder;
  const Extent n = program.size(3), m = program.size(2);
  const Value x = program.input({n, 2}), y = program.input({m, 2});
  return build.concatenate(Vector<Value>{build.mul(x, x), y, build.mul(x, x)}, 0);
}

// x * y and sin(y); its own gradient, if it has one, is that of the body.
template <bool custom>
Value call(Program& program) {
  const Shape shape{program.size(3)};
  const Value x = program.input(shape), y = program.input(shape);
  Graph forward, backward;
  Builder body(forward), reverse(backward);
  const Value a = body.input({f64, shape}), b = body.input({f64, shape});
  forward.outputs = {body.mul(a, b), body.elementwise(Op::sin, {b})};
  Vector<Value> given;  // x, y, both results, the gradients of both results
  for (int i = 0; i < 6; ++i) given.push_back(reverse.input({f64, shape}));
  const Value slope = reverse.elementwise(Op::cos, {given[1]});
  backward.outputs = {reverse.mul(given[4], given[1]),
                      reverse.add(reverse.mul(given[4], given[0]), reverse.mul(given[5], slope))};
  Vector<Graph> bodies{forward};
  if (custom) bodies.push_back(backward);
  const NodeId id = program.builder.append({.op = Op::call, .inputs = {x, y}, .bodies = bodies});
  return program.builder.add({id, 0}, {id, 1});
}

inline Value flip(Program& program) {
  const Value x = program.input({program.size(3), program.size(4)});
  return program.builder.flip(program.builder.mul(x, x), {0, 1});
}

// Indices that come twice, out of order, and from the end.
inline Value indices(Program& program, Extent count) {
  Builder& build = program.builder;
  const Value position = build.iota({i64, {count}}, 0);
  const Value turned = build.elementwise(
      Op::remainder, {build.mul(position, position), build.constant_like(position, 3)});
  return build.sub(turned, build.constant_like(turned, 1));
}

inline Value gather(Program& program) {
  const Extent n = program.size(4), m = program.size(5);
  const Value x = program.input({2, n, 2});
  return program.builder.gather(program.builder.mul(x, x), indices(program, m), 1);
}

inline Value scatter_add(Program& program) {
  Builder& build = program.builder;
  const Extent n = program.size(4), m = program.size(5);
  const Value x = program.input({n, 2}), y = program.input({m, 2});
  return build.scatter_add(build.mul(x, x), indices(program, m), build.mul(y, y), 0);
}

inline Value dot_general(Program& program) {
  const Extent n = program.size(2), k = program.size(3), m = program.size(4);
  const Value x = program.input({n, k}), y = program.input({k, m});
  return program.builder.dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {0}});
}

// Of x, which is positive in the branch that is taken, or not: squares, or cubes.
inline Graph branch(Extent n, bool cubes) {
  Graph graph;
  Builder body(graph);
  const Value x = body.input({f64, {n}}), y = body.input({f64, {n}});
  const Value square = body.mul(x, y);
  graph.outputs = {body.elementwise(Op::sin, {y}), cubes ? body.mul(square, y) : square};
  return graph;
}

template <bool taken>
Value cond(Program& program) {
  Builder& build = program.builder;
  const Extent n = program.size(3);
  const Value x = program.input({n}), y = program.input({n});
  const Value holds = build.constant(constant(taken), {boolean, {}});
  const NodeId id = build.append(
      {.op = Op::cond, .inputs = {holds, x, y}, .bodies = {branch(n, false), branch(n, true)}});
  return build.add({id, 0}, build.mul({id, 1}, {id, 1}));
}

// A carry that is a matrix by itself, what is scanned, and what is the same in each step.
inline Graph step(Extent n) {
  Graph graph;
  Builder body(graph);
  const Value carry = body.input({f64, {n}}), count = body.input({i64, {}});
  const Value x = body.input({f64, {n}}), weight = body.input({f64, {n, n}});
  const Value moved = body.dot_general(weight, carry, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value next = body.elementwise(Op::tanh, {body.add(moved, x)});
  const Value times = body.expand(body.reshape(body.cast(count, f64), {1}), {n});
  graph.outputs = {next, body.add(count, body.constant_like(count, 1)), body.mul(next, times)};
  return graph;
}

template <bool reverse>
Value scan(Program& program) {
  Builder& build = program.builder;
  const Extent n = program.size(2), length = program.size(4);
  const Value carry = program.input({n}), count = build.constant(constant(1), {i64, {}});
  const Value xs = program.input({length, n}), weight = program.input({n, n});
  const NodeId id = build.append({.op = Op::scan,
                                  .inputs = {carry, count, xs, weight},
                                  .attributes = {{"carries", constant(2)},
                                                 {"xs", constant(1)},
                                                 {"reverse", constant(reverse ? 1 : 0)}},
                                  .bodies = {step(n)}});
  const Value last = build.expand(build.reshape({id, 0}, {1, n}), {length, n});
  return build.add(build.mul({id, 2}, {id, 2}), last);
}

// A custom operation whose reference is x tanh(x).
inline Value custom(Program& program) {
  Builder& build = program.builder;
  const Value x = program.input({program.size(2), program.size(3)});
  Graph body;
  Builder reference(body);
  const Value y = reference.input(build.type(x));
  body.outputs = {reference.mul(y, reference.elementwise(Op::tanh, {y}))};
  const SharedPtr<const CustomCode> code =
      make_shared_ptr<const CustomCode>(CustomCode{.name = "test::custom"});
  return build.append({.op = Op::custom,
                       .inputs = {x},
                       .attributes = {{"code", code}, {"operands", constant(1)}},
                       .results = {build.type(x)},
                       .bodies = {body}});
}

struct Case {
  Op op;
  WriteProgram write;
  double low = -2, high = 2;
};

// Programs, and the numbers between which they are smooth: kinks are further from what spread()
// gives than a difference reaches.
inline const Case own_cases[]{
    {Op::cast, cast, 0, 0},  // not smooth, for it rounds: see elementwise_rules_test
    {Op::add, binary<Op::add>},
    {Op::sub, binary<Op::sub>},
    {Op::mul, binary<Op::mul>},
    {Op::div, binary<Op::div>, 0.3, 3},
    {Op::remainder, binary<Op::remainder>, 0.3, 3},
    {Op::pow, binary<Op::pow>, 0.3, 3},
    {Op::minimum, binary<Op::minimum>},
    {Op::maximum, binary<Op::maximum>},
    {Op::select, select},
    {Op::sum, reduced<Op::sum>},
    {Op::prod, reduced<Op::prod>},
    {Op::max, reduced<Op::max>},
    {Op::min, reduced<Op::min>},
    {Op::cumsum, cumulated<Op::cumsum>},
    {Op::cumprod, cumulated<Op::cumprod>},
    {Op::reshape, reshape},
    {Op::permute, permute},
    {Op::expand, expand},
    {Op::pad, pad},
    {Op::slice, slice},
    {Op::unfold, unfold<3, 1, 1>},
    {Op::unfold, unfold<2, 3, 2>},
    {Op::flip, flip},
    {Op::gather, gather},
    {Op::scatter_add, scatter_add},
    {Op::concatenate, concatenate},
    {Op::dot_general, dot_general},
    {Op::call, call<false>},
    {Op::call, call<true>},
    {Op::cond, cond<true>},
    {Op::cond, cond<false>},
    {Op::scan, scan<false>, -1, 1},
    {Op::scan, scan<true>, -1, 1},
    {Op::custom, custom},
};

template <std::size_t... i>
std::vector<Case> cases_of_functions(std::index_sequence<i...>) {
  using operations::functions;
  return {Case{functions[i].op, unary<functions[i].op>, functions[i].facts.low,
               functions[i].facts.high}...};
}

// Those, and one of each function of one operand, in the range that tests/operations.hpp says.
inline const std::vector<Case> cases = [] {
  std::vector<Case> result(std::begin(own_cases), std::end(own_cases));
  for (const Case& one :
       cases_of_functions(std::make_index_sequence<operations::functions.size()>())) {
    if (autodiff::gradient_rule(one.op).apply != nullptr) result.push_back(one);
  }
  return result;
}();

}  // namespace rule_cases
