#include <doctest/doctest.h>
#include <sinter/base/half.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace {

half half_of_bits(unsigned bits) {
  half result;
  result.bits = static_cast<std::uint16_t>(bits);
  return result;
}

// What IEEE 754 says that the bits of a format mean, by arithmetic instead of by shifting bits.
double meaning(unsigned bits, int mantissa_bits, int exponent_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double fraction = std::ldexp(bits & ((1u << mantissa_bits) - 1), -mantissa_bits);
  const double sign = bits >> (mantissa_bits + exponent_bits) ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
  return sign * std::ldexp(1 + fraction, exponent - bias);
}

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

// The bits of the element of `values` (ascending, indexed by their bits) nearest to `x` >= 0, ties
// to even. The last element is infinity, and counts as the power of two that it stands for.
unsigned nearest(const std::vector<double>& values, double x, double beyond) {
  const auto above = std::lower_bound(values.begin(), values.end(), x);
  const auto index = static_cast<unsigned>(above - values.begin());
  if (index == 0 || *above == x) return index;
  const double up = (std::isinf(*above) ? beyond : *above) - x;
  const double down = x - values[index - 1];
  if (up == down) return index % 2 == 0 ? index : index - 1;
  return up < down ? index : index - 1;
}

// Every float that lies between two neighbours of a format: the middle, and beside the middle.
std::vector<float> around_the_middles(const std::vector<double>& values) {
  std::vector<float> result;
  for (std::size_t i = 0; i + 2 < values.size(); ++i) {
    const auto middle = static_cast<float>((values[i] + values[i + 1]) / 2);
    result.push_back(middle);
    result.push_back(std::nextafter(middle, 0.0f));
    result.push_back(std::nextafter(middle, std::numeric_limits<float>::infinity()));
  }
  return result;
}

std::vector<float> any_floats() {
  std::mt19937 random(7);
  std::vector<float> result{0.0f, 65519.996f, 65520.0f, 1e30f, 3.4e38f, 5.96e-8f, 2.98e-8f, 1e-45f};
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()) & 0x7fffffff);
    if (!std::isnan(value)) result.push_back(value);
  }
  return result;
}

}  // namespace

TEST_CASE("half: all 65,536 values convert to the float that IEEE 754 says") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    wrong += !same(static_cast<float>(half_of_bits(bits)), meaning(bits, 10, 5));
  }
  CHECK(wrong == 0);
}

TEST_CASE("half: all values survive the way to float and back, NaN as NaN") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const half value = half_of_bits(bits);
    const half again(static_cast<float>(value));
    wrong += std::isnan(static_cast<float>(value)) ? !std::isnan(static_cast<float>(again))
                                                   : again.bits != value.bits;
  }
  CHECK(wrong == 0);
}

TEST_CASE("half: a float rounds to the nearest, ties to even, both signs") {
  std::vector<double> values;
  for (unsigned bits = 0; bits <= 0x7c00; ++bits) values.push_back(meaning(bits, 10, 5));
  std::vector<float> inputs = around_the_middles(values);
  for (const float x : any_floats()) inputs.push_back(x);

  int wrong = 0;
  for (const float x : inputs) {
    const unsigned expected = nearest(values, x, 65536.0);
    wrong += half(x).bits != expected;
    wrong += half(-x).bits != (expected | 0x8000);
  }
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16: all 65,536 values convert to the float that has their bits on top") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    bfloat16 value;
    value.bits = static_cast<std::uint16_t>(bits);
    wrong += !same(static_cast<float>(value), meaning(bits, 7, 8));
    const bfloat16 again(static_cast<float>(value));
    wrong += std::isnan(static_cast<float>(value)) ? !std::isnan(static_cast<float>(again))
                                                   : again.bits != value.bits;
  }
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16: a float rounds to the nearest, ties to even, both signs") {
  std::vector<double> values;
  for (unsigned bits = 0; bits <= 0x7f80; ++bits) values.push_back(meaning(bits, 7, 8));
  std::vector<float> inputs = around_the_middles(values);
  for (const float x : any_floats()) inputs.push_back(x);

  int wrong = 0;
  for (const float x : inputs) {
    const unsigned expected = nearest(values, x, std::ldexp(1.0, 128));
    wrong += bfloat16(x).bits != expected;
    wrong += bfloat16(-x).bits != (expected | 0x8000);
  }
  CHECK(wrong == 0);
}

TEST_CASE("half: conversions are constant expressions") {
  static_assert(half(1.5f).bits == 0x3e00);
  static_assert(static_cast<float>(half(-65504.0f)) == -65504.0f);
  static_assert(bfloat16(1.0f).bits == 0x3f80);
  CHECK(sizeof(half) == 2);
  CHECK(sizeof(bfloat16) == 2);
}
