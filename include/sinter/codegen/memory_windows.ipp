#pragma once

// Loads of which some lanes have nothing to read, as where a window hangs over
// an edge: guards hold from one lane to another, so a mask does, without a look
// at each lane.

#include <sinter/codegen/memory.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

// How far apart neighbouring lanes read: 1 or 2, else 0.
SINTER_INLINE int Memory::lane_step(ValueId id) const {
  if (contiguous(id)) return 1;
  const bool two = grows_by(2, at(id).index, dependence(id).stage);
  return two && argument(at(id)).access != Access::local ? 2 : 0;
}

// True if the guards of `id` hold for lanes that follow each other, counted
// from a first element on.
SINTER_INLINE bool Memory::counts_guards(ValueId id) const {
  if (!affine_guards(id)) return false;
  const int stage = dependence(id).stage;
  const Extent variable = layout_.vector_variable(stage);
  for (const Guard& guard : at(id).guards) {
    const Extent step = *coefficient_of(guard.value, variable);
    if (!step.is_number() || step.number() < 0) return false;
  }
  for (const Extent one : variables(at(id).index)) {
    if (layout_.bind_of(one) >= 0) return false;
  }
  const DType stored = argument(at(id)).dtype, dtype = at(id).dtype;
  const bool converts = stored == boolean || stored == f16 || stored == bf16;
  return !converts || cast(at(id).constant, dtype) == constant(0, dtype);
}

// "1 - i0, n0 - i0": the first lane for which the guards of `id` hold, and the one behind the last.
SINTER_INLINE std::string Memory::live_range(ValueId id, const Instance& instance) const {
  const int stage = dependence(id).stage;
  const Extent variable = layout_.vector_variable(stage);
  std::string from, to = masked_ ? "lanes" : "", holds;
  const auto c = [&](Extent extent) { return c_index(extent, stage, instance); };
  const auto lanes = [&](Extent elements, Extent step) {
    return same(step, 1) ? c(elements) : text("lanes_before(", c(elements), ", ", step, ")");
  };
  const auto keep = [](std::string& bound, std::string_view which, const std::string& other) {
    bound = bound.empty() ? other : text(which, "(", bound, ", ", other, ")");
  };
  const auto require = [&](Extent low, std::string_view relation, Extent high) {
    holds += text(holds.empty() ? "" : " && ", c(low), relation, c(high));
  };
  for (const Guard& guard : at(id).guards) {
    const Extent step = *coefficient_of(guard.value, variable);
    const bool counts = !same(step, 0);
    if (!proven_less_equal(guard.low, guard.value)) {
      counts ? keep(from, "later", lanes(guard.low - guard.value, step))
             : require(guard.low, " <= ", guard.value);
    }
    if (!proven_less(guard.value, guard.high)) {
      counts ? keep(to, "least", lanes(guard.high - guard.value, step))
             : require(guard.value, " < ", guard.high);
    }
  }
  if (to.empty()) to = live_lanes();
  if (!holds.empty()) to = text(holds, " ? ", to, " : 0");
  return text(from.empty() ? "0" : from, ", ", to);
}

// A vector of which the lanes that its guards leave out are the fallback.
SINTER_INLINE void Memory::write_window(ValueId id, const Instance& instance) {
  const DType stored = argument(at(id)).dtype;
  const std::string type = text(stored_name(stored), "x", lanes_);
  const bool converts = stored == boolean || stored == f16 || stored == bf16;
  const std::string none = converts ? text("(", type, "){}") : splat(fallback(id), at(id).dtype);
  const std::string load =
      text(lane_step(id) == 2 ? "load_evens_" : "load_within_", type, "(", live_range(id, instance),
           ", ", address(id, instance), ", ", none, ")");
  declare(id, instance, converted(id, load));
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
