#pragma once
// A handwritten exp, whose loops the compiler vectorises, and the first pass of softmax and of its
// loss.

#include <algorithm>  // std::max
#include <bit>        // std::bit_cast
#include <cmath>      // std::nearbyint
#include <cstddef>    // std::size_t
#include <cstdint>    // std::int32_t

namespace bench {

/// exp(x) for x <= 0 within 2 ulp: 2^n times a polynomial of the remainder.
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

struct RowOfExponentials {
  float largest, total;
};

/// to[i] = exp(from[i] - maximum); returns the maximum, and the sum of the results.
inline RowOfExponentials exponentials(const float* __restrict from, float* __restrict to,
                                      std::size_t count) {
  float largest = from[0];
  for (std::size_t i = 0; i < count; ++i) largest = from[i] > largest ? from[i] : largest;
  float total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = exponential(from[i] - largest);
    total += to[i];
  }
  return {largest, total};
}

}  // namespace bench
