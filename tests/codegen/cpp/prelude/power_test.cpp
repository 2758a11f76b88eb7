#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/power.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

const kernels::HostLibrary& library() {
  static const auto& result = *new kernels::HostLibrary([] {
    std::string body;
    for (const char* type : {"f32x8", "f32x16", "f64x4", "f64x8"}) {
      body +=
          text("extern \"C\" void pow_", type, "_on(const void* a, const void* b, void* to) { ",
               "store_", type, "(to, pow_", type, "(load_", type, "(a), load_", type, "(b))); }\n");
    }
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }());
  return result;
}

// For vectors of `lanes` equal numbers.
template <class T>
T power(T a, T b, int lanes) {
  T left[16], right[16], to[16];
  for (int i = 0; i < 16; ++i) left[i] = a, right[i] = b;
  const std::string name = text("pow_", sizeof(T) == 4 ? "f32x" : "f64x", lanes, "_on");
  reinterpret_cast<void (*)(const void*, const void*, void*)>(library().symbol(name))(left, right,
                                                                                      to);
  for (int i = 1; i < lanes; ++i) CHECK(std::memcmp(to, to + i, sizeof(T)) == 0);
  return to[0];
}

// All pairs of special numbers.
template <class T>
void check_special(int lanes) {
  const T infinite = std::numeric_limits<T>::infinity();
  const T numbers[] = {0,  -T(0),    1,         -1,      2,        -2,       T(0.5), 3,
                       -3, infinite, -infinite, T(1e30), T(-1e30), T(1e-30), T(7.5), T(NAN)};
  for (const T a : numbers) {
    for (const T b : numbers) {
      const T wanted = std::pow(a, b), is = power(a, b, lanes);
      INFO(a, " ^ ", b, " is ", is, ", not ", wanted);
      if (std::isnan(wanted) || wanted == 0 || std::isinf(wanted) || std::abs(wanted) == 1) {
        CHECK(std::isnan(is) == std::isnan(wanted));
        CHECK((std::isnan(wanted) || (is == wanted && std::signbit(is) == std::signbit(wanted))));
      } else {
        CHECK(std::abs(is - wanted) <= 2 * std::numeric_limits<T>::epsilon() * std::abs(wanted));
      }
    }
  }
}

}  // namespace

TEST_CASE("cpp_power: special bases and exponents give what IEEE says") {
  check_special<float>(8);
  check_special<float>(16);
  check_special<double>(4);
  check_special<double>(8);
}

TEST_CASE("cpp_power: bases next to 1 with large exponents keep their precision") {
  for (int i = 1; i < 300; ++i) {
    const double base = 1 + i * 1e-9, exponent = 3e8 / i;
    const auto wanted = static_cast<double>(
        std::pow(static_cast<long double>(base), static_cast<long double>(exponent)));
    CHECK(std::abs(power(base, exponent, 8) - wanted) <= 4.5e-16 * wanted);
    const auto near = static_cast<float>(1 + i * 1e-5), power_of = 1e4f / static_cast<float>(i);
    const double single = std::pow(static_cast<double>(near), static_cast<double>(power_of));
    CHECK(std::abs(power(near, power_of, 16) - single) <= 1.2e-7 * single);
  }
}
