#pragma once
// The 16-bit floating element types: storage with conversions to and from float.

#include <bit>      // std::bit_cast
#include <cstdint>  // std::uint16_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The bits of the IEEE binary16 nearest to `value`, ties to even.
constexpr std::uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00);   // NaN
  if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);  // overflows
  if (magnitude < 0x38800000) {  // subnormal: adding 0.5 aligns the binary point, and rounds
    const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3f000000));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
}

constexpr float float_of_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
  if (magnitude >= 0x0f800000) return std::bit_cast<float>(sign | (magnitude + 0x70000000));
  if (magnitude >= 0x00800000) return std::bit_cast<float>(sign | (magnitude + 0x38000000));
  const float value = static_cast<float>(magnitude >> 13) * 0x1p-24f;  // subnormal
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
}

}  // namespace detail

/// IEEE binary16: 11 bits of precision, up to 65504.
struct half {
  constexpr half() = default;
  constexpr half(float value) : bits(detail::half_bits(value)) {}
  constexpr operator float() const { return detail::float_of_half(bits); }

  std::uint16_t bits = 0;
};

/// The upper half of a float: 8 bits of precision, the range of float.
struct bfloat16 {
  constexpr bfloat16() = default;
  constexpr bfloat16(float value) {
    const auto wide = std::bit_cast<std::uint32_t>(value);
    const bool nan = (wide & 0x7fffffff) > 0x7f800000;
    const std::uint32_t rounded = wide + 0x7fff + ((wide >> 16) & 1);  // ties to even
    bits = static_cast<std::uint16_t>(nan ? (wide >> 16) | 0x40 : rounded >> 16);
  }
  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }

  std::uint16_t bits = 0;
};

}  // namespace sinter::inline SINTER_ABI
