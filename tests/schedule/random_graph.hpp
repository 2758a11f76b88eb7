#pragma once
// Graphs drawn at random: movement, elementwise, reductions, products, gathers, in any order.

#include <random>
#include <vector>

#include <sinter/graph/builder.hpp>

namespace random_graph {

using namespace sinter;
using namespace sinter::detail;

struct Options {
  bool symbolic = false;  ///< Extents of 4 are the symbol 0, those of 6 the symbol 1.
  int operations = 12;
};

struct Maker {
  std::mt19937 engine;
  Options options;
  Graph graph{};
  Builder build{graph};
  Vector<Value> values{};

  Maker(unsigned seed, Options with) : engine(seed), options(with) {}

  int below(int count) { return static_cast<int>(engine() % static_cast<unsigned>(count)); }
  Value any() { return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))]; }

  Extent extent() {
    return std::vector<Extent>{1, 2, 3, symbol(0), symbol(1)}[static_cast<std::size_t>(below(5))];
  }
  Extent symbol(std::uint32_t id) const {
    if (!options.symbolic) return id == 0 ? 4 : 6;
    return Extent::symbol(id, {.min = 0, .max = 64});
  }

  Shape shape() {
    Shape result;
    for (int rank = below(4); rank > 0; --rank) result.push_back(extent());
    return result;
  }

  // `value` in the shape of `other`, if a reshape, a reduction or a broadcast can do it.
  Value fitted(Value value, Shape to) {
    const Shape from = build.shape(value);
    if (same(from, to)) return value;
    if (same(numel(from), numel(to))) return build.reshape(value, to);
    AxisList all;
    for (int axis = 0; axis < from.size(); ++axis) all.push_back(axis);
    const Value scalar = build.reduce(below(2) == 0 ? Op::sum : Op::max, value, all);
    return broadcast(scalar, to);
  }
  Value broadcast(Value scalar, Shape to) {
    Shape ones;
    for (int axis = 0; axis < to.size(); ++axis) ones.push_back(1);
    return build.expand(build.reshape(scalar, ones), to);
  }

  // Values that stay small, so that nothing overflows and rounding does not grow.
  Value unary(Value x) {
    const Op ops[]{Op::sin, Op::tanh, Op::abs, Op::neg, Op::cos, Op::erf};
    return build.elementwise(ops[below(6)], {x});
  }
  Value binary(Value x, Value y) {
    const Op ops[]{Op::add, Op::sub, Op::mul, Op::minimum, Op::maximum};
    return build.elementwise(ops[below(5)], {x, y});
  }

  Value reduce(Value x) {
    AxisList axes;
    for (int axis = 0; axis < build.shape(x).size(); ++axis) {
      if (below(2) == 0) axes.push_back(axis);
    }
    const Op ops[]{Op::sum, Op::max, Op::min};
    return build.reduce(ops[below(3)], x, axes);
  }

  // x - mean over one axis, or x / (1 + its largest): rows that later values use again.
  Value row(Value x) {
    const Shape from = build.shape(x);
    if (from.empty()) return x;
    const int axis = below(2) == 0 ? from.size() - 1 : below(from.size());
    Shape kept = from;
    kept[axis] = 1;
    const Value reduced = build.reduce(below(2) == 0 ? Op::max : Op::sum, x, {axis});
    const Value wide =
        build.expand(build.reshape(build.elementwise(Op::tanh, {reduced}), kept), from);
    return binary(unary(x), wide);
  }

  Value move(Value x) {
    const Shape from = build.shape(x);
    if (from.empty()) return x;
    const int axis = below(from.size());
    Shape zeros;
    AxisList order, steps;
    for (int i = 0; i < from.size(); ++i) {
      zeros.push_back(0);
      order.push_back((i + 1) % from.size());
      steps.push_back(1);
    }
    Shape low = zeros, high = zeros, bigger = from;
    switch (below(6)) {
      case 0:
        return build.permute(x, order);
      case 1:
        return build.flip(x, {axis});
      case 2:
        low[axis] = below(3);
        high[axis] = below(2);
        return build.pad(x, low, high, constant(0.5, f32));
      case 3:  // slices off what a pad added, shifted by one
        high[axis] = 1;
        low[axis] = 1;
        return build.slice(build.pad(x, zeros, high, constant(0.25, f32)), low, steps, from);
      case 4:
        return build.reshape(x, {numel(from)});
      default:
        if (!same(from[axis], 1)) return build.permute(x, order);
        bigger[axis] = extent();
        return build.expand(x, bigger);
    }
  }

  // Windows along an axis that is long enough for all values of the symbols.
  Value unfold(Value x) {
    const Shape from = build.shape(x);
    const int axis = axis_of(from);
    if (axis < 0 || from.size() > 4) return x;
    const std::int64_t size = 1 + below(2), step = 1 + below(2), dilation = 1 + below(2);
    const std::int64_t reach = (size - 1) * dilation + 1;
    if (from[axis].number() < reach) return x;
    return build.unfold(x, axis, (from[axis].number() - reach) / step + 1, size, step, dilation);
  }

  // Up to twelve parts that differ only in their extent along one axis.
  Value concatenate(Value x) {
    const Shape from = build.shape(x);
    if (from.empty()) return x;
    const int axis = below(from.size());
    Vector<Value> parts{x};
    const int wanted = below(4) == 0 ? 12 : 1 + below(4);
    for (int i = 0; i < wanted; ++i) {
      Shape shape = from;
      if (below(2) == 0) shape[axis] = below(6) == 0 ? Extent(0) : extent();
      parts.push_back(unary(fitted(any(), shape)));
    }
    return build.concatenate(parts, axis);
  }

  // Sums or products along an axis, which stay small.
  Value cumulate(Value x) {
    const int rank = build.shape(x).size();
    if (rank == 0) return x;
    const Op op = below(3) == 0 ? Op::cumprod : Op::cumsum;
    return build.elementwise(Op::tanh, {build.cumulate(op, x, below(rank))});
  }
  // The argsort of an input after movement; rounding may change the order of computed values.
  Value argsort() {
    Value x = graph.inputs[static_cast<std::size_t>(below(3))];
    if (below(2) == 0) x = move(x);
    const int rank = build.shape(x).size();
    if (rank == 0) return x;
    const Value order = build.cast(build.argsort(x, below(rank), below(2) == 0), f32);
    return build.mul(order, build.constant_like(order, 0.125));
  }

  // The body of a call: x * y + x, and y.
  Value call(Value x, Value y) {
    Graph body;
    Builder inner(body);
    const Value a = inner.input(build.type(x)), b = inner.input(build.type(y));
    body.outputs = {inner.add(inner.mul(a, b), a), b};
    const NodeId id = build.append({.op = Op::call, .inputs = {x, y}, .bodies = {body}});
    return {id, static_cast<std::uint32_t>(below(2))};
  }

  Value dot(Value x, Value y) {
    const Shape from = build.shape(x), to = build.shape(y);
    for (int i = 0; i < from.size(); ++i) {
      for (int j = 0; j < to.size(); ++j) {
        const bool small = from.size() + to.size() <= 5;
        if (small && same(from[i], to[j]) && !same(from[i], 1)) {
          return build.dot_general(x, y, {.lhs_contract = {i}, .rhs_contract = {j}});
        }
      }
    }
    return binary(x, fitted(y, from));
  }

  // Positions that are always inside, whatever the size: 0 and -1 in turn.
  Value positions(Shape of) {
    if (of.empty()) return build.constant(constant(-1), {i64, of});
    const Value two = build.constant(constant(2), {i64, of});
    return build.neg(build.elementwise(Op::remainder, {build.iota({i64, of}, 0), two}));
  }
  Shape few() {
    Shape result;
    for (int rank = below(3); rank > 0; --rank) result.push_back(extent());
    return result;
  }
  // An axis whose size is never 0, so that it has positions; -1 if there is none.
  int axis_of(const Shape& shape) {
    const int axis = shape.empty() ? -1 : below(shape.size());
    return axis >= 0 && shape[axis].is_number() ? axis : -1;
  }
  Value gather(Value x) {
    const int axis = axis_of(build.shape(x));
    return axis < 0 ? x : build.gather(x, positions(few()), axis);
  }
  Value scatter(Value x) {
    const Shape from = build.shape(x), indices = few();
    const int axis = axis_of(from);
    if (axis < 0 || from.size() + indices.size() > 5) return x;
    Shape added;
    for (int i = 0; i < from.size(); ++i) {
      if (i != axis) added.push_back(from[i]);
      for (int j = 0; i == axis && j < indices.size(); ++j) added.push_back(indices[j]);
    }
    return build.scatter_add(x, positions(indices), fitted(any(), added), axis);
  }

  // 1 for the larger element, random numbers elsewhere.
  Value choose(Value x) {
    const Shape shape = build.shape(x);
    const Value seed = build.constant(constant(below(100)), {i64, {}});
    const Value bits = build.append({.op = Op::random_bits,
                                     .inputs = {seed, seed},
                                     .attributes = {{"number", constant(below(9))}},
                                     .results = {{i32, shape}}});
    const Value noise = build.mul(build.cast(bits, f32), build.constant_like(x, 0x1p-31));
    return build.select(build.elementwise(Op::lt, {x, noise}), x, noise);
  }
  // The position of the largest element of an input along an axis.
  Value farthest(Value x) {
    const Value input = graph.inputs[static_cast<std::size_t>(below(3))];
    const int rank = build.shape(input).size();
    if (rank == 0) return x;
    const Value position = build.cast(build.reduce(Op::argmax, input, {below(rank)}), f32);
    return build.mul(position, build.constant_like(position, 0.125));
  }

  Value next() {
    const Value x = any();
    switch (below(17)) {
      case 0:
        return reduce(x);
      case 1:
      case 2:
        return row(x);
      case 3:
        return move(x);
      case 4:
        return dot(x, any());
      case 5:
        return gather(x);
      case 6:
        return below(3) == 0 ? scatter(x) : unary(x);
      case 7:
        return unary(x);
      case 8:
        return choose(x);
      case 9:
        return farthest(x);
      case 10:
        return unfold(x);
      case 11:
        return concatenate(x);
      case 12:
        return call(x, fitted(any(), build.shape(x)));
      case 13:
        return cumulate(x);
      case 14:
        return argsort();
      default:
        return binary(x, fitted(any(), build.shape(x)));
    }
  }

  // Keeps numbers in [-1, 1] from time to time.
  Value tamed(Value x) { return below(3) == 0 ? build.elementwise(Op::tanh, {x}) : x; }

  Graph make() {
    for (int i = 0; i < 3; ++i) values.push_back(build.input({f32, shape()}));
    for (int i = 0; i < options.operations; ++i) {
      const Value made = tamed(next());
      if (build.shape(made).size() <= 5) values.push_back(made);
    }
    const int last = static_cast<int>(values.size()) - 1;
    for (int i = below(5); i >= 0; --i) {
      graph.outputs.push_back(values[static_cast<std::size_t>(last - below(last / 2 + 1))]);
    }
    graph.outputs.push_back(values.back());
    return graph;
  }
};

}  // namespace random_graph
