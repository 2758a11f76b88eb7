#pragma once
// The number that an extent is, once its symbols and ranges are known.

#include <cstdint>  // std::int64_t
#include <utility>  // std::pair

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// `extent` where each variable is value(variable). Throws ValueError where a divisor is below 1 or
/// the result overflows.
std::int64_t evaluate(Extent extent, FunctionRef<std::int64_t(Extent variable)> value);

/// `extent` where the symbol of id i is symbols[i]. Throws InternalError for other variables.
std::int64_t evaluate(Extent extent, Span<const std::int64_t> symbols);

/// `extent` where the first of each pair is the second. Throws InternalError for other variables.
std::int64_t evaluate(Extent extent, Span<const std::pair<Extent, std::int64_t>> values);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/solve/evaluate.ipp>
#endif
