#pragma once
// Finds the iterations of a loop that need no guards, such as windows that lie inside the input.

#include <utility>  // std::pair

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/names.hpp>
#include <sinter/config.hpp>

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

/// The interior of the loop at `position` in `stage`, inside the open loops of `names`. For a loop
/// of the grid it is the interior for all stages.
Interior interior_of(const Names& names, int stage, int position);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/interior.ipp>
#endif
