#pragma once
// Handwritten row functions, over rows begin..end of `columns` floats each.

#include <cstddef>  // std::size_t

void rms_norm_by_hand(const float* x, const float* weight, float* out, std::size_t begin,
                      std::size_t end, std::size_t columns);
