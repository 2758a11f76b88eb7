#pragma once
// Helpers of generated C++ that add the lanes of many vectors at once.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of "fold_8_f32x16", where `name` is "fold_8": in each group of eight lanes the first
/// four plus the other four, those of one vector followed by those of another. Empty for other
/// names.
std::string fold_lanes(std::string_view name, const VectorType& type);

/// `vectors` have the sums of the lanes of each given vector, in order; `lines`, indented by
/// `indent`, compute them. They add in the order of sum_lanes; new names begin with `prefix`.
struct FoldedLanes {
  std::string lines{};
  std::vector<std::string> vectors{};
};
FoldedLanes fold_all_lanes(std::vector<std::string> vectors, int lanes, std::string_view prefix,
                           std::string_view indent);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/prelude/fold.ipp>
#endif
