// The arithmetic of the emulated NCCL: each addition is rounded to the type of the elements.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "nccl.hpp"

namespace emulator {

namespace {

using sinter::detail::nccl::Functions;

// A bf16 in memory; conversions round to nearest even.
struct Bf16 {
  std::uint16_t bits = 0;
  Bf16() = default;
  explicit Bf16(float value) {
    const auto wide = std::bit_cast<std::uint32_t>(value);
    bits = value != value ? 0x7fc0
                          : static_cast<std::uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
  }
  explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

template <class T, class Wide>
T combined(T a, T b, int reduction) {
  const Wide x = static_cast<Wide>(a), y = static_cast<Wide>(b);
  if (reduction == Functions::max) return static_cast<T>(std::max(x, y));
  if (reduction == Functions::min) return static_cast<T>(std::min(x, y));
  return static_cast<T>(x + y);
}

template <class T, class Wide>
std::vector<char> reduced(const std::vector<std::vector<char>>& parts, std::size_t count,
                          int reduction) {
  std::vector<char> result(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    T sum{};
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      T one{};
      std::memcpy(&one, parts[rank].data() + i * sizeof(T), sizeof(T));
      sum = rank == 0 ? one : combined<T, Wide>(sum, one, reduction);
    }
    if (reduction == Functions::mean) {
      sum = static_cast<T>(static_cast<Wide>(sum) / static_cast<Wide>(parts.size()));
    }
    std::memcpy(result.data() + i * sizeof(T), &sum, sizeof(T));
  }
  return result;
}

}  // namespace

std::size_t nccl_element_bytes(int type) {
  constexpr std::size_t bytes[]{1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return type < 0 || type > Functions::bf16 ? 0 : bytes[type];
}

std::vector<char> nccl_reduced(const std::vector<std::vector<char>>& parts, std::size_t count,
                               int type, int reduction) {
  switch (type) {
    case Functions::i8:
      return reduced<std::int8_t, std::int64_t>(parts, count, reduction);
    case Functions::u8:
      return reduced<std::uint8_t, std::int64_t>(parts, count, reduction);
    case Functions::i32:
      return reduced<std::int32_t, std::int64_t>(parts, count, reduction);
    case Functions::i64:
      return reduced<std::int64_t, std::int64_t>(parts, count, reduction);
    case Functions::f16:
      return reduced<_Float16, float>(parts, count, reduction);
    case Functions::bf16:
      return reduced<Bf16, float>(parts, count, reduction);
    case Functions::f64:
      return reduced<double, double>(parts, count, reduction);
    default:
      return reduced<float, float>(parts, count, reduction);
  }
}

}  // namespace emulator
