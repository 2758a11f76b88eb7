#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/windows.hpp>
#include <sinter/codegen/text/helper_text.hpp>

#include <vector>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

// Memory that is valid only in the lanes from `from` to `to`, with other numbers around it.
template <class T>
void check_windows(const HostLibrary& library, const std::string& type, int lanes) {
  using Window = void (*)(long, long, const T*, T*);
  const std::string suffix = text("_", type, "x", lanes);
  const auto within = reinterpret_cast<Window>(library.symbol("within" + suffix));
  const auto evens = reinterpret_cast<Window>(library.symbol("evens" + suffix));
  std::vector<T> from(2 * static_cast<std::size_t>(lanes)), to(static_cast<std::size_t>(lanes));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i + 1);
  for (long first = -3; first <= lanes + 3; ++first) {
    for (long last = -3; last <= lanes + 3; ++last) {
      INFO(suffix, ": from ", first, " to ", last);
      for (const int step : {1, 2}) {
        (step == 1 ? within : evens)(first, last, from.data(), to.data());
        bool right = true;
        for (long i = 0; i < lanes; ++i) {
          const bool lives = i >= first && i < last;
          const T expected = lives ? from[static_cast<std::size_t>(step * i)] : T(99);
          right = right && to[static_cast<std::size_t>(i)] == expected;
        }
        CHECK(right);
      }
    }
  }
}

}  // namespace

TEST_CASE("cpp_windows: lanes between two bounds are read, the others keep their values") {
  std::string body;
  for (const std::string type : {"u8x16", "u8x8", "u16x16", "i32x16", "f32x16", "f32x8", "f32x4",
                                 "i64x8", "i64x4", "f64x8"}) {
    const std::string c(codegen::parse_vector_type(type).type->c_name);
    for (const std::string verb : {"within", "evens"}) {
      body += "extern \"C\" void " + verb + "_" + type + "(long from, long to, const " + c +
              "* p, " + c + "* q) {\n  store_" + type + "(q, load_" + verb + "_" + type +
              "(from, to, p, 99 + (" + type + "){}));\n}\n";
    }
  }
  const Source source{Language::cpp, "", body, {}};
  const HostLibrary library(codegen::cpp_prelude({&source, 1}) + body);
  check_windows<unsigned char>(library, "u8", 16);
  check_windows<unsigned char>(library, "u8", 8);
  check_windows<unsigned short>(library, "u16", 16);
  check_windows<int>(library, "i32", 16);
  for (const int lanes : {4, 8, 16}) check_windows<float>(library, "f32", lanes);
  for (const int lanes : {4, 8}) check_windows<long>(library, "i64", lanes);
  check_windows<double>(library, "f64", 8);
}

TEST_CASE("cpp_windows: lanes are counted from the first element on") {
  const std::string body = R"(
extern "C" long count(long elements, long step) { return lanes_before(elements, step); }
extern "C" long last(long a, long b) { return later(a, b); }
)";
  const Source source{Language::cpp, "", body, {}};
  const HostLibrary library(codegen::cpp_prelude({&source, 1}) + body);
  const auto count = reinterpret_cast<long (*)(long, long)>(library.symbol("count"));
  const auto last = reinterpret_cast<long (*)(long, long)>(library.symbol("last"));
  CHECK(count(-5, 2) == 0);
  CHECK(count(0, 2) == 0);
  CHECK(count(1, 2) == 1);
  CHECK(count(4, 2) == 2);
  CHECK(count(5, 2) == 3);
  CHECK(last(-1, 2) == 2);
  CHECK(last(3, 2) == 3);
}

TEST_CASE("cpp_windows: the lanes of two vectors are stored alternately, all or the first ones") {
  const std::string body = R"(
extern "C" void pairs(long lanes, const float* a, const float* b, float* to) {
  if (lanes == 8) return store_pairs_f32x8(to, load_f32x8(a), load_f32x8(b));
  store_pairs_part_f32x8(lanes, to, load_f32x8(a), load_f32x8(b));
}
)";
  const Source source{Language::cpp, "", body, {}};
  const HostLibrary library(codegen::cpp_prelude({&source, 1}) + body);
  const auto pairs =
      reinterpret_cast<void (*)(long, const float*, const float*, float*)>(library.symbol("pairs"));
  const std::vector<float> a{0, 2, 4, 6, 8, 10, 12, 14}, b{1, 3, 5, 7, 9, 11, 13, 15};
  for (long lanes = 1; lanes <= 8; ++lanes) {
    std::vector<float> to(17, -1);
    pairs(lanes, a.data(), b.data(), to.data());
    for (long i = 0; i < 17; ++i) {
      CHECK(to[static_cast<std::size_t>(i)] == (i < 2 * lanes ? static_cast<float>(i) : -1));
    }
  }
}
