#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/near_zero.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

const kernels::HostLibrary& library() {
  static const auto& result = *new kernels::HostLibrary([] {
    std::string body;
    for (const char* name : {"expm1", "log1p", "atan"}) {
      body += text("extern \"C\" float one_", name, "(float x) { return ", name, "_f32(x); }\n");
      body += text("extern \"C\" double wide_", name, "(double x) { return ", name, "_f64(x); }\n");
      body += text("extern \"C\" void all_", name, "(const float* x, float* y) { store_f32x8(y, ",
                   name, "_f32x8(load_f32x8(x))); }\n");
    }
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }());
  return result;
}

template <class T>
using Single = T (*)(T);

template <class T>
Single<T> function(const std::string& name) {
  return reinterpret_cast<Single<T>>(library().symbol(name));
}

template <class T>
bool same_bits(T a, T b) {
  return a == b && std::signbit(a) == std::signbit(b);
}

}  // namespace

TEST_CASE("cpp_near_zero: arguments too small to change are returned, with their sign") {
  for (const char* name : {"expm1", "log1p", "atan"}) {
    CAPTURE(name);
    for (const float x : {0.0f, 1e-45f, 1e-40f, 1e-30f}) {
      CHECK(same_bits(function<float>(text("one_", name))(x), x));
      CHECK(same_bits(function<float>(text("one_", name))(-x), -x));
    }
    for (const double x : {0.0, 5e-324, 1e-310, 1e-200}) {
      CHECK(same_bits(function<double>(text("wide_", name))(x), x));
      CHECK(same_bits(function<double>(text("wide_", name))(-x), -x));
    }
  }
}

TEST_CASE("cpp_near_zero: the ends of the domains") {
  const float infinite = std::numeric_limits<float>::infinity();
  CHECK(function<float>("one_expm1")(-infinite) == -1);
  CHECK(function<float>("one_expm1")(infinite) == infinite);
  CHECK(function<float>("one_expm1")(88.72283f) == std::expm1(88.72283f));
  CHECK(function<float>("one_expm1")(88.73f) == infinite);
  CHECK(function<double>("wide_expm1")(709.79) == HUGE_VAL);
  CHECK(function<float>("one_log1p")(-1) == -infinite);
  CHECK(std::isnan(function<float>("one_log1p")(-1.0000001f)));
  CHECK(function<float>("one_log1p")(infinite) == infinite);
  CHECK(function<float>("one_atan")(infinite) == 1.57079637f);
  CHECK(function<double>("wide_atan")(-HUGE_VAL) == -M_PI_2);
  for (const char* name : {"expm1", "log1p", "atan"}) {
    CHECK(std::isnan(function<float>(text("one_", name))(NAN)));
    CHECK(std::isnan(function<double>(text("wide_", name))(NAN)));
  }
}

TEST_CASE("cpp_near_zero: a number and the lane of a vector give the same bits") {
  for (const char* name : {"expm1", "log1p", "atan"}) {
    const auto one = function<float>(text("one_", name));
    const auto all =
        reinterpret_cast<void (*)(const float*, float*)>(library().symbol(text("all_", name)));
    for (int i = 0; i < 800; i += 8) {
      float x[8], y[8];
      for (int j = 0; j < 8; ++j) x[j] = static_cast<float>(i + j - 390) * 0.0025f;
      all(x, y);
      for (int j = 0; j < 8; ++j) CHECK(one(x[j]) == y[j]);
    }
  }
}
