#include "by_hand.hpp"

#include <cmath>  // std::sqrt

void rms_norm_by_hand(const float* x, const float* weight, float* out, std::size_t begin,
                      std::size_t end, std::size_t columns) {
  for (std::size_t row = begin; row < end; ++row) {
    const float* __restrict from = x + row * columns;
    float* __restrict to = out + row * columns;
    float squares = 0;
    for (std::size_t i = 0; i < columns; ++i) squares += from[i] * from[i];
    const float mean = squares / static_cast<float>(columns);
    const float scale = 1 / std::sqrt(mean + 1.1920929e-07f);
    for (std::size_t i = 0; i < columns; ++i) to[i] = from[i] * scale * weight[i];
  }
}
