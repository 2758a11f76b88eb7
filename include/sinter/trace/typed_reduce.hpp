#pragma once
// Reductions of typed tensors: sum(x) over all axes, sum<0, -1>(x) over those that are named.

#include <algorithm>  // std::find
#include <array>      // std::array
#include <cstddef>    // std::size_t
#include <utility>    // std::index_sequence
#include <vector>     // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/typed.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// The dimensions without those that are named; all are dropped if none is.
template <int... axes, std::size_t rank>
constexpr auto reduced(const Dims<rank>& dims) {
  if constexpr (sizeof...(axes) == 0) {
    return Dims<0>{};
  } else {
    constexpr std::array dropped{(axes < 0 ? axes + static_cast<int>(rank) : axes)...};
    Dims<rank - sizeof...(axes)> result;
    for (std::size_t axis = 0, kept = 0; axis < rank && kept < result.size(); ++axis) {
      const bool is_dropped =
          std::find(dropped.begin(), dropped.end(), static_cast<int>(axis)) != dropped.end();
      if (!is_dropped) result[kept++] = dims[axis];
    }
    return result;
  }
}

template <int... axes>
Axes axes_from() {
  if constexpr (sizeof...(axes) == 0) return all_axes;
  if constexpr (sizeof...(axes) != 0) return {axes...};
}

// What `function` gives over the axes, in `dtype`.
template <Tensor (*function)(Operand, Axes, bool), DType dtype, int... axes, Expression E>
auto reduce_typed(const E& x, Where at) {
  constexpr int rank = static_cast<int>(E::dims.size());
  constexpr bool exist = ((axes >= -rank && axes < rank) && ...);
  static_assert(exist, "sinter::sum<axes...>(x) requires -x.ndim() <= axis < x.ndim()");
  if constexpr (exist) {  // so that the sentence above is the only error
    const Tensor result = function({x, at}, axes_from<axes...>(), false);
    return typename TypeOf<dtype, reduced<axes...>(E::dims)>::type(result, at);
  }
}

// Integers and booleans add up in i64.
template <Expression E>
inline constexpr DType sum_dtype = is_floating(E::type.dtype) ? E::type.dtype : i64;

}  // namespace detail

template <int... axes, Expression E>
auto sum(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<sum, detail::sum_dtype<E>, axes...>(x, at);
}
template <int... axes, Expression E>
auto prod(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<prod, detail::sum_dtype<E>, axes...>(x, at);
}
template <int... axes, Expression E>
auto mean(const E& x, Where at = Where::current()) {
  constexpr DType dtype = is_floating(E::type.dtype) ? E::type.dtype : f32;
  return detail::reduce_typed<mean, dtype, axes...>(x, at);
}
template <int... axes, Expression E>
auto max(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<max, E::type.dtype, axes...>(x, at);
}
template <int... axes, Expression E>
auto min(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<min, E::type.dtype, axes...>(x, at);
}

}  // namespace sinter::inline SINTER_ABI
