#pragma once
// Products of typed matrices. They are not elementwise, hence recorded at once.

#include <algorithm>  // std::max
#include <cstddef>    // std::size_t
#include <optional>   // std::optional
#include <utility>    // std::swap

#include <sinter/config.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/product.hpp>
#include <sinter/trace/typed.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// The dimensions of a product: the leading ones, broadcast; a row of lhs; a column of rhs.
template <std::size_t n, std::size_t m>
constexpr auto product_dims(const Dims<n>& lhs, const Dims<m>& rhs) {
  constexpr std::size_t lhs_batch = n < 2 ? 0 : n - 2, rhs_batch = m < 2 ? 0 : m - 2;
  Dims<lhs_batch> left;
  Dims<rhs_batch> right;
  for (std::size_t i = 0; i < lhs_batch; ++i) left[i] = lhs[i];
  for (std::size_t i = 0; i < rhs_batch; ++i) right[i] = rhs[i];
  const auto batch = broadcast(left, right);
  constexpr std::size_t count = std::max(lhs_batch, rhs_batch);
  std::optional<Dims<count + (n > 1) + (m > 1)>> result;
  if (!batch) return result;
  result.emplace();
  for (std::size_t i = 0; i < count; ++i) (*result)[i] = (*batch)[i];
  if constexpr (n > 1) (*result)[count] = lhs[n - 2];
  if constexpr (m > 1) (*result)[count + (n > 1)] = rhs[m - 1];
  return result;
}

template <Expression Lhs, Expression Rhs>
auto typed_matmul(const Operand& lhs, const Operand& rhs) {
  constexpr auto dims = product_dims(Lhs::dims, Rhs::dims);
  static_assert(dims.has_value(),
                "sinter::matmul(lhs, rhs) requires leading dimensions that broadcast");
  if constexpr (dims.has_value()) {
    return typename TypeOf<Lhs::type.dtype, *dims>::type(matmul(lhs, rhs), lhs.where);
  }
}

}  // namespace detail

/// Wrong dtypes and dimensions do not compile.
template <Expression Lhs, Expression Rhs>
auto matmul(const Lhs& lhs, const Rhs& rhs, Where at = Where::current()) {
  constexpr std::size_t n = Lhs::dims.size(), m = Rhs::dims.size();
  static_assert(n != 0, "sinter::matmul(lhs, rhs) requires lhs to have a dimension");
  static_assert(n == 0 || m != 0, "sinter::matmul(lhs, rhs) requires rhs to have a dimension");
  if constexpr (n != 0 && m != 0) {  // so that one sentence is enough
    constexpr bool same_dtype = Lhs::type.dtype == Rhs::type.dtype;
    constexpr bool fits = agree(Lhs::dims[n - 1], Rhs::dims[m > 1 ? m - 2 : 0]);
    static_assert(same_dtype, "sinter::matmul(lhs, rhs) requires operands of one dtype");
    static_assert(!same_dtype || fits,
                  "sinter::matmul(lhs, rhs) requires lhs.shape[-1] == rhs.shape[-2]");
    if constexpr (same_dtype && fits) {
      return detail::typed_matmul<Lhs, Rhs>({lhs, at}, {rhs, at});
    }
  }
}

/// transpose<0, 1>(x): `x` with its axes exchanged.
template <int a, int b, Expression E>
auto transpose(const E& x, Where at = Where::current()) {
  constexpr int rank = static_cast<int>(E::dims.size());
  constexpr bool exist = a >= -rank && a < rank && b >= -rank && b < rank;
  static_assert(exist, "sinter::transpose<a, b>(x) requires -x.ndim() <= axis < x.ndim()");
  if constexpr (exist) {
    constexpr auto dims = [] {
      auto result = E::dims;
      std::swap(result[static_cast<std::size_t>((a + rank) % rank)],
                result[static_cast<std::size_t>((b + rank) % rank)]);
      return result;
    }();
    return typename detail::TypeOf<E::type.dtype, dims>::type(transpose({x, at}, a, b), at);
  }
}

}  // namespace sinter::inline SINTER_ABI
