#pragma once

#include <mutex>    // std::mutex
#include <numbers>  // std::numbers::pi

#include <sinter/base/process_mutex.hpp>
#include <sinter/trace/body.hpp>
#include <sinter/trace/cast.hpp>
#include <sinter/trace/create.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/random.hpp>
#include <sinter/trace/record.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

struct Generator {
  ProcessMutex mutex;
  random::State state;
};

SINTER_INLINE Generator& generator() {
  static auto& generator = *new Generator;
  return generator;
}

// 32 random bits for each element, as i32. In a recording a draw has a number and reads the state
// of the call; outside of one it is a call of its own.
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
    BodyRandom& state = body_random(where);
    return draw(state.draws++, state.seed, state.offset);
  }
  const random::State state = random::next_state();
  return draw(0, constant_tensor(constant(state.seed), {i64, {}}, where),
              constant_tensor(constant(state.offset), {i64, {}}, where));
}

// The upper `count` of 32 random bits, as numbers of `dtype`.
SINTER_INLINE Tensor upper_bits(const Shape& shape, int count, DType dtype, Where where) {
  const Tensor shifted = shift_right({random_bits(shape, where), where}, {32 - count, where});
  const Tensor masked = bitwise_and({shifted, where}, {(std::int64_t{1} << count) - 1, where});
  return cast({masked, where}, dtype);
}

// 53 random bits in two parts, or 24 in one: as many as the dtype holds exactly.
SINTER_INLINE Tensor uniform(const Shape& shape, DType dtype, Where where) {
  if (dtype != f64) {
    return mul({upper_bits(shape, 24, f32, where), where}, {0x1p-24f, where});
  }
  const Tensor high = upper_bits(shape, 26, f64, where), low = upper_bits(shape, 27, f64, where);
  const Tensor sum = add({mul({high, where}, {0x1p27, where}), where}, {low, where});
  return mul({sum, where}, {0x1p-53, where});
}

SINTER_INLINE void require_floating(DType dtype, std::string_view op, Where where) {
  if (is_floating(dtype)) return;
  throw DTypeError({.op = std::string(op),
                    .what = "the dtype is not floating",
                    .facts = {{"dtype", to_string(dtype)}},
                    .rule = "dtype is f16, bf16, f32 or f64",
                    .fix = "use randint for integers",
                    .where = where,
                    .see = "dtypes"});
}

}  // namespace detail

namespace random {

SINTER_INLINE void manual_seed(std::uint64_t seed) {
  set_state({static_cast<std::int64_t>(seed), 0});
}

SINTER_INLINE State state() {
  const std::lock_guard lock(sinter::detail::generator().mutex);
  return sinter::detail::generator().state;
}

SINTER_INLINE State next_state() {
  const std::lock_guard lock(sinter::detail::generator().mutex);
  const State result = sinter::detail::generator().state;
  ++sinter::detail::generator().state.offset;
  return result;
}

SINTER_INLINE void return_state(State state) {
  const std::lock_guard lock(sinter::detail::generator().mutex);
  State& next = sinter::detail::generator().state;
  if (next.seed == state.seed && next.offset == state.offset + 1) next.offset = state.offset;
}

SINTER_INLINE void set_state(State state) {
  const std::lock_guard lock(sinter::detail::generator().mutex);
  sinter::detail::generator().state = state;
}

}  // namespace random

SINTER_INLINE Tensor rand(Shape shape, DType dtype, Where where) {
  detail::require_floating(dtype, "rand", where);
  require_sizes(shape, "rand", where);
  return cast({detail::uniform(shape, computed_in(dtype), where), where}, dtype);
}

SINTER_INLINE Tensor randn(Shape shape, DType dtype, Where where) {
  detail::require_floating(dtype, "randn", where);
  require_sizes(shape, "randn", where);
  // Box and Muller: the radius from one uniform in (0, 1], the angle from another. In f64, so that
  // every backend rounds to the same f32, or to one beside it.
  const auto wide_uniform = [&] {
    return cast({detail::uniform(shape, computed_in(dtype), where), where}, f64);
  };
  const Tensor first = wide_uniform(), second = wide_uniform();
  const Tensor log_of_first = log({sub({1, where}, {first, where}), where});
  const Tensor radius = sqrt({mul({log_of_first, where}, {-2, where}), where});
  const Tensor angle = mul({second, where}, {2 * std::numbers::pi, where});
  return cast({mul({radius, where}, {cos({angle, where}), where}), where}, dtype);
}

SINTER_INLINE Tensor randint(std::int64_t low, std::int64_t high, Shape shape, Where where) {
  if (low >= high) {
    throw ValueError(
        {.op = "randint",
         .what = "there is no integer to choose",
         .facts = {{"low", text(low)}, {"high", text(high)}},
         .rule = "low < high",
         .fix = "high is one more than the largest integer: randint(0, 2, {n}) is 0 or 1",
         .where = where});
  }
  require_sizes(shape, "randint", where);
  // 53 bits scaled down: the bias is below 2^-53 times the number of choices.
  const double choices = static_cast<double>(high) - static_cast<double>(low);
  const Tensor uniform = detail::uniform(shape, f64, where);
  const Tensor scaled = floor({mul({uniform, where}, {choices, where}), where});
  return add({cast({scaled, where}, i64), where}, {low, where});
}

SINTER_INLINE Tensor bernoulli(Operand p) {
  const Where at = p.where;
  const DType dtype = p.is_number() ? f32 : p.type().dtype;
  const Tensor uniform = rand(p.shape(), computed_in(dtype), at);
  return cast({lt({uniform, at}, p), at}, dtype);
}

SINTER_INLINE Tensor dropout(Operand x, double p) {
  const Where at = x.where;
  if (!(p >= 0 && p <= 1)) {
    throw ValueError({.op = "dropout",
                      .what = "p is no probability",
                      .facts = {{"p", text(p)}},
                      .rule = "0 <= p <= 1",
                      .fix = "p is the part that is dropped: 0.1 keeps nine of ten",
                      .where = at});
  }
  if (p == 0) return x.tensor();
  if (p == 1) return mul(x, {0, at});
  const Tensor keep = ge({rand(x.shape(), f32, at), at}, {p, at});
  const Tensor scaled = mul(x, {1 / (1 - p), at});
  return sinter::where({keep, at}, {scaled, at}, {0, at});
}

}  // namespace sinter::inline SINTER_ABI
