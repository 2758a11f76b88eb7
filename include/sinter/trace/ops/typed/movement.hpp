#pragma once
// Movement of typed tensors. Arguments that determine the result's dimensions are template
// arguments: transpose<0, 1>(x), reshape<"batch", 32>(x).

#include <array>     // std::array
#include <cstddef>   // std::size_t
#include <optional>  // std::optional
#include <utility>   // std::swap

#include <sinter/config.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/typed/dims.hpp>
#include <sinter/trace/ops/typed/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

/// `x` with its axes exchanged.
template <int a, int b, detail::Expression E>
auto transpose(const E& x, Where at = Where::current()) {
  constexpr bool exist = detail::have_axes<a, b>(E::dims);
  static_assert(exist, "sinter::transpose<a, b>(x) requires -x.ndim() <= axis < x.ndim()");
  if constexpr (exist) {
    constexpr auto dims = [] {
      auto result = E::dims;
      std::swap(result[detail::place(a, result)], result[detail::place(b, result)]);
      return result;
    }();
    return detail::recorded_at_once<E::type.dtype, dims>(transpose({x, at}, a, b), at);
  }
}

/// Result axis i is the i-th of `axes`.
template <int... axes, detail::Expression E>
requires(sizeof...(axes) != 0) auto permute(const E& x, Where at = Where::current()) {
  constexpr bool once = detail::have_axes<axes...>(E::dims) && sizeof...(axes) == E::dims.size() &&
                        detail::differ<axes...>(E::dims);
  static_assert(once, "sinter::permute<axes...>(x) requires each axis of x once");
  if constexpr (once) {
    constexpr detail::Dims<sizeof...(axes)> dims{E::dims[detail::place(axes, E::dims)]...};
    return detail::recorded_at_once<E::type.dtype, dims>(permute({x, at}, {axes...}), at);
  }
}

/// With a new axis of extent 1 at `axis`.
template <int axis, detail::Expression E>
auto unsqueeze(const E& x, Where at = Where::current()) {
  constexpr int rank = static_cast<int>(E::dims.size());
  constexpr bool exists = axis >= -rank - 1 && axis <= rank;
  static_assert(exists, "sinter::unsqueeze<axis>(x) requires -x.ndim() - 1 <= axis <= x.ndim()");
  if constexpr (exists) {
    constexpr auto dims = detail::inserted(E::dims, axis < 0 ? axis + rank + 1 : axis, 1);
    return detail::recorded_at_once<E::type.dtype, dims>(unsqueeze({x, at}, axis), at);
  }
}

/// Without the axes, whose extents are 1; without all that the type says are 1 if none is named.
template <int... axes, detail::Expression E>
auto squeeze(const E& x, Where at = Where::current()) {
  constexpr bool exist = detail::have_axes<axes...>(E::dims);
  static_assert(exist, "sinter::squeeze<axes...>(x) requires -x.ndim() <= axis < x.ndim()");
  if constexpr (exist) {
    constexpr bool ones = (detail::agree(E::dims[detail::place(axes, E::dims)], Dim(1)) && ...);
    static_assert(ones, "sinter::squeeze<axes...>(x) requires extents of 1");
    constexpr auto gone = detail::squeezed<axes...>(E::dims);
    constexpr auto dims = detail::without<detail::count(gone, true)>(E::dims, gone);
    std::vector<int> list;
    for (std::size_t axis = 0; axis < gone.size(); ++axis) {
      if (gone[axis]) list.push_back(static_cast<int>(axis));
    }
    const Tensor result = list.empty() ? Tensor(x) : squeeze({x, at}, Axes(std::move(list)));
    return detail::recorded_at_once<E::type.dtype, dims>(result, at);
  }
}

/// Merges axes `first` to `last`.
template <int first = 0, int last = -1, detail::Expression E>
auto flatten(const E& x, Where at = Where::current()) {
  constexpr bool exist = detail::have_axes<first, last>(E::dims) &&
                         detail::place(first, E::dims) <= detail::place(last, E::dims);
  static_assert(exist, "sinter::flatten<first, last>(x) requires axes of x, in their order");
  if constexpr (exist) {
    constexpr std::size_t from = detail::place(first, E::dims), to = detail::place(last, E::dims);
    constexpr auto dims = detail::flattened<from, to>(E::dims);
    return detail::recorded_at_once<E::type.dtype, dims>(flatten({x, at}, first, last), at);
  }
}

