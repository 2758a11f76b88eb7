#include "by_hand.hpp"

#include <cmath>  // std::log

#include "exponential.hpp"

void cross_entropy_by_hand(const float* x, const std::int64_t* target, float* losses,
                           float* gradient, std::size_t begin, std::size_t end, std::size_t rows,
                           std::size_t columns) {
  const float share = 1 / static_cast<float>(rows);
  for (std::size_t row = begin; row < end; ++row) {
    const float* __restrict from = x + row * columns;
    float* __restrict to = gradient + row * columns;
    const auto [largest, total] = bench::exponentials(from, to, columns);
    const float scale = share / total;
    for (std::size_t i = 0; i < columns; ++i) to[i] *= scale;
    const auto wanted = static_cast<std::size_t>(target[row]);
    to[wanted] -= share;
    losses[row] = std::log(total) + largest - from[wanted];
  }
}
