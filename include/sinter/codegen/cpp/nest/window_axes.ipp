#pragma once

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint32_t
#include <utility>  // std::pair

#include <sinter/base/container/algorithm.hpp>
#include <sinter/codegen/cpp/nest/window_axes.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

SINTER_INLINE Optional<WindowAxis> window_axis(Extent value) {
  const auto [least, most] = bounds(value);
  if (least == -unbounded || most == unbounded) return {};
  WindowAxis axis{value, 0, least, most - least + 1};
  for (const Extent variable : variables(value)) {
    const auto step = coefficient_of(value, variable);
    if (!step || !step->is_number() || !variable.is_range()) return {};
    if (same(*step, 1)) axis.carrier = variable;
  }
  if (axis.carrier.is_number()) return {};
  return axis;
}

SINTER_INLINE Vector<Extent> places_of(const Kernel& kernel, const Vector<WindowAxis>& axes) {
  Vector<Extent> result;
  const std::uint32_t next = schedule::next_range(kernel);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool is_one = axes[i].count == 1;
    result.push_back(is_one ? Extent(0)
                            : Extent::range(next + static_cast<std::uint32_t>(i), axes[i].count));
  }
  return result;
}

SINTER_INLINE Extent placed(Extent extent, const Vector<WindowAxis>& axes,
                            const Vector<Extent>& places) {
  Vector<std::pair<Extent, Extent>> values;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Extent rest = axes[i].value - axes[i].carrier;
    values.emplace_back(axes[i].carrier, places[i] + axes[i].least - rest);
  }
  return extent.is_number() ? extent : substitute(extent, values);
}

SINTER_INLINE void visit_extents(const Kernel& kernel, ValueId root,
                                 FunctionRef<void(Extent)> visit) {
  Vector<bool> used(kernel.instructions.size(), false);
  mark_used(kernel, root, -1, used);
  for (std::size_t id = 0; id < used.size(); ++id) {
    if (!used[id]) continue;
    const schedule::Instruction& one = kernel.instructions[id];
    visit(one.index);
    for (const schedule::Guard& guard : one.guards) {
      visit(guard.value), visit(guard.low), visit(guard.high);
    }
  }
}

SINTER_INLINE bool is_element(const Kernel& kernel, ValueId root, const Vector<WindowAxis>& axes) {
  const Vector<Extent> places = places_of(kernel, axes);
  bool result = true;
  visit_extents(kernel, root, [&](Extent extent) {
    const Extent moved = placed(extent, axes, places);
    for (const WindowAxis& axis : axes) {
      const auto used = variables(axis.value);
      result = result && none_of(used, [&](Extent one) { return depends_on(moved, one); });
    }
  });
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