/// The same elements in other dimensions. One of them may be dyn, or a name that `x` does not have.
template <Dim... to, detail::Expression E>
requires(sizeof...(to) != 0) auto reshape(const E& x, Where at = Where::current()) {
  constexpr detail::Dims<sizeof...(to)> dims{to...};
  constexpr bool known = detail::unknown_dims(dims, E::dims) <= 1;
  static_assert(known,
                "sinter::reshape<Dim...>(x) requires at most one extent that x does not have");
  constexpr bool same_size = !known || detail::same_size(E::dims, dims);
  static_assert(same_size, "sinter::reshape<Dim...>(x) requires as many elements as x has");
  if constexpr (known && same_size) {
    const Tensor tensor = x;
    const Shape shape = detail::shape_of<dims>(E::dims, tensor.shape(at));
    return detail::recorded_at_once<E::type.dtype, dims>(reshape({tensor, at}, shape), at);
  }
}

/// Repeated along axes of extent 1 and along new axes in front, which are numbers, or named in `x`.
template <Dim... to, detail::Expression E>
requires(sizeof...(to) != 0) auto expand(const E& x, Where at = Where::current()) {
  constexpr detail::Dims<sizeof...(to)> dims{to...};
  constexpr auto met = detail::broadcast(E::dims, dims);
  constexpr bool fits = met.has_value() && detail::agree(*met, dims);
  static_assert(fits, "sinter::expand<Dim...>(x) requires extents of x that are 1 or stay");
  if constexpr (fits) {
    const Tensor tensor = x;
    const Shape shape = detail::shape_of<dims>(E::dims, tensor.shape(at));
    return detail::recorded_at_once<E::type.dtype, dims>(expand({tensor, at}, shape), at);
  }
}

/// Reversed along the axes.
template <detail::Expression E>
auto flip(const E& x, Axes axes, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(flip({x, at}, std::move(axes)), at);
}
template <int... axes, detail::Expression E>
requires(sizeof...(axes) != 0) auto flip(const E& x, Where at = Where::current()) {
  constexpr bool exist = detail::have_axes<axes...>(E::dims);
  static_assert(exist, "sinter::flip<axes...>(x) requires -x.ndim() <= axis < x.ndim()");
  if constexpr (exist) return flip(x, Axes{axes...}, at);
}

namespace detail {

template <Expression First, Expression... Rest>
inline constexpr DType common_type = computed_by(Takes::any, First::type, Rest::type...);

}  // namespace detail

/// Concatenates along `axis`.
template <int axis = 0, detail::Expression First, detail::Expression... Rest>
auto concatenate(const First& first, const Rest&... rest) {
  constexpr bool exists = detail::have_axes<axis>(First::dims);
  static_assert(exists, "sinter::concatenate<axis>(x, ...) requires -x.ndim() <= axis < x.ndim()");
  if constexpr (exists) {
    constexpr std::size_t at = detail::place(axis, First::dims);
    constexpr bool fit = (detail::can_concatenate<at>(First::dims, Rest::dims) && ...);
    static_assert(fit, "sinter::concatenate<axis>(x, ...) requires equal dimensions but for axis");
    if constexpr (fit) {
      constexpr auto dims = detail::concatenated_dims<at>(First::dims, Rest::dims...);
      return detail::recorded_at_once<detail::common_type<First, Rest...>, dims>(
          concatenate({Tensor(first), Tensor(rest)...}, axis), first.where());
    }
  }
}

/// Stacks along a new axis.
template <int axis = 0, detail::Expression First, detail::Expression... Rest>
auto stack(const First& first, const Rest&... rest) {
  constexpr int rank = static_cast<int>(First::dims.size());
  constexpr bool exists = axis >= -rank - 1 && axis <= rank;
  static_assert(exists, "sinter::stack<axis>(x, ...) requires -x.ndim() - 1 <= axis <= x.ndim()");
  constexpr bool fit = (detail::agree(First::dims, Rest::dims) && ...);
  static_assert(fit, "sinter::stack<axis>(x, ...) requires equal dimensions");
  if constexpr (exists && fit) {
    constexpr auto dims = detail::inserted(First::dims, axis < 0 ? axis + rank + 1 : axis,
                                           static_cast<std::int64_t>(1 + sizeof...(Rest)));
    return detail::recorded_at_once<detail::common_type<First, Rest...>, dims>(
        stack({Tensor(first), Tensor(rest)...}, axis), first.where());
  }
}

}  // namespace sinter::inline SINTER_ABI
