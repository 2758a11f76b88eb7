#pragma once

// In which pass over the steps totals are taken, and what of them can be left for the end of it.

#include <algorithm>  // std::all_of, std::max

#include <sinter/schedule/stream.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// `id` without the numbers of the row by which it is multiplied or divided, as far as these depend
// on the totals `current`, which are not known yet; nothing if it depends on them otherwise.
SINTER_INLINE std::optional<Stripped> Streamer::strip(ValueId id, std::uint32_t current) {
  if ((of(id).totals & current) == 0) return Stripped{.core = id};
  if (!of(id).step || at(id).code != Code::compute) return {};
  return strip_compute(id, current);
}

// Whether `cast` has numbers too large for its type unless they are relative to the largest.
SINTER_INLINE bool Streamer::narrows(const Instruction& cast) const {
  const DType from = at(cast.operands[0]).dtype;
  return cast.op == Op::cast && from != cast.dtype && (cast.dtype == f16 || from == f64);
}

SINTER_INLINE std::optional<Stripped> Streamer::strip_compute(ValueId id, std::uint32_t current) {
  const Instruction one = at(id);
  switch (one.op) {
    case Op::mul:
    case Op::div:
      return strip_product(id, current);
    case Op::exp:
      return strip_exp(id, current);
    case Op::select:
      return strip_select(id, current);
    case Op::cast:
    case Op::neg: {
      if (!is_floating(one.dtype) || !is_floating(at(one.operands[0]).dtype)) return {};
      auto result = strip(one.operands[0], current);
      if (!result || (narrows(one) && result->peak < 0)) return {};
      Instruction core = one;
      core.operands = {result->core};
      result->core = add(std::move(core));
      return result;
    }
    default:
      return {};
  }
}

// exp(x - shift), where the shift alone depends on a total that can only grow.
SINTER_INLINE std::optional<Stripped> Streamer::strip_exp(ValueId id, std::uint32_t current) const {
  const Instruction& difference = at(at(id).operands[0]);
  if (difference.code != Code::compute || difference.op != Op::sub) return {};
  const ValueId shift = difference.operands[1];
  if (of(shift).step || (of(difference.operands[0]).totals & current) != 0) return {};
  const std::uint32_t totals = of(shift).totals & current;
  for (std::size_t i = 0; i < form.totals.size(); ++i) {
    if (totals != std::uint32_t{1} << i || form.totals[i].op != Op::max) continue;
    return Stripped{.core = id, .peak = static_cast<std::int32_t>(i), .shift = shift};
  }
  return {};
}

SINTER_INLINE std::optional<Stripped> Streamer::strip_product(ValueId id, std::uint32_t current) {
  Instruction one = at(id);
  ValueId a = one.operands[0], b = one.operands[1];
  const auto is_factor = [&](ValueId value) {
    return !of(value).step && (of(value).totals & current) != 0;
  };
  if (!is_floating(one.dtype)) return {};
  const bool divides = one.op == Op::div;
  if (!divides && is_factor(a)) std::swap(a, b);
  if (is_factor(b)) {
    auto result = strip(a, current);
    if (!result) return {};
    result->factors.push_back(b);
    result->divisors.push_back(divides);
    return result;
  }
  const auto left = strip(a, current), right = strip(b, current);
  if (!left || !right || (left->peak >= 0 && right->peak >= 0)) return {};
  if (divides && (of(b).totals & current) != 0) return {};
  Stripped result = left->peak >= 0 ? *left : *right;
  const Stripped& other = left->peak >= 0 ? *right : *left;
  result.factors.insert(result.factors.end(), other.factors.begin(), other.factors.end());
  result.divisors.insert(result.divisors.end(), other.divisors.begin(), other.divisors.end());
  one.operands = {left->core, right->core};
  result.core = add(std::move(one));
  return result;
}

// Whether random numbers alone make `id` another one in each step.
SINTER_INLINE bool Streamer::is_random(ValueId id) const {
  const Instruction& one = at(id);
  if (!of(id).step || one.code == Code::random) return true;
  return one.code == Code::compute &&
         std::all_of(one.operands.begin(), one.operands.end(),
                     [&](ValueId operand) { return is_random(operand); });
}

