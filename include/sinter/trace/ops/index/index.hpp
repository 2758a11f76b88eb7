#pragma once
// Indexing with brackets: reads of the selected elements, and functional updates.

#include <concepts>          // std::convertible_to, std::integral
#include <cstdint>           // std::int64_t
#include <initializer_list>  // std::initializer_list
#include <optional>          // std::optional
#include <type_traits>       // std::is_class_v

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/variant.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/index/mask.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// A start or stop; numbers beyond the range of sizes saturate.
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
/// All remaining axes.
inline constexpr Ellipsis ellipsis{};

namespace detail {

/// One of the indices in x[{...}]:
///
/// a position    drops its axis: a number, a size, or a Scalar or integer tensor of rank 0,
/// whose value is known at run time
/// Slice, all    keeps its axis
/// newaxis       adds one
/// ellipsis      stands for all remaining axes; at most one
/// integers      a tensor of positions, whose axes replace the axis. Several are broadcast and
///               taken element by element; their axes are in the place of the first of them if they
///               stand side by side, else in front
/// a mask        a boolean tensor of the shape of the axes it stands for: the positions where it is
///               true, along one axis. How many there are depends on the elements, so the mask is
///               read on the host: a graph break inside of compile. masked_select(x, mask,
///               capacity) and where(mask, x, y) read nothing
///
/// As in torch, positions are applied first: a position between two tensors does not separate them.
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
  requires(std::is_class_v<T> && !std::same_as<T, Tensor> && !std::same_as<T, Scalar> &&
           std::convertible_to<const T&, Tensor>) Index(const T& typed, Where at = Where::current())
      : Index(Tensor(typed), at) {}

  Variant<Extent, Slice, All, NewAxis, Ellipsis, Tensor> value;
  Where where;
};

/// x[{indices...}] for a list that is built at run time.
Tensor index(Operand x, detail::Span<const Index> indices);

}  // namespace detail

/// `x` with x[{indices...}] replaced by `value`. If index tensors select an element several times,
/// the last one wins.
///
/// Shapes   the value broadcasts to x[{indices...}]; with a mask, the value may be a vector whose
///          first elements are used, one for each selected element, and nothing is read
/// DTypes   the value is cast to that of `x`
/// Throws   what x[{indices...}] throws; ShapeError if the value does not fit
/// Gradient x: g, 0 where it was replaced; value: g where it was kept
Tensor set(Operand x, detail::Index index, Operand value);
Tensor set(Operand x, std::initializer_list<detail::Index> indices, Operand value);
Tensor set(Operand x, detail::Span<const detail::Index> indices, Operand value);

/// set; or with `accumulate`, `x` with the value added to x[{indices...}], where an element that is
/// selected several times is added to several times.
Tensor index_put(Operand x, std::initializer_list<detail::Index> indices, Operand value,
                 bool accumulate = false);
Tensor index_put(Operand x, detail::Span<const detail::Index> indices, Operand value,
                 bool accumulate = false);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/index/index.ipp>
#endif
