#pragma once
// The helpers of generated C++ that add the lanes of many vectors at once.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of "fold_8_f32x16", where `name` is "fold_8": the first four of each eight lanes plus
/// the other four, of one vector, and behind them those of another. Empty if `name` is no such
/// name.
std::string fold_lanes(std::string_view name, const Laned& type);

/// Vectors of the sums of lanes of each of `vectors`, in their order, and lines that make them,
/// each behind `indent`. They add in the order of sum_lanes; new names begin with `prefix`.
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
