#pragma once
// normalize, cosine similarity and pairwise distance.

#include <sinter/config.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// x / max(p-norm of x along `axis`, eps). The norm is (sum |x|^p)^(1/p); the largest |x| if p is
/// infinite.
///
/// Gradient 0 through the norm of a vector of zeros
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html
Tensor normalize(Operand x, double p = 2.0, int axis = 1, double eps = 1e-12);

/// The cosine of the angle between x and y along `axis`: x . y / (max(|x|, eps) * max(|y|, eps)).
///
/// Shapes   x and y broadcast; `axis` of the broadcast shape is dropped
Tensor cosine_similarity(Operand x, Operand y, int axis = 1, double eps = 1e-8);

/// The norm of x - y + eps along the last axis.
Tensor pairwise_distance(Operand x, Operand y, double p = 2.0, double eps = 1e-6,
                         bool keepdim = false);

namespace detail {

/// (sum |x|^p)^(1/p) over `axis`, whose gradient at 0 is 0.
Tensor norm_along(const Operand& x, double p, int axis, bool keepdim);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/distance.ipp>
#endif
