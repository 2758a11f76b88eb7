#pragma once
// What the rules found, remembered for the life of the process.

#include <cstdint>  // std::uint8_t

#include <sinter/base/container/optional.hpp>
#include <sinter/symbol/extent/expression.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A question about two extents whose answer is an extent.
enum class ExtentQuestion : std::uint8_t { floor_div, mod, min, max, proven_ge0 };

/// The answer that was remembered, from any thread.
Optional<Extent> recall(ExtentQuestion question, Extent a, Extent b);
void remember(ExtentQuestion question, Extent a, Extent b, Extent answer);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/memo.ipp>
#endif
