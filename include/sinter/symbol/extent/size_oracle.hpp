#pragma once
// The interface by which comparisons and reads of symbolic sizes ask the recorder.

#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view

#include <sinter/base/where.hpp>
#include <sinter/symbol/extent/expression.hpp>

namespace sinter::inline SINTER_ABI::detail {

enum class Relation : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

/// "==", "!=", "<", ...
constexpr std::string_view to_string(Relation relation) {
  constexpr std::string_view names[]{"==", "!=", "<", "<=", ">", ">="};
  return names[static_cast<int>(relation)];
}

/// True if `lhs relation rhs`.
constexpr bool holds(std::int64_t lhs, Relation relation, std::int64_t rhs) {
  switch (relation) {
    case Relation::equal:
      return lhs == rhs;
    case Relation::not_equal:
      return lhs != rhs;
    case Relation::less:
      return lhs < rhs;
    case Relation::less_equal:
      return lhs <= rhs;
    case Relation::greater:
      return lhs > rhs;
    case Relation::greater_equal:
      break;
  }
  return lhs >= rhs;
}

/// Knows the sizes of the call being recorded, and notes what the program learned about them.
struct SizeOracle {
  virtual ~SizeOracle() = default;
  /// Whether `lhs relation rhs` in this call; assumed from now on.
  virtual bool decide(Extent lhs, Relation relation, Extent rhs, Where where) = 0;
  /// The value of `extent` in this call; fixed from now on.
  virtual std::int64_t value(Extent extent, Where where) = 0;
  /// The number shown for `extent` as text in this call; assumed from then on, like the answer of a
  /// comparison.
  virtual std::int64_t shown(Extent extent, Where where) = 0;
};

/// The oracle of this thread; null outside of a recording.
inline SizeOracle*& current_size_oracle() {
  static thread_local SizeOracle* oracle = nullptr;
  return oracle;
}

}  // namespace sinter::inline SINTER_ABI::detail
