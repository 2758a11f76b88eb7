#pragma once
// Finds the iterations of a loop in which guards hold, as those of windows that lie in the input.

#include <utility>  // std::pair

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/names.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The iterations of a loop, from the largest of `begins` on and before the least of `ends`, in
/// which some guards of the instructions inside it hold, whatever the loops inside it are at. There
/// are none if a condition fails: each is a pair of extents, of which the first must not be larger.
struct Interior {
  HeldGuards held{};
  Vector<Extent> begins{}, ends{};
  Vector<std::pair<Extent, Extent>> conditions{};

  /// Whether there are guards that no test is needed for in the interior.
  bool found() const { return !begins.empty() || !ends.empty() || !conditions.empty(); }
};

/// The interior of the loop at `position` in `stage`, inside the open loops of `names`; of all
/// stages if it is a loop of the grid.
Interior interior_of(const Names& names, int stage, int position);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/interior.ipp>
#endif
