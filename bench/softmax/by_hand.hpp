#pragma once
// Handwritten row kernels, over rows begin..end of `columns` floats each.

#include <cstddef>  // std::size_t

void softmax_by_hand(const float* x, float* out, std::size_t begin, std::size_t end,
                     std::size_t columns);

/// layer_norm(x + residual) * weight + bias
void layer_norm_by_hand(const float* x, const float* residual, const float* weight,
                        const float* bias, float* out, std::size_t begin, std::size_t end,
                        std::size_t columns);
