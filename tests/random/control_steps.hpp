#pragma once
// Steps that branch and loop.

#include "steps.hpp"

namespace random_program::detail {

/// x combined with y so that floating values stay in [-1, 1].
inline Value mixed(Builder& build, Value x, Value y) {
  const DType dtype = build.dtype(x);
  if (dtype == boolean) return build.elementwise(Op::bitwise_xor, {x, y});
  const Value sum = build.add(x, y);
  return is_floating(dtype) ? build.elementwise(Op::tanh, {sum}) : sum;
}

inline Graph branch(const TensorType& type, bool mixes) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input(type), y = build.input(type);
  graph.outputs = {mixes ? mixed(build, x, y) : y, mixes ? x : mixed(build, y, x)};
  return graph;
}

inline Value boolean_number(Writer& to) { return to.operand(boolean, Shape{}, true); }

inline void write_cond(Writer& to, const Step& step) {
  const Value x = to.operand(step.dtype, step.rank, false);
  const TensorType type = to.build.type(x);
  const Value y = to.operand(step.dtype, type.shape, false);
  const NodeId id = to.build.append({.op = Op::cond,
                                     .inputs = {boolean_number(to), x, y},
                                     .bodies = {branch(type, true), branch(type, false)}});
  for (std::uint32_t i = 0; i < 2; ++i) finish(to, step.op, Value(id, i), {x, y});
}

// How often the state is mixed with y: up to 3 times.
inline void write_while(Writer& to, const Step& step) {
  const Value x = to.operand(step.dtype, step.rank, false);
  const TensorType type = to.build.type(x), counter{i64, {}};
  const Value y = to.operand(step.dtype, type.shape, false);
  const Value zero = to.build.constant(constant(0), counter);
  Graph predicate, body;
  {
    Builder build(predicate);
    const Value i = build.input(counter);
    build.input(type), build.input(type);
    predicate.outputs = {build.elementwise(Op::lt, {i, build.constant_like(i, to.below(4))})};
  }
  {
    Builder build(body);
    const Value i = build.input(counter), state = build.input(type), with = build.input(type);
    body.outputs = {build.add(i, build.constant_like(i, 1)), mixed(build, state, with)};
  }
  const NodeId id = to.build.append({.op = Op::while_loop,
                                     .inputs = {zero, x, y},
                                     .attributes = {{"states", constant(std::int64_t{2})}},
                                     .bodies = {predicate, body}});
  finish(to, step.op, Value(id, 1), {x, y});
}

// The carry is mixed with each step of x; each step gives the carry before it.
inline void write_scan(Writer& to, const Step& step) {
  const Value x = to.operand(step.dtype, step.rank, false);
  Shape one;
  for (int axis = 1; axis < step.rank; ++axis) one.push_back(to.build.shape(x)[axis]);
  const Value carry = to.operand(step.dtype, one, false);
  Graph body;
  {
    Builder build(body);
    const Value state = build.input({step.dtype, one}), part = build.input({step.dtype, one});
    body.outputs = {mixed(build, state, part), state};
  }
  const std::int64_t reverse = to.below(2);
  const NodeId id = to.build.append({.op = Op::scan,
                                     .inputs = {carry, x},
                                     .attributes = {{"carries", constant(std::int64_t{1})},
                                                    {"xs", constant(std::int64_t{1})},
                                                    {"reverse", constant(reverse)}},
                                     .bodies = {body}});
  for (std::uint32_t i = 0; i < 2; ++i) finish(to, step.op, Value(id, i), {carry, x});
}

}  // namespace random_program::detail
