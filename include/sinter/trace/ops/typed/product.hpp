#pragma once
// Products of typed matrices. They are not elementwise, hence recorded at once.

#include <cstddef>   // std::size_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/typed/elementwise.hpp>

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
  constexpr std::size_t count = lhs_batch > rhs_batch ? lhs_batch : rhs_batch;
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
template <detail::Expression Lhs, detail::Expression Rhs>
auto matmul(const Lhs& lhs, const Rhs& rhs, Where at = Where::current()) {
  constexpr std::size_t n = Lhs::dims.size(), m = Rhs::dims.size();
  static_assert(n != 0, "sinter::matmul(lhs, rhs) requires lhs to have a dimension");
  static_assert(n == 0 || m != 0, "sinter::matmul(lhs, rhs) requires rhs to have a dimension");
  if constexpr (n != 0 && m != 0) {  // avoids further errors
    constexpr bool same_dtype = Lhs::type.dtype == Rhs::type.dtype;
    constexpr bool fits = detail::agree(Lhs::dims[n - 1], Rhs::dims[m > 1 ? m - 2 : 0]);
    static_assert(same_dtype, "sinter::matmul(lhs, rhs) requires operands of one dtype");
    static_assert(!same_dtype || fits,
                  "sinter::matmul(lhs, rhs) requires lhs.shape[-1] == rhs.shape[-2]");
    if constexpr (same_dtype && fits) {
      return detail::typed_matmul<Lhs, Rhs>({lhs, at}, {rhs, at});
    }
  }
}

namespace detail {

// The dimensions of a product with the transposed weight: its rows take the place of the last one.
template <std::size_t n, std::size_t m>
constexpr Dims<n> linear_dims(Dims<n> x, const Dims<m>& weight) {
  if constexpr (n != 0 && m != 0) x[n - 1] = weight[0];
  return x;
}

template <Expression X, Expression Weight>
constexpr bool linear_fits = [] {
  constexpr std::size_t n = X::dims.size(), m = Weight::dims.size();
  if constexpr (n == 0 || m != 2) return false;
  if constexpr (n != 0 && m == 2) return agree(X::dims[n - 1], Weight::dims[1]);
}();

}  // namespace detail

/// matmul(x, transpose(weight)), for weights (out, in).
template <detail::Expression X, detail::Expression Weight>
auto linear(const X& x, const Weight& weight, Where at = Where::current()) {
  constexpr bool fits = detail::linear_fits<X, Weight>;
  constexpr bool same_dtype = X::type.dtype == Weight::type.dtype;
  static_assert(same_dtype, "sinter::linear(x, weight) requires operands of one dtype");
  static_assert(!same_dtype || fits,
                "sinter::linear(x, weight) requires x.shape[-1] == weight.shape[1]");
  if constexpr (same_dtype && fits) {
    return detail::recorded_at_once<X::type.dtype, detail::linear_dims(X::dims, Weight::dims)>(
        linear({x, at}, {weight, at}), at);
  }
}
template <detail::Expression X, detail::Expression Weight, detail::Expression Bias>
auto linear(const X& x, const Weight& weight, const Bias& bias, Where at = Where::current()) {
  constexpr bool fits = detail::linear_fits<X, Weight>;
  constexpr bool same_dtype =
      X::type.dtype == Weight::type.dtype && X::type.dtype == Bias::type.dtype;
  static_assert(same_dtype, "sinter::linear(x, weight, bias) requires operands of one dtype");
  static_assert(!same_dtype || fits,
                "sinter::linear(x, weight, bias) requires x.shape[-1] == weight.shape[1]");
  if constexpr (same_dtype && fits) {
    constexpr bool bias_fits = detail::agree(Bias::dims, detail::Dims<1>{Weight::dims[0]});
    static_assert(bias_fits,
                  "sinter::linear(x, weight, bias) requires bias.shape == {weight.shape[0]}");
    if constexpr (bias_fits) {
      return detail::recorded_at_once<X::type.dtype, detail::linear_dims(X::dims, Weight::dims)>(
          linear({x, at}, {weight, at}, {bias, at}), at);
    }
  }
}

/// result[i, j] = lhs[i] * rhs[j].
template <detail::Expression Lhs, detail::Expression Rhs>
auto outer(const Lhs& lhs, const Rhs& rhs, Where at = Where::current()) {
  constexpr bool vectors = Lhs::dims.size() == 1 && Rhs::dims.size() == 1;
  static_assert(vectors, "sinter::outer(lhs, rhs) requires vectors");
  if constexpr (vectors) {
    constexpr DType dtype = detail::computed_by(detail::Takes::any, Lhs::type, Rhs::type);
    constexpr detail::Dims<2> dims{Lhs::dims[0], Rhs::dims[0]};
    return detail::recorded_at_once<dtype, dims>(outer({lhs, at}, {rhs, at}), at);
  }
}

/// matmul of two batches of matrices.
template <detail::Expression Lhs, detail::Expression Rhs>
auto bmm(const Lhs& lhs, const Rhs& rhs, Where at = Where::current()) {
  constexpr bool batches = Lhs::dims.size() == 3 && Rhs::dims.size() == 3;
  static_assert(batches, "sinter::bmm(lhs, rhs) requires batches of matrices: three dimensions");
  if constexpr (batches) {
    constexpr bool fits = detail::agree(Lhs::dims[0], Rhs::dims[0]);
    static_assert(fits, "sinter::bmm(lhs, rhs) requires lhs.shape[0] == rhs.shape[0]");
    if constexpr (fits) return matmul(lhs, rhs, at);
  }
}

/// The sum of lhs[i] * rhs[i].
template <detail::Expression Lhs, detail::Expression Rhs>
auto dot(const Lhs& lhs, const Rhs& rhs, Where at = Where::current()) {
  constexpr bool vectors = Lhs::dims.size() == 1 && Rhs::dims.size() == 1;
  static_assert(vectors, "sinter::dot(lhs, rhs) requires vectors");
  if constexpr (vectors) return matmul(lhs, rhs, at);
}

}  // namespace sinter::inline SINTER_ABI
