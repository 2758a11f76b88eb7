#pragma once
// Finds the iterations of a loop that need no guards, such as windows that lie inside the input.

#include <utility>  // std::pair

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/names.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The iterations of a loop in which the guards `held` are true for every iteration of its inner
/// loops: from the largest of `begins` up to, but not including, the least of `ends`. The interior
/// is empty unless first <= second for each pair of `conditions`.
struct Interior {
  HeldGuards held{};
  Vector<Extent> begins{}, ends{};
  Vector<std::pair<Extent, Extent>> conditions{};

  /// Whether the interior needs fewer guards than the whole loop.
  bool found() const { return !begins.empty() || !ends.empty() || !conditions.empty(); }
};

namespace detail {

class InteriorFinder {
 public:
  InteriorFinder(const Names& names, int stage, int position)
      : names_(names), layout_(names.layout), stage_(stage), position_(position) {}

  Interior find() {
    result_.held.resize(layout_.kernel.instructions.size());
    const bool of_grid = position_ < layout_.grid_depth();
    for (std::size_t s = 0; s < layout_.stages.size(); ++s) {
      if (of_grid || static_cast<int>(s) == stage_) visit_stage(static_cast<int>(s));
    }
    return std::move(result_);
  }

 private:
  using Limits = std::pair<Extent, Extent>;

  void visit_stage(int stage) {
    for (const ValueId id : layout_.kernel.stages[stage].body) {
      const Instruction& one = layout_.at(id);
      Vector<bool>& held = result_.held[id];
      held.resize(one.guards.size());
      const bool tests =
          one.code == Code::load || one.code == Code::store || one.code == Code::inside;
      if (!tests || layout_.dependence(id).depth <= position_) continue;
      for (std::size_t i = 0; i < held.size(); ++i) held[i] = visit_guard(one.guards[i], stage);
    }
  }

  // Restricts the interior to iterations where `guard` holds. False if that is not possible.
  bool visit_guard(const Guard& guard, int stage) {
    const Extent variable = layout_.loop(stage, position_).variable;
    const auto step = coefficient_of(guard.value, variable);
    if (!step || !step->is_number() || step->number() < 0) return false;
    const auto limits = limits_of(without(guard.value, variable), stage);
    const auto low = limits_of(guard.low, stage), high = limits_of(guard.high, stage);
    if (!limits || !low || !high) return false;
    if (depends_on(guard.low, variable) || depends_on(guard.high, variable)) return false;
    const bool above = proven_less_equal(guard.low, guard.value);
    const bool below = proven_less(guard.value, guard.high);
    if (same(*step, 0)) {
      if (!above) require(low->second, limits->first);
      if (!below) require(limits->second, high->first - 1);
      return true;
    }
    if (!above) add(result_.begins, ceil_div(low->second - limits->first, *step));
    if (!below) add(result_.ends, floor_div(high->first - 1 - limits->second, *step) + 1);
    return true;
  }

  static void add(Vector<Extent>& list, Extent bound) {
    if (none_of(list, [&](Extent known) { return same(known, bound); })) list.push_back(bound);
  }

  void require(Extent least, Extent most) {
    if (proven_less_equal(least, most)) return;
    const bool known = any_of(result_.conditions, [&](const auto& one) {
      return same(one.first, least) && same(one.second, most);
    });
    if (!known) result_.conditions.emplace_back(least, most);
  }

  // The least and the largest value of `extent` over all inner loops and all unrolled copies of the
  // open loops; nothing if it is not affine in them.
  Optional<Limits> limits_of(Extent extent, int stage) const {
    Limits result{extent, extent};
    for (const Extent variable : variables(extent)) {
      if (layout_.bind_of(variable) >= 0) return {};
      const Extent reach = reach_of(variable, stage);
      if (same(reach, 0)) continue;
      const auto step = coefficient_of(extent, variable);
      if (!step || !step->is_number()) return {};
      const Extent beyond = *step * reach;
      const Extent first = starts_at_zero(variable, stage) ? Extent(0) : variable;
      for (Extent* const one : {&result.first, &result.second}) {
        *one = substitute(*one, variable, first);
      }
      (step->number() < 0 ? result.first : result.second) += beyond;
    }
    return result;
  }

  int position_of(Extent variable, int stage) const {
    for (int at = 0; at < layout_.depth(stage); ++at) {
      if (same(layout_.loop(stage, at).variable, variable)) return at;
    }
    return -1;
  }

  bool starts_at_zero(Extent variable, int stage) const {
    return position_of(variable, stage) > position_;
  }

  // The largest value of an inner loop; for an open loop, the offset of its last unrolled copy.
  Extent reach_of(Extent variable, int stage) const {
    const int at = position_of(variable, stage);
    if (at < 0 || at == position_) return 0;
    if (at > position_) return layout_.loop(stage, at).extent - 1;
    const Frame& frame = names_.frames[at];
    return frame.step * (frame.unroll - 1);
  }

  const Names& names_;
  const Layout& layout_;
  int stage_, position_;
  Interior result_{};
};

}  // namespace detail

/// The interior of the loop at `position` in `stage`, inside the open loops of `names`. For a loop
/// of the grid it is the interior for all stages.
inline Interior interior_of(const Names& names, int stage, int position) {
  return detail::InteriorFinder(names, stage, position).find();
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
