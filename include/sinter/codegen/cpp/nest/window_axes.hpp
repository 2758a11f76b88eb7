#pragma once
// The axes along which a kernel reads overlapping windows: a position along an axis is a sum of
// loops, such as 2*x + kx - 1, and neighbouring windows read the same positions.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

using schedule::Kernel;
using schedule::ValueId;

struct WindowAxis {
  Extent value = 0;                   ///< The position, in terms of the loops of the kernel.
  Extent carrier = 0;                 ///< A variable of `value` whose coefficient is 1.
  std::int64_t least = 0, count = 0;  ///< The least value, and the number of values.
};

/// The axis of the positions `value`. Nothing unless these are bounded, and affine with a carrier.
Optional<WindowAxis> window_axis(Extent value);

/// The axis of `root` that contains the loop `side`: that of a guard, or else the one with a loop
/// of `partners` that shares the most positions, or else `side` alone. Nothing unless the position
/// increases along `side`.
Optional<WindowAxis> find_axis(const Kernel& kernel, ValueId root, const schedule::Loop& side,
                               const Vector<schedule::Loop>& partners);

/// A variable for the positions along each axis, less the least one; 0 if there is only one.
Vector<Extent> places_of(const Kernel& kernel, const Vector<WindowAxis>& axes);

/// `extent` in terms of positions along the axes: places[i] is the position along axes[i], counted
/// from the least one.
Extent placed(Extent extent, const Vector<WindowAxis>& axes, const Vector<Extent>& places);

/// The index of the first element of the first window, where `axes` are the axes of an image.
Extent first_element(const Vector<WindowAxis>& axes);

/// Visits the indices and the bounds of guards that `root` is computed from.
void visit_extents(const Kernel& kernel, ValueId root, FunctionRef<void(Extent)> visit);

/// Whether an element of `root` may be computed once for all windows that contain it.
bool is_shareable(const Kernel& kernel, ValueId root);

/// Whether `root` depends on the loops of the axes only through its position along the axes.
bool is_element(const Kernel& kernel, ValueId root, const Vector<WindowAxis>& axes);

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/window_axes.ipp>
#endif
