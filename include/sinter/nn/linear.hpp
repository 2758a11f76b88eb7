#pragma once
// The affine layer.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/nn/initialize.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/product/product.hpp>

namespace sinter::inline SINTER_ABI::nn {

struct LinearOptions {
  bool bias = true;
};

namespace detail {

/// Throws ShapeError, which names the running module, unless the last axis of `x` fits `weight`.
void require_inputs(const Operand& x, const Tensor& weight);

}  // namespace detail

/// matmul(x, transpose(weight)) + bias.
///
/// Shapes   (..., in) -> (..., out)
/// Throws   ShapeError if the last axis of x is not `in`
struct Linear {
  Tensor weight;               ///< (out, in), as in torch.
  std::optional<Tensor> bias;  ///< (out)
  SINTER_MODULE(Linear, weight, bias)

  Linear() = default;
  Linear(std::int64_t in, std::int64_t out, LinearOptions options = {},
         Where where = Where::current());

  Tensor forward(Operand x) const;
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/linear.ipp>
#endif