// Of a choice between something and 0. What is chosen at random is chosen in some step; a mask may
// leave out a whole row, in order that it is 0 where what it is divided by is 0 or no number.
SINTER_INLINE std::optional<Stripped> Streamer::strip_select(ValueId id, std::uint32_t current) {
  Instruction one = at(id);
  if ((of(one.operands[0]).totals & current) != 0 || !is_floating(one.dtype)) return {};
  if (!of(one.operands[0]).step || !is_random(one.operands[0])) return {};
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const Instruction& other = at(one.operands[3 - i]);
    if (other.code != Code::constant || other.constant.floating() != 0) continue;
    auto result = strip(one.operands[i], current);
    if (!result) return {};
    one.operands[i] = result->core;
    result->core = add(std::move(one));
    return result;
  }
  return {};
}

// What is added up of `value`, and the first pass in which that can be. Only sums can be scaled.
SINTER_INLINE Stripped Streamer::placed(ValueId value, bool scales, int& pass) {
  const std::uint32_t totals = of(value).totals;
  std::uint32_t current = 0;
  pass = 0;
  for (std::size_t i = 0; i < form.totals.size(); ++i) {
    if ((totals >> i & 1) == 0) continue;
    if (form.totals[i].pass > pass) pass = form.totals[i].pass, current = 0;
    if (form.totals[i].pass == pass) current |= std::uint32_t{1} << i;
  }
  if (current == 0) return {.core = value};
  if (scales) {
    if (auto found = strip(value, current)) return *std::move(found);
  }
  ++pass;
  return {.core = value};
}

SINTER_INLINE ValueId Streamer::with_factors(ValueId result, const Stripped& stripped,
                                             DType dtype) {
  for (std::size_t i = 0; i < stripped.factors.size(); ++i) {
    const Op op = stripped.divisors[i] ? Op::div : Op::mul;
    result = add(op, dtype, {result, stripped.factors[i]});
  }
  return result;
}

SINTER_INLINE bool Streamer::add_total(ValueId id) {
  const Instruction& reduce = whole.instructions[static_cast<std::size_t>(id)];
  const bool known =
      reduce.op == Op::sum || reduce.op == Op::max || reduce.op == Op::min || reduce.op == Op::prod;
  if (!known || form.totals.size() == most_stream_totals) return false;
  StreamTotal total{.op = reduce.op};
  const bool scales = reduce.op == Op::sum && is_floating(reduce.dtype);
  const ValueId value = moved[static_cast<std::size_t>(reduce.operands[0])];
  const Stripped found = placed(value, scales, total.pass);
  total.value = found.core, total.peak = found.peak, total.shift = found.shift;
  const std::uint32_t bit = std::uint32_t{1} << form.totals.size();
  total.result = add_result(reduce, {.row = true, .totals = bit});
  form.passes = std::max(form.passes, total.pass + 1);
  form.totals.push_back(total);
  moved[static_cast<std::size_t>(id)] = with_factors(total.result, found, reduce.dtype);
  return true;
}

SINTER_INLINE bool Streamer::add_sum(ValueId id) {
  const Instruction& reduce = whole.instructions[static_cast<std::size_t>(id)];
  StreamSum sum{.columns = stage->loops};
  if (!factors_of(reduce, sum.value, sum.right) || form.sums.size() == most_stream_totals) {
    return false;
  }
  if (of(sum.value).inner) std::swap(sum.value, sum.right);
  if (of(sum.value).inner || of(sum.right).row || of(sum.right).totals != 0) return false;
  const Stripped found = placed(sum.value, true, sum.pass);
  sum.value = found.core, sum.peak = found.peak, sum.shift = found.shift;
  const std::uint32_t bit = std::uint32_t{1} << form.sums.size();
  sum.result = add_result(reduce, {.row = true, .inner = true, .sums = bit});
  form.passes = std::max(form.passes, sum.pass + 1);
  form.sums.push_back(std::move(sum));
  moved[static_cast<std::size_t>(id)] = with_factors(form.sums.back().result, found, reduce.dtype);
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
