#pragma once
// Random choices: permutations, events, indices, and what is dropped.

#include <sinter/trace/create.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/random.hpp>
#include <sinter/trace/row.hpp>
#include <sinter/trace/search.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE Tensor randperm(Extent n, Where where) {
  const detail::PublicCall call("randperm", where);
  n = detail::new_sizes({n}, "randperm", where)[0];
  const Tensor high = shift_left({detail::random_word({n}, where), where}, {32, where});
  const Tensor low = detail::random_word({n}, where);
  return argsort({bitwise_or({high, where}, {low, where}), where}, 0);
}

SINTER_INLINE Tensor bernoulli(Operand p) {
  const detail::PublicCall call("bernoulli", p.where);
  const DType dtype = p.is_number() ? f32 : p.type().dtype;
  return detail::cast(
      {lt({rand(p.shape(), detail::computed_in(dtype), p.where), p.where}, p), p.where}, dtype);
}

SINTER_INLINE Tensor bernoulli(Operand p, Shape shape) {
  const detail::PublicCall call("bernoulli", p.where);
  const auto* const number = std::get_if<detail::Constant>(&p.value);
  if (number == nullptr) return bernoulli({expand(p, std::move(shape)), p.where});
  const double probability = sinter::detail::cast(*number, f64).floating();
  detail::require_probability(probability, "bernoulli", p.where);
  return detail::cast({lt({rand(std::move(shape), f32, p.where), p.where}, p), p.where}, f32);
}

namespace detail {

// A place in the running total of the weights for each draw.
SINTER_INLINE Tensor drawn_with_replacement(const Tensor& weights, Extent count, Where where) {
  const Extent choices = weights.shape()[-1];
  Shape shape = weights.shape();
  shape[-1] = count;
  const Tensor up_to = cumsum({weights, where}, -1);
  const Tensor total = slice({up_to, where}, -1, choices - 1, choices);
  const Tensor place = mul({rand(shape, f64, where), where}, {total, where});
  const Tensor drawn = searchsorted({up_to, where}, {place, where}, true);
  return minimum({drawn, where}, {choices - 1, where});  // where no weight is above 0
}

// Those whose exponential waiting time, at the rate of their element, is over first.
SINTER_INLINE Tensor drawn_without(const Tensor& weights, Extent count, Where where) {
  const Tensor numbers = rand(weights.shape(), f64, where);
  const Tensor times = neg({log1p({neg({numbers, where}), where}), where});
  return topk({div({weights, where}, {times, where}), where}, count, -1).indices;
}

}  // namespace detail

SINTER_INLINE Tensor multinomial(Operand x, std::int64_t count, bool replacement) {
  const detail::PublicCall call("multinomial", x.where);
  const Where at = x.where;
  const Tensor weights = detail::cast(x, f64);
  const bool has_row = weights.ndim() > 0;
  const Extent choices = has_row ? weights.shape()[weights.ndim() - 1] : Extent(0);
  const Extent drawn = replacement ? Extent(1) : Extent(count);
  if (!has_row || count < 0 || !(drawn <= choices)) {
    throw ValueError({.op = "multinomial",
                      .what = "there is not as much to draw",
                      .facts = {{"x", to_string(x)}, {"count", detail::text(count)}},
                      .rule = "x has an axis, and without replacement at least `count` elements",
                      .fix = "draw fewer, or with replacement",
                      .where = at});
  }
  return replacement ? detail::drawn_with_replacement(weights, count, at)
                     : detail::drawn_without(weights, count, at);
}

SINTER_INLINE Tensor dropout(Operand x, double p) {
  const detail::PublicCall call("dropout", x.where);
  const Where at = x.where;
  detail::require_probability(p, "dropout", at);
  if (p == 0) return x.tensor();
  if (p == 1) return mul(x, {0, at});
  detail::require_floating("dropout", x);
  const Tensor keep = ge({rand(x.shape(), f32, at), at}, {p, at});
  return sinter::where({keep, at}, {mul(x, {1 / (1 - p), at}), at}, {0, at});
}

}  // namespace sinter::inline SINTER_ABI
