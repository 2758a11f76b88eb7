#include "by_hand.hpp"

#include <algorithm>  // std::max
#include <bit>        // std::bit_cast
#include <cmath>      // std::sqrt, std::nearbyint
#include <cstdint>    // std::int32_t

namespace {

// exp(x) for x <= 0 within 2 ulp: 2^n times a polynomial of the rest. The compiler vectorises it.
inline float exponential(float x) {
  const float scaled = std::max(x * 1.44269504f, -126.0f);
  const float whole = std::nearbyint(scaled);
  const float rest = scaled - whole;
  float power = 0.00015403530f;
  power = power * rest + 0.0013333558f;
  power = power * rest + 0.0096181291f;
  power = power * rest + 0.055504109f;
  power = power * rest + 0.24022651f;
  power = power * rest + 0.69314718f;
  power = power * rest + 1.0f;
  const auto exponent = static_cast<std::int32_t>(whole) + 127;
  return power * std::bit_cast<float>(exponent << 23);
}

}  // namespace

void softmax_by_hand(const float* x, float* out, std::size_t begin, std::size_t end,
                     std::size_t columns) {
  for (std::size_t row = begin; row < end; ++row) {
    const float* __restrict from = x + row * columns;
    float* __restrict to = out + row * columns;
    float largest = from[0];
    for (std::size_t i = 0; i < columns; ++i) largest = from[i] > largest ? from[i] : largest;
    float total = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      to[i] = exponential(from[i] - largest);
      total += to[i];
    }
    const float scale = 1 / total;
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
