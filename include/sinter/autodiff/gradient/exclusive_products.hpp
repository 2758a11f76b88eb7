#pragma once
// Gradients of products. The fast ones divide by elements and treat zeros apart, which is right for
// a first derivative and wrong for the next: those are of the same gradient without a division.

#include <sinter/autodiff/gradient/backward.hpp>
#include <sinter/base/container/span.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

/// What `fast` computes of x and of `others`, each an input of it, in this order. Derivatives are
/// those of `exact`, which computes the same, with the same inputs.
Value with_derivatives_of(const Backward& at, const Graph& fast, const Graph& exact,
                          Span<const Value> operands);

/// A graph of x and g of the shape of the result: the gradient of prod over `axes`, without a
/// division: g times the product of the elements before each one and of those after it.
Graph exact_prod_gradient(const TensorType& x, const TensorType& g, const AxisList& axes);

/// A graph of x, g and the result, which it does not need: the gradient of cumprod along `axis`.
Graph exact_cumprod_gradient(const TensorType& x, std::int64_t axis);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/exclusive_products.ipp>
#endif
