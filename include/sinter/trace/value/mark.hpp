#pragma once
// The marks of a tensor: which dimensions vary, and how it is divided among processes.

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

/// How a parameter and what belongs to it are divided among ranks: each keeps a row of
/// ceil(elements / ranks) elements, with zeros behind the last.
struct Division {
  /// What is divided; each includes those before it.
  enum class Level : std::uint8_t { none, optimizer, gradients, parameters };
  Level level{};
  std::int32_t group = 0, rank = 0, ranks = 1;
  std::string name{};            ///< Of the parameter in its model.
  Vector<std::int64_t> shape{};  ///< Of the whole.
};

/// The mark of one dimension, or of the whole tensor.
struct Mark {
  enum class Kind : std::uint8_t { dynamic, maybe_dynamic, fixed, divided };
  int dim = 0;
  Kind kind{};
  DimRange range{};
  std::string name{};  ///< Of a named dimension: equal names are one size.
  Where where{};
  std::string op{};  ///< The function that made it: "mark_dynamic", "bucket".
  Division division{};  ///< If it is divided; `dim` is -1.
};

using Marks = Vector<Mark>;

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
