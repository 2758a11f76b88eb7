#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/erf.hpp>

#include <cmath>
#include <limits>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

const kernels::HostLibrary& library() {
  static const auto& result = *new kernels::HostLibrary([] {
    std::string body = R"(
extern "C" float one(float x) { return erf_f32(x); }
)";
    for (const char* lanes : {"4", "8", "16"}) {
      body += text("extern \"C\" void all", lanes, "(const float* x, float* y) { store_f32x", lanes,
                   "(y, erf_f32x", lanes, "(load_f32x", lanes, "(x))); }\n");
    }
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }());
  return result;
}

float one(float x) { return reinterpret_cast<float (*)(float)>(library().symbol("one"))(x); }

}  // namespace

TEST_CASE("cpp_erf: saturates at 1, and keeps the sign of 0 and NaN") {
  const float infinite = std::numeric_limits<float>::infinity();
  CHECK(one(infinite) == 1);
  CHECK(one(-infinite) == -1);
  CHECK(one(4.2f) == 1);
  CHECK(std::isnan(one(NAN)));
  CHECK(std::signbit(one(-0.0f)));
  CHECK_FALSE(std::signbit(one(0.0f)));
  for (int i = 0; i < 4000; ++i) CHECK(one(static_cast<float>(i) * 0.0011f) <= 1);
}

TEST_CASE("cpp_erf: a number and the lane of a vector of any width give the same bits") {
  for (const int lanes : {4, 8, 16}) {
    const auto all =
        reinterpret_cast<void (*)(const float*, float*)>(library().symbol(text("all", lanes)));
    for (int i = 0; i < 1600; i += lanes) {
      float x[16], y[16];
      for (int j = 0; j < lanes; ++j) x[j] = static_cast<float>(i + j - 800) * 0.0061f;
      all(x, y);
      for (int j = 0; j < lanes; ++j) CHECK(one(x[j]) == y[j]);
    }
  }
}
