#pragma once
// Handwritten loops: `streams` says whether the stores are non-temporal.

#include <cstddef>  // std::size_t

/// out = ((x * y + x) * y + x) ..., eight times, over begin..end.
void multiply_adds(const float* x, const float* y, float* out, std::size_t begin, std::size_t end,
                   bool streams);

/// out = (x * y + x) * y
void two_products(const float* x, const float* y, float* out, std::size_t begin, std::size_t end,
                  bool streams);
