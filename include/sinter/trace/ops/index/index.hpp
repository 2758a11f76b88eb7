#pragma once
// What stands in brackets behind a tensor: reading the elements it names, and replacing them.

#include <concepts>          // std::integral
#include <cstdint>           // std::int64_t
#include <initializer_list>  // std::initializer_list
#include <optional>          // std::optional
#include <span>              // std::span
#include <variant>           // std::variant

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/index/mask.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// A start or stop; of a number that no size can be, the nearest one.
struct SliceEnd {
  SliceEnd(Extent at) : value(at) {}
  SliceEnd(std::integral auto at) : value(nearest(at < 0, static_cast<std::uint64_t>(at))) {}

  static Extent nearest(bool is_negative, std::uint64_t bits);
  Extent value;
};

}  // namespace detail

/// start, start + step, ... before stop; both count from the end if negative. A negative step goes
/// backwards, from the end unless start says otherwise, as in NumPy.
struct Slice {
  std::optional<detail::SliceEnd> start{}, stop{};
  std::int64_t step = 1;
};

struct NewAxis {};
struct Ellipsis {};
/// A new axis of extent 1.
inline constexpr NewAxis newaxis{};
/// As many whole axes as are left.
inline constexpr Ellipsis ellipsis{};

namespace detail {

/// One of the indices in x[{...}]:
///
/// a position    drops its axis: a number of the program, a size, or a Scalar or integer tensor of
///               rank 0, which is known when the program runs
/// Slice, all    keeps its axis
/// newaxis       adds one
/// ellipsis      as many `all` as are left; at most one
/// integers      a tensor of positions, whose axes replace the axis. Several are broadcast and
///               taken element by element; their axes are in the place of the first of them if they
///               stand side by side, else in front
/// a mask        a boolean tensor of the shape of the axes it stands for: the positions where it is
///               true, along one axis. How many there are depends on the elements, so the mask is
///               read on the host: a graph break inside of compile. masked_select(x, mask,
///               capacity) and where(mask, x, y) read nothing
///
/// As in torch, a position is taken first: between two tensors it separates nothing.
class Index {
 public:
  template <std::integral T>
  requires(!std::same_as<T, bool>) Index(T position, Where at = Where::current())
      : Index(Extent(position), at) {}
  Index(Extent position, Where at = Where::current());
  Index(Slice slice, Where at = Where::current());
  Index(All whole, Where at = Where::current());
  Index(NewAxis axis, Where at = Where::current());
  Index(Ellipsis rest, Where at = Where::current());
  Index(Tensor indices, Where at = Where::current());
  Index(const Scalar& position, Where at = Where::current());
  template <class T>
  requires(std::convertible_to<const T&, Tensor> && !std::same_as<T, Tensor> &&
           !std::same_as<T, Scalar>) Index(const T& typed, Where at = Where::current())
      : Index(Tensor(typed), at) {}

  std::variant<Extent, Slice, All, NewAxis, Ellipsis, Tensor> value;
  Where where;
};

/// x[{indices...}], for a list that is made at run time.
Tensor index(Operand x, std::span<const Index> indices);

}  // namespace detail

/// `x` with `value` in place of x[{indices...}]. If tensors among the indices name an element
/// several times, the last one counts.
///
/// Shapes   the value broadcasts to x[{indices...}]; with a mask and a value of an element for each
///          one selected, the first of them are used and nothing is read
/// DTypes   the value is cast to that of `x`
/// Throws   what x[{indices...}] throws; ShapeError if the value does not fit
/// Gradient x: g, 0 where it was replaced; value: g where it was written and counted
Tensor set(Operand x, detail::Index index, Operand value);
Tensor set(Operand x, std::initializer_list<detail::Index> indices, Operand value);
Tensor set(Operand x, std::span<const detail::Index> indices, Operand value);

/// set, or with `accumulate`, `x` with the value added to x[{indices...}]: elements that are named
/// several times are added to several times.
Tensor index_put(Operand x, std::initializer_list<detail::Index> indices, Operand value,
                 bool accumulate = false);
Tensor index_put(Operand x, std::span<const detail::Index> indices, Operand value,
                 bool accumulate = false);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/index/index.ipp>
#endif
