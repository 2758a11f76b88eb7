#pragma once
// Programs as the operations that users call record them.

#include <vector>

#include <sinter/graph/builder.hpp>

namespace programs {

using namespace sinter;
using namespace sinter::detail;

/// A graph under construction, with the operations that are written in primitives.
struct Program {
  Graph graph{};
  Builder build{graph};

  Value input(Shape shape, DType dtype = f32) { return build.input({dtype, shape}); }
  Value number(double value, Value like) { return build.constant_like(like, value); }
  Value apply(Op op, Value x) { return build.elementwise(op, {x}); }

  /// Broadcasts x, which lacks leading axes, to `shape`.
  Value broadcast(Value x, Shape shape) {
    Shape ones;
    const Shape from = build.shape(x);
    for (int axis = 0; axis < shape.size() - from.size(); ++axis) ones.push_back(1);
    for (const Extent extent : from) ones.push_back(extent);
    return build.expand(build.reshape(x, ones), shape);
  }

  /// Reduces the last axis with `op` and broadcasts the result along it.
  Value along_row(Op op, Value x) {
    const Shape shape = build.shape(x);
    Shape kept = shape;
    kept[-1] = 1;
    return build.expand(build.reshape(build.reduce(op, x, {shape.size() - 1}), kept), shape);
  }

  Value softmax(Value x) {
    const Value e = apply(Op::exp, build.sub(x, along_row(Op::max, x)));
    return build.div(e, along_row(Op::sum, e));
  }
  Value log_softmax(Value x) {
    const Value shifted = build.sub(x, along_row(Op::max, x));
    const Value e = apply(Op::exp, shifted);
    const Shape shape = build.shape(x);
    Shape kept = shape;
    kept[-1] = 1;
    const Value total = build.reshape(build.reduce(Op::sum, e, {shape.size() - 1}), kept);
    return build.sub(shifted, build.expand(apply(Op::log, total), shape));
  }
  Value mean_row(Value x) {
    const Value total = along_row(Op::sum, x);
    const Extent width = build.shape(x).back();
    return build.div(total, number(static_cast<double>(width.is_number() ? width.number() : 8), x));
  }
  Value layer_norm(Value x, Value gain, Value bias) {
    const Value centred = build.sub(x, mean_row(x));
    const Value variance = mean_row(build.mul(centred, centred));
    const Value deviation = apply(Op::sqrt, build.add(variance, number(1e-5, x)));
    const Shape shape = build.shape(x);
    const Value scaled = build.mul(build.div(centred, deviation), broadcast(gain, shape));
    return build.add(scaled, broadcast(bias, shape));
  }
  /// x / (1 + sum(abs(x - max(x))))
  Value nameless(Value x) {
    const Value off = apply(Op::abs, build.sub(x, along_row(Op::max, x)));
    return build.div(x, build.add(number(1, x), along_row(Op::sum, off)));
  }

  Value linear(Value x, Value weight, Value bias) {
    const Value product = build.dot_general(x, weight, {.lhs_contract = {1}, .rhs_contract = {1}});
    return build.add(product, broadcast(bias, build.shape(product)));
  }
  Value relu(Value x) { return build.elementwise(Op::maximum, {x, number(0, x)}); }
  Value sigmoid(Value x) {
    return build.div(number(1, x), build.add(number(1, x), apply(Op::exp, build.neg(x))));
  }
  Value gelu(Value x) {
    const Value half = build.mul(x, number(0.5, x));
    return build.mul(half,
                     build.add(number(1, x), apply(Op::erf, build.mul(x, number(0.7071, x)))));
  }
  /// The derivative of gelu at x.
  Value gelu_slope(Value x) {
    const Value phi = build.mul(
        number(0.5, x), build.add(number(1, x), apply(Op::erf, build.mul(x, number(0.7071, x)))));
    const Value bell = apply(Op::exp, build.mul(number(-0.5, x), build.mul(x, x)));
    return build.add(phi, build.mul(x, build.mul(bell, number(0.3989, x))));
  }

  struct Moments {
    Value parameter, first, second;
  };
  /// One step of AdamW; `rate` and `step` are numbers of rank 0.
  Moments adamw(Value parameter, Value gradient, Moments old, Value rate, Value step) {
    const Shape shape = build.shape(parameter);
    const auto mix = [&](double share, Value a, Value b) {
      return build.add(build.mul(number(share, a), a), build.mul(number(1 - share, b), b));
    };
    const Value first = mix(0.9, old.first, gradient);
    const Value second = mix(0.999, old.second, build.mul(gradient, gradient));
    const auto correction = [&](double beta) {
      const Value power = build.elementwise(Op::pow, {number(beta, step), step});
      return broadcast(build.sub(number(1, step), power), shape);
    };
    const Value m = build.div(first, correction(0.9)), v = build.div(second, correction(0.999));
    const Value update = build.div(m, build.add(apply(Op::sqrt, v), number(1e-8, v)));
    const Value decay = build.mul(number(0.01, parameter), parameter);
    const Value change = build.mul(broadcast(rate, shape), build.add(update, decay));
    return {build.sub(parameter, change), first, second};
  }
};

/// Sizes as numbers, or all of them symbolic.
inline Shape sizes(std::initializer_list<std::int64_t> numbers, bool symbolic) {
  Shape result;
  for (const std::int64_t number : numbers) {
    const auto id = static_cast<std::uint32_t>(number);  // equal sizes are the same symbol
    result.push_back(symbolic ? Extent::symbol(id) : Extent(number));
  }
  return result;
}

}  // namespace programs
