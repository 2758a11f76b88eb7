#pragma once
// The axes along which a kernel reads overlapping windows: a position along an axis is a sum of
// loops, such as 2*x + kx - 1, and neighbouring windows read the same positions.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t, std::uint32_t
#include <numeric>  // std::gcd

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

using schedule::Kernel;
using schedule::ValueId;

struct WindowAxis {
  Extent value = 0;                   ///< The position, in terms of the loops of the kernel.
  Extent carrier = 0;                 ///< A variable of `value` whose coefficient is 1.
  std::int64_t least = 0, count = 0;  ///< The least value, and the number of values.
};

/// The axis of the positions `value`. Nothing unless these are bounded, and affine with a carrier.
inline Optional<WindowAxis> window_axis(Extent value) {
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

inline std::int64_t number_or_zero(const Optional<Extent>& extent) {
  return extent && extent->is_number() ? extent->number() : 0;
}

// The axis of `side` and the loop of `partners` that share the most positions in `index`, if any.
inline Optional<WindowAxis> shared_axis(Extent index, const schedule::Loop& side,
                                        const Vector<schedule::Loop>& partners) {
  Optional<WindowAxis> best;
  std::int64_t most = 0;
  const std::int64_t step = number_or_zero(coefficient_of(index, side.variable));
  for (const schedule::Loop& loop : partners) {
    const std::int64_t other = number_or_zero(coefficient_of(index, loop.variable));
    if (step <= 0 || other == 0 || !side.extent.is_number() || !loop.extent.is_number()) continue;
    const std::int64_t unit = std::gcd(step, other);
    const Extent at = side.variable * (step / unit) + loop.variable * (other / unit);
    const Optional<WindowAxis> axis = window_axis(at);
    if (!axis) continue;
    const std::int64_t shared = side.extent.number() * loop.extent.number() - axis->count;
    if (shared > most) most = shared, best = axis;
  }
  return best;
}

/// The axis of `root` that contains the loop `side`: that of a guard, or else the one with a loop
/// of `partners` that shares the most positions, or else `side` alone. Nothing unless the position
/// increases along `side`.
inline Optional<WindowAxis> find_axis(const Kernel& kernel, ValueId root,
                                      const schedule::Loop& side,
                                      const Vector<schedule::Loop>& partners) {
  Optional<WindowAxis> guarded, shared;
  bool is_guarded = false;
  for (const ValueId id : sources_of(kernel, root)) {
    const schedule::Instruction& one = kernel.instructions[id];
    for (const schedule::Guard& guard : one.guards) {
      if (is_guarded || !depends_on(guard.value, side.variable)) continue;
      is_guarded = true;
      guarded = window_axis(guard.value);
    }
    if (one.code == schedule::Code::load && !shared) {
      shared = shared_axis(one.index, side, partners);
    }
  }
  const Optional<WindowAxis> axis = is_guarded ? guarded
                                    : shared   ? shared
                                               : window_axis(side.variable);
  if (!axis || number_or_zero(coefficient_of(axis->value, side.variable)) <= 0) return {};
  return axis;
}

/// Whether an element of `root` may be computed once for all windows that contain it.
inline bool is_shareable(const Kernel& kernel, ValueId root) {
  return none_of(sources_of(kernel, root), [&](ValueId id) {
    const schedule::Code code = kernel.instructions[id].code;
    return code == schedule::Code::random || code == schedule::Code::bind;
  });
}

/// A variable for the positions along each axis, less the least one; 0 if there is only one.
inline Vector<Extent> places_of(const Kernel& kernel, const Vector<WindowAxis>& axes) {
  Vector<Extent> result;
  const std::uint32_t next = schedule::next_range(kernel);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool is_one = axes[i].count == 1;
    result.push_back(is_one ? Extent(0)
                            : Extent::range(next + static_cast<std::uint32_t>(i), axes[i].count));
  }
  return result;
}

/// `extent` in terms of positions along the axes: places[i] is the position along axes[i], counted
/// from the least one.
inline Extent placed(Extent extent, const Vector<WindowAxis>& axes, const Vector<Extent>& places) {
  Substitutions values;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Extent rest = axes[i].value - axes[i].carrier;
    values.emplace_back(axes[i].carrier, places[i] + axes[i].least - rest);
  }
  return extent.is_number() ? extent : substitute(extent, values);
}

/// The index of the first element of the first window, where `axes` are the axes of an image.
inline Extent first_element(const Vector<WindowAxis>& axes) {
  Extent result = 0;
  for (const WindowAxis& axis : axes) {
    Extent at = axis.value - axis.least;
    for (const Extent variable : variables(axis.value)) at = without(at, variable);
    result = result * axis.count + at;
  }
  return result;
}

/// Visits the indices and the bounds of guards that `root` is computed from.
inline void visit_extents(const Kernel& kernel, ValueId root, FunctionRef<void(Extent)> visit) {
  for (const ValueId id : sources_of(kernel, root)) {
    const schedule::Instruction& one = kernel.instructions[id];
    visit(one.index);
    for (const schedule::Guard& guard : one.guards) {
      visit(guard.value), visit(guard.low), visit(guard.high);
    }
  }
}

/// Whether `root` depends on the loops of the axes only through its position along the axes.
inline bool is_element(const Kernel& kernel, ValueId root, const Vector<WindowAxis>& axes) {
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
