#pragma once
// The values that parameters start with: those of torch.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// Uniform in [-1 / sqrt(inputs), 1 / sqrt(inputs)): the weight and the bias of a linear layer with
/// so many inputs.
///
/// Source   kaiming_uniform_ with a = sqrt(5), https://docs.pytorch.org/docs/stable/nn.init.html
Tensor uniform_by_inputs(Shape shape, std::int64_t inputs, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/initialize.ipp>
#endif
