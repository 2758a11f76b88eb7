#pragma once

#include <numbers>  // std::numbers::pi

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/cumulative.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/ops/sort/search.hpp>
#include <sinter/trace/ops/sort/sort.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void require_probability(double p, std::string_view op, Where where) {
  if (p >= 0 && p <= 1) return;
  throw ValueError({.op = op,
                    .what = "p is not a probability",
                    .facts = {{"p", text(p)}},
                    .rule = "0 <= p <= 1",
                    .fix = "pass a fraction between 0 and 1, such as 0.1 for one in ten",
                    .where = where});
}

// 32 random bits for each element, as i32. In a recording, a draw has a number and reads the random
// state of the call; outside of one, it advances the state of the process.
SINTER_INLINE Tensor random_bits(const Shape& shape, Where where) {
  Recorder* const recorder = current_recorder();
  const auto draw = [&](std::int64_t number, const Tensor& seed, const Tensor& offset) {
    return record({.op = Op::random_bits,
                   .attributes = {{"number", constant(number)}},
                   .results = {{i32, shape}}},
                  {seed, offset}, where);
  };
  if (recorder != nullptr) {
    const std::int64_t number = recorder->next_draw();
    return draw(number, recorder->random_seed(), recorder->random_offset());
  }
  if (current_body != 0) {
    const BodyDraw next = next_body_draw(where);
    return draw(next.number, next.seed, next.offset);
  }
  const random::State state = random::next_state();
  return draw(0, constant_tensor(constant(state.seed), {i64, {}}, where),
              constant_tensor(constant(state.offset), {i64, {}}, where));
}

// The upper `count` of 32 random bits, as integers in `dtype`.
SINTER_INLINE Tensor upper_bits(const Shape& shape, int count, DType dtype, Where where) {
  const Tensor shifted = shift_right({random_bits(shape, where), where}, {32 - count, where});
  const Tensor masked = bitwise_and({shifted, where}, {(std::int64_t{1} << count) - 1, where});
  return cast({masked, where}, dtype);
}

// Uses as many random bits as the dtype represents exactly, so that nothing rounds up to 1: 53 from
// two words, or up to 24 from one.
SINTER_INLINE Tensor uniform(const Shape& shape, DType dtype, Where where) {
  if (dtype != f64) {
    const int count = dtype == f16 ? 11 : dtype == bf16 ? 8 : 24;
    const float step = dtype == f16 ? 0x1p-11f : dtype == bf16 ? 0x1p-8f : 0x1p-24f;
    const Tensor bits = upper_bits(shape, count, f32, where);
    return cast({mul({bits, where}, {step, where}), where}, dtype);
  }
  const Tensor high = upper_bits(shape, 26, f64, where), low = upper_bits(shape, 27, f64, where);
  const Tensor sum = add({mul({high, where}, {0x1p27, where}), where}, {low, where});
  return mul({sum, where}, {0x1p-53, where});
}

// 32 random bits as a number in [0, 2^32).
SINTER_INLINE Tensor random_word(const Shape& shape, Where where) {
  const Tensor word = cast({random_bits(shape, where), where}, i64);
  return bitwise_and({word, where}, {0xffffffff, where});
}

// The upper 64 bits of the unsigned product of 64 random bits and `choices`, computed in wrapping
// i64: uniform below `choices`, up to the resolution of 64 bits.
SINTER_INLINE Tensor random_below(std::uint64_t choices, const Shape& shape, Where where) {
  const auto upper = [&](const Tensor& v) {
    const Tensor shifted = shift_right({v, where}, {32, where});
    return bitwise_and({shifted, where}, {0xffffffff, where});
  };
  const auto lower = [&](const Tensor& v) { return bitwise_and({v, where}, {0xffffffff, where}); };
  const auto sum = [&](const Tensor& v, const Tensor& w) { return add({v, where}, {w, where}); };
  const auto times = [&](const Tensor& word, std::uint64_t factor) {
    return mul({word, where}, {static_cast<std::int64_t>(factor), where});
  };
  const std::uint64_t high_choices = choices >> 32, low_choices = choices & 0xffffffff;
  const Tensor high = random_word(shape, where), low = random_word(shape, where);
  const Tensor high_low = times(high, low_choices), low_high = times(low, high_choices);
  const Tensor middle = sum(upper(times(low, low_choices)), sum(lower(high_low), lower(low_high)));
  return sum(sum(times(high, high_choices), upper(middle)), sum(upper(high_low), upper(low_high)));
}

SINTER_INLINE void require_floating(DType dtype, std::string_view op, Where where) {
  if (is_floating(dtype)) return;
  throw DTypeError({.op = op,
                    .what = "the dtype is not floating",
                    .facts = {{"dtype", to_string(dtype)}},
                    .rule = "dtype is f16, bf16, f32 or f64",
                    .fix = "use randint for integers",
                    .where = where,
                    .see = "dtypes"});
}

SINTER_INLINE void require_holds(DType dtype, std::int64_t low, std::int64_t high, Where where) {
  const auto holds = [dtype](std::int64_t number) {
    if (is_floating(dtype)) return true;
    return constant(number, dtype).integer() == number;
  };
  if (holds(low) && holds(high)) return;
  throw DTypeError(
      {.op = "randint",
       .what = "the dtype does not hold all of the integers",
       .facts = {{"dtype", to_string(dtype)}, {"smallest", text(low)}, {"largest", text(high)}},
       .rule = "dtype holds low and high - 1",
       .fix = "choose a wider dtype, or a smaller range",
       .where = where,
       .see = "dtypes"});
}

}  // namespace detail

