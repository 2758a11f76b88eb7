#pragma once
// The marks of a tensor: which dimensions vary between calls.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/arithmetic.hpp>

namespace sinter::inline SINTER_ABI {

/// The sizes that a dynamic dimension takes.
struct DimRange {
  std::int64_t min = 0;
  std::int64_t max = detail::unbounded;
  std::int64_t multiple_of = 1;
};

namespace detail {

/// The mark of one dimension.
struct Mark {
  enum class Kind : std::uint8_t { dynamic, maybe_dynamic, fixed };
  int dim = 0;
  Kind kind{};
  DimRange range{};
  std::string name{};  ///< Of a named dimension: equal names are one size.
  Where where{};
  std::string op{};  ///< The function that made it: "mark_dynamic", "bucket".
};

using Marks = Vector<Mark>;

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
