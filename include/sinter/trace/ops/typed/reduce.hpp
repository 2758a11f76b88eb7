#pragma once
// Reductions of typed tensors: sum(x) over all axes, sum<0, -1>(x) over those that are named.

#include <array>    // std::array
#include <cstddef>  // std::size_t
#include <utility>  // std::index_sequence
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/ops/typed/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// The dimensions without those that are named; all are dropped if none is.
template <int... axes, std::size_t rank>
constexpr auto reduced(const Dims<rank>& dims) {
  if constexpr (sizeof...(axes) == 0) {
    return Dims<0>{};
  } else {
    Dims<rank - sizeof...(axes)> result;
    for (std::size_t axis = 0, kept = 0; axis < rank && kept < result.size(); ++axis) {
      const auto dropped = [&](int named) {
        return (named < 0 ? named + static_cast<int>(rank) : named) == static_cast<int>(axis);
      };
      if (!(dropped(axes) || ...)) result[kept++] = dims[axis];
    }
    return result;
  }
}

template <int... axes>
Axes axes_from() {
  if constexpr (sizeof...(axes) == 0) return all_axes;
  if constexpr (sizeof...(axes) != 0) return {axes...};
}

// What `function` of x and axes gives, in `dtype`.
template <DType dtype, int... axes, Expression E, class Function>
auto reduced_by(const Function& function, const E& x, Where at) {
  constexpr int rank = static_cast<int>(E::dims.size());
  constexpr bool exist = ((axes >= -rank && axes < rank) && ...);
  static_assert(exist, "sinter::sum<axes...>(x) requires -x.ndim() <= axis < x.ndim()");
  if constexpr (exist) {  // keeps the static_assert above the only error
    const Tensor result = function(Operand(x, at), axes_from<axes...>());
    return typename TypeOf<dtype, reduced<axes...>(E::dims)>::type(result, at);
  }
}
template <Tensor (*function)(Operand, Axes, bool), DType dtype, int... axes, Expression E>
auto reduce_typed(const E& x, Where at) {
  const auto plain = [](const Operand& of, const Axes& over) { return function(of, over, false); };
  return reduced_by<dtype, axes...>(plain, x, at);
}

// Integers and booleans add up in i64.
template <Expression E>
inline constexpr DType known_sum_dtype = is_floating(E::type.dtype) ? E::type.dtype : i64;

}  // namespace detail

template <int... axes, detail::Expression E>
auto sum(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<sum, detail::known_sum_dtype<E>, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto prod(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<prod, detail::known_sum_dtype<E>, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto mean(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<mean, detail::floating_type<E>, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto max(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<max, E::type.dtype, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto min(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<min, E::type.dtype, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto amax(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<amax, E::type.dtype, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto amin(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<amin, E::type.dtype, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto nansum(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<nansum, detail::known_sum_dtype<E>, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto nanmean(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<nanmean, detail::floating_type<E>, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto any(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<any, boolean, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto count_nonzero(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<count_nonzero, i64, axes...>(x, at);
}
template <int... axes, detail::Expression E>
auto logsumexp(const E& x, Where at = Where::current()) {
  return detail::reduce_typed<logsumexp, detail::floating_type<E>, axes...>(x, at);
}

/// Over one axis, or over all.
template <int... axis, detail::Expression E>
auto argmax(const E& x, Where at = Where::current()) {
  static_assert(sizeof...(axis) <= 1, "sinter::argmax<axis>(x) requires one axis");
  return detail::reduce_typed<argmax, i64, axis...>(x, at);
}
template <int... axis, detail::Expression E>
auto argmin(const E& x, Where at = Where::current()) {
  static_assert(sizeof...(axis) <= 1, "sinter::argmin<axis>(x) requires one axis");
  return detail::reduce_typed<argmin, i64, axis...>(x, at);
}

template <int... axes, detail::Expression E>
auto var(const E& x, double correction = 1, Where at = Where::current()) {
  const auto function = [&](const Operand& of, const Axes& over) {
    return var(of, over, false, correction);
  };
  return detail::reduced_by<detail::floating_type<E>, axes...>(function, x, at);
}
template <int... axes, detail::Expression E>
auto std(const E& x, double correction = 1, Where at = Where::current()) {
  const auto function = [&](const Operand& of, const Axes& over) {
    return sinter::std(of, over, false, correction);
  };
  return detail::reduced_by<detail::floating_type<E>, axes...>(function, x, at);
}
template <int... axes, detail::Expression E>
auto norm(const E& x, double p = 2, Where at = Where::current()) {
  const auto function = [&](const Operand& of, const Axes& over) { return norm(of, p, over); };
  return detail::reduced_by<detail::floating_type<E>, axes...>(function, x, at);
}

}  // namespace sinter::inline SINTER_ABI