SINTER_INLINE Tensor rand(Shape shape, DType dtype, Where where) {
  const detail::PublicCall call("rand", where);
  detail::require_floating(dtype, "rand", where);
  shape = detail::new_sizes(shape, "rand", where);
  return detail::uniform(shape, dtype, where);
}

SINTER_INLINE Tensor rand_like(Operand x) {
  const detail::PublicCall call("rand_like", x.where);
  detail::require_floating(x.type().dtype, "rand_like", x.where);
  return detail::placed_as(x, rand(x.shape(), x.type().dtype, x.where));
}

SINTER_INLINE Tensor randn(Shape shape, DType dtype, Where where) {
  const detail::PublicCall call("randn", where);
  detail::require_floating(dtype, "randn", where);
  shape = detail::new_sizes(shape, "randn", where);
  // Box-Muller: the radius from one uniform in (0, 1], the angle from another. In f64, so that
  // backends agree to within one ulp of f32.
  const auto wide_uniform = [&] {
    return detail::cast({detail::uniform(shape, detail::computed_in(dtype), where), where}, f64);
  };
  const Tensor first = wide_uniform(), second = wide_uniform();
  const Tensor log_of_first = log({sub({1, where}, {first, where}), where});
  const Tensor radius = sqrt({mul({log_of_first, where}, {-2, where}), where});
  const Tensor angle = mul({second, where}, {2 * std::numbers::pi, where});
  return detail::cast({mul({radius, where}, {cos({angle, where}), where}), where}, dtype);
}

SINTER_INLINE Tensor randn_like(Operand x) {
  const detail::PublicCall call("randn_like", x.where);
  detail::require_floating(x.type().dtype, "randn_like", x.where);
  return detail::placed_as(x, randn(x.shape(), x.type().dtype, x.where));
}

SINTER_INLINE Tensor normal(Operand mean, Operand deviation) {
  const detail::PublicCall call("normal", mean.where);
  const Where at = mean.where;
  const Operand operands[]{mean, deviation};
  const Shape shape = detail::broadcast_shapes("normal", operands);
  const DType dtype = add(mean, deviation).dtype();
  const Tensor standard = randn(shape, detail::is_floating(dtype) ? dtype : f32, at);
  return add({mul({standard, at}, deviation), at}, mean);
}

SINTER_INLINE Tensor normal(double mean, double deviation, Shape shape, DType dtype, Where where) {
  const detail::PublicCall call("normal", where);
  detail::require_floating(dtype, "normal", where);
  const Tensor standard = randn(shape, dtype, where);
  return add({mul({standard, where}, {deviation, where}), where}, {mean, where});
}

SINTER_INLINE Tensor randint(std::int64_t low, std::int64_t high, Shape shape, DType dtype,
                             Where where) {
  const detail::PublicCall call("randint", where);
  if (low >= high) {
    throw ValueError(
        {.op = "randint",
         .what = "there is no integer to choose",
         .facts = {{"low", detail::text(low)}, {"high", detail::text(high)}},
         .rule = "low < high",
         .fix = "high is one more than the largest integer: randint(0, 2, {n}) is 0 or 1",
         .where = where});
  }
  shape = detail::new_sizes(shape, "randint", where);
  detail::require_holds(dtype, low, high - 1, where);
  const auto choices = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (choices >> 32 != 0) {
    const Tensor wide = detail::random_below(choices, shape, where);
    return detail::cast({add({wide, where}, {low, where}), where}, dtype);
  }
  // 53 bits scaled to the range: the bias is below 2^-53 times the number of choices.
  const Tensor uniform = detail::uniform(shape, f64, where);
  const Tensor scaled =
      floor({mul({uniform, where}, {static_cast<double>(choices), where}), where});
  return detail::cast({add({detail::cast({scaled, where}, i64), where}, {low, where}), where},
                      dtype);
}

SINTER_INLINE Tensor randint(std::int64_t high, Shape shape, Where where) {
  const detail::PublicCall call("randint", where);
  return randint(0, high, shape, i64, where);
}

// Random choices: permutations, Bernoulli samples, indices, dropout.

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
  const auto* const number = p.value.get_if<detail::Constant>();
  if (number == nullptr) return bernoulli({expand(p, std::move(shape)), p.where});
  const double probability = sinter::detail::cast(*number, f64).floating();
  detail::require_probability(probability, "bernoulli", p.where);
  return detail::cast({lt({rand(std::move(shape), f32, p.where), p.where}, p), p.where}, f32);
}

namespace detail {

// With replacement: inverts the cumulative sum of the weights.
SINTER_INLINE Tensor drawn_with_replacement(const Tensor& weights, Extent count, Where where) {
  const Extent choices = weights.shape()[-1];
  Shape shape = weights.shape();
  shape[-1] = count;
  const Tensor up_to = cumsum({weights, where}, -1);
  const Tensor total = slice({up_to, where}, -1, choices - 1, choices);
  const Tensor place = mul({rand(shape, f64, where), where}, {total, where});
  const Tensor drawn = searchsorted({up_to, where}, {place, where}, true);
  return minimum({drawn, where}, {choices - 1, where});  // if no weight is positive
}

// Without replacement: the smallest exponential waiting times, with the weights as rates.
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
                      .what = "there are too few elements to draw from",
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
