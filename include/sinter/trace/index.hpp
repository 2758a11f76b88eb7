#pragma once
// What stands in brackets behind a tensor, and taking elements by index.

#include <concepts>          // std::integral
#include <initializer_list>  // std::initializer_list
#include <optional>          // std::optional
#include <variant>           // std::variant

#include <sinter/config.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// start, start + step, ... before stop; both count from the end if negative.
struct Slice {
  std::optional<Extent> start{}, stop{};
  std::int64_t step = 1;
};

struct NewAxis {};
struct Ellipsis {};
/// A new axis of extent 1.
inline constexpr NewAxis newaxis{};
/// As many whole axes as are left.
inline constexpr Ellipsis ellipsis{};

class Index {
 public:
  Index(std::integral auto position, Where at = Where::current())
      : value(static_cast<std::int64_t>(position)), where(at) {}
  Index(Slice slice, Where at = Where::current()) : value(slice), where(at) {}
  Index(All whole, Where at = Where::current()) : value(whole), where(at) {}
  Index(NewAxis axis, Where at = Where::current()) : value(axis), where(at) {}
  Index(Ellipsis rest, Where at = Where::current()) : value(rest), where(at) {}
  Index(Tensor indices, Where at = Where::current()) : value(std::move(indices)), where(at) {}

  std::variant<std::int64_t, Slice, All, NewAxis, Ellipsis, Tensor> value;
  Where where;
};

/// The slices of `x` at `indices` along `axis`, which count from the end if they are negative.
///
/// Shapes   `axis` is replaced by the axes of the indices
/// Throws   IndexError, when it is evaluated, for an index outside of the axis
/// Gradient g added up at the indices
Tensor index_select(Operand x, int axis, Operand indices);

/// result[...] = x[..., indices[...], ...]: one index along `axis` for each element of the result.
///
/// Shapes   indices have the shape of `x`, but for `axis`
Tensor take_along_axis(Operand x, Operand indices, int axis);

/// `x` with y added at `indices` along `axis`, as index_select would read them.
Tensor index_add(Operand x, int axis, Operand indices, Operand y);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/index.ipp>
#endif
