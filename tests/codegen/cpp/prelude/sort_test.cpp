#include <doctest/doctest.h>
#include <sinter/base/half.hpp>
#include <sinter/codegen/cpp/prelude/sort.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

const kernels::HostLibrary& library() {
  static const auto& result = *new kernels::HostLibrary([] {
    const std::string body = R"(
extern "C" void sorted_f32(const float* x, long* to, long n, bool d) {
  argsort_f32(x, to, n, 1, d);
}
extern "C" void in_place_f32(const float* x, long* to, long n, bool d) {
  sort_in_place_f32(x, to, n, 1, d ? ~0u : 0u);
}
extern "C" void sorted_i64(const long* x, long* to, long n, bool d) {
  argsort_i64(x, to, n, 1, d);
}
extern "C" void in_place_i64(const long* x, long* to, long n, bool d) {
  sort_in_place_i64(x, to, n, 1, d ? ~0ul : 0ul);
}
extern "C" void sorted_f16(const unsigned short* x, long* to, long n, bool d) {
  argsort_f16(x, to, n, 1, d);
}
)";
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }());
  return result;
}

using Positions = std::vector<std::int64_t>;

template <class T>
Positions sorted(const std::string& name, const std::vector<T>& x, bool descending = false) {
  using Sort = void (*)(const T*, long*, long, bool);
  Positions result(x.size());
  const auto sort = reinterpret_cast<Sort>(library().symbol(name));
  sort(x.data(), reinterpret_cast<long*>(result.data()), static_cast<long>(x.size()), descending);
  return result;
}

template <class T>
bool is_less(T a, T b) {
  return a < b || (b != b && a == a);
}

template <class T>
Positions expected(const std::vector<T>& x, bool descending) {
  Positions result(x.size());
  std::iota(result.begin(), result.end(), 0);
  std::stable_sort(result.begin(), result.end(), [&](std::int64_t a, std::int64_t b) {
    const T s = x[static_cast<std::size_t>(a)], t = x[static_cast<std::size_t>(b)];
    return descending ? is_less(t, s) : is_less(s, t);
  });
  return result;
}

const float infinite = std::numeric_limits<float>::infinity(), not_a_number = std::nanf("");

}  // namespace

TEST_CASE("cpp_sort: the order is that of a stable sort, however many elements there are") {
  std::mt19937_64 engine(1);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 8u, 63u, 64u, 65u, 255u, 1000u, 20'000u}) {
    std::vector<float> x(count);
    std::vector<std::int64_t> y(count);
    for (float& one : x) one = static_cast<float>(static_cast<int>(engine() % 300) - 150);
    for (std::int64_t& one : y) one = static_cast<std::int64_t>(engine());
    for (std::size_t i = 0; i < count; i += 9) x[i] = not_a_number;
    for (const bool descending : {false, true}) {
      CAPTURE(count);
      CAPTURE(descending);
      CHECK(sorted("sorted_f32", x, descending) == expected(x, descending));
      CHECK(sorted("in_place_f32", x, descending) == expected(x, descending));
      CHECK(sorted("sorted_i64", y, descending) == expected(y, descending));
      CHECK(sorted("in_place_i64", y, descending) == expected(y, descending));
    }
  }
}

TEST_CASE("cpp_sort: zeros are equal, NaN is the largest whatever its sign") {
  std::vector<float> x{0.0f,   -0.0f,   infinite,     -not_a_number, -infinite,
                       1e-45f, -1e-45f, not_a_number, 0.0f};
  CHECK(sorted("sorted_f32", x) == Positions{4, 6, 0, 1, 8, 5, 2, 3, 7});
  CHECK(sorted("sorted_f32", x, true) == Positions{3, 7, 2, 5, 0, 1, 8, 6, 4});
  for (int i = 0; i < 10; ++i) x.insert(x.end(), {0.0f, -0.0f, not_a_number, -not_a_number, 1, -1});
  CHECK(sorted("sorted_f32", x) == expected(x, false));
  CHECK(sorted("sorted_f32", x, true) == expected(x, true));
}

TEST_CASE("cpp_sort: all 16-bit numbers are sorted as the floats that they are") {
  std::vector<std::uint16_t> x(65536);
  std::vector<float> wide;
  std::iota(x.begin(), x.end(), std::uint16_t{0});
  for (const std::uint16_t bits : x) wide.push_back(std::bit_cast<half>(bits));
  CHECK(sorted("sorted_f16", x) == expected(wide, false));
  CHECK(sorted("sorted_f16", x, true) == expected(wide, true));
}

TEST_CASE("cpp_sort: the host compiler accepts every helper for every type") {
  const std::string words = calls_of(codegen::detail::cpp_sort_helpers, {1}, false);
  const Source source{Language::cpp, "", words, {}};
  CHECK_NOTHROW(kernels::HostLibrary(codegen::cpp_prelude({&source, 1})));
}
