#pragma once
// Reduce, and the reduction of buffers of elements in a fixed order.

#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view

#include <sinter/base/container/span.hpp>
#include <sinter/base/dtype.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

namespace dist {

/// How a collective combines the elements of all ranks.
enum class Reduce : std::uint8_t { sum, mean, min, max };

/// "sum"
std::string_view to_string(Reduce reduce);

}  // namespace dist

namespace detail::collective {

/// Reduces `parts`, one buffer of `count` elements for each rank, into `result`, which may be one
/// of them. The order of additions is a binary tree over the ranks: (0 + 1) + (2 + 3). 16-bit
/// elements are added in f32 and rounded once. min and max propagate NaN.
void reduce_parts(dist::Reduce reduce, DType dtype, Span<const void* const> parts, void* result,
                  std::int64_t count);

}  // namespace detail::collective

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/collective/reduce.ipp>
#endif
