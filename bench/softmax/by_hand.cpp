#include "by_hand.hpp"

#include <cmath>  // std::sqrt

#include "exponential.hpp"

void softmax_by_hand(const float* x, float* out, std::size_t begin, std::size_t end,
                     std::size_t columns) {
  for (std::size_t row = begin; row < end; ++row) {
    float* __restrict to = out + row * columns;
    const float scale = 1 / bench::exponentials(x + row * columns, to, columns).total;
    for (std::size_t i = 0; i < columns; ++i) to[i] *= scale;
  }
}

void layer_norm_by_hand(const float* x, const float* residual, const float* weight,
                        const float* bias, float* out, std::size_t begin, std::size_t end,
                        std::size_t columns) {
  for (std::size_t row = begin; row < end; ++row) {
    const float* __restrict first = x + row * columns;
    const float* __restrict second = residual + row * columns;
    float* __restrict to = out + row * columns;
    float total = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      to[i] = first[i] + second[i];
      total += to[i];
    }
    const float mean = total / static_cast<float>(columns);
    float squares = 0;
    for (std::size_t i = 0; i < columns; ++i) squares += (to[i] - mean) * (to[i] - mean);
    const float scale = 1 / std::sqrt(squares / static_cast<float>(columns) + 1e-5f);
    for (std::size_t i = 0; i < columns; ++i) to[i] = (to[i] - mean) * scale * weight[i] + bias[i];
  }
}
