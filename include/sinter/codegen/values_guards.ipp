#pragma once

// Guards of vectors: few lie across an edge, so most are decided for all lanes at once.

#include <sinter/codegen/values.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE bool Values::grows_evenly(Extent extent, int stage) const {
  const Extent variable = layout_.vector_variable(stage);
  const auto step = coefficient_of(extent, variable);
  return step && !varying(*step, stage) && !varying(without(extent, variable), stage);
}

SINTER_INLINE bool Values::grows_by(std::int64_t step, Extent extent, int stage) const {
  const Extent variable = layout_.vector_variable(stage);
  const auto found = coefficient_of(extent, variable);
  return found && same(*found, step) && !varying(without(extent, variable), stage);
}

SINTER_INLINE bool Values::affine_guards(ValueId id) const {
  const int stage = dependence(id).stage;
  for (const Guard& guard : at(id).guards) {
    if (!grows_evenly(guard.value, stage)) return false;
    if (varying(guard.low, stage) || varying(guard.high, stage)) return false;
  }
  return true;
}

SINTER_INLINE std::string Values::outside(ValueId id, const Instance& instance) const {
  const int stage = dependence(id).stage;
  const std::string last = text(live_lanes(), " - 1");
  std::string result;
  const auto add = [&](Extent value, std::string_view relation, Extent bound) {
    const std::string end = c_index(bound, stage, instance);
    result += text(result.empty() ? "(" : " || (", c_index(value, stage, instance), relation, end,
                   " && ", c_index(value, stage, instance, last), relation, end, ")");
  };
  for (const Guard& guard : at(id).guards) {
    if (!proven_less_equal(guard.low, guard.value)) add(guard.value, " < ", guard.low);
    if (!proven_less(guard.value, guard.high)) add(guard.value, " >= ", guard.high);
  }
  return result.empty() ? "false" : result;
}

SINTER_INLINE void Values::write_inside(ValueId id, const Instance& instance) {
  const std::string value = condition(id, instance, varying(id) ? "lane" : "");
  if (!varying(id)) return declare(id, instance, value.empty() ? "true" : value);
  if (value.empty() || !affine_guards(id)) {
    return write_lanes(id, instance, value.empty() ? "true" : value);
  }
  const std::string result = name(id, instance), first = condition(id, instance);
  const std::string last = condition(id, instance, text(live_lanes(), " - 1"));
  out_.line(text(type_name(type_of(id)), " ", result, " = {};"), at(id).remark);
  out_.line(text("if (", first, " && ", last, ") ", result, " = ~", result, ";"));
  out_.line(text("else if (!(", outside(id, instance), ")) for (long lane = 0; lane < ",
                 live_lanes(), "; ++lane) ", result, "[lane] = -(long)(", value, ");"));
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
