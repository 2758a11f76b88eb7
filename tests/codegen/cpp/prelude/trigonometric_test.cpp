#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/trigonometric.hpp>

#include <cmath>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

const kernels::HostLibrary& library() {
  static const auto& result = *new kernels::HostLibrary([] {
    const std::string body = R"(
extern "C" void sines(const float* x, float* y) { store_f32x8(y, sin_f32x8(load_f32x8(x))); }
extern "C" void cosines(const double* x, double* y) { store_f64x4(y, cos_f64x4(load_f64x4(x))); }
extern "C" float one_sine(float x) { return sin_f32(x); }
)";
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }());
  return result;
}

}  // namespace

TEST_CASE(
    "cpp_trigonometric: huge, infinite and tiny arguments share a vector with moderate ones") {
  const float x[] = {1e30f, -1e-40f, INFINITY, 0.5f, -65537.0f, NAN, -0.0f, 3.1415927f};
  float y[8];
  reinterpret_cast<void (*)(const float*, float*)>(library().symbol("sines"))(x, y);
  for (int i = 0; i < 8; ++i) {
    INFO(x[i]);
    const double exact = std::sin(static_cast<double>(x[i]));
    const bool close = std::abs(y[i] - exact) <= 1.5e-7 * std::abs(exact);
    CHECK((close || (std::isnan(y[i]) && std::isnan(exact))));
  }
  CHECK(std::signbit(y[6]));
}

TEST_CASE("cpp_trigonometric: f64 near multiples of pi / 2 keeps its precision") {
  const double x[] = {1.5707963267948966, 5 * 1.5707963267948966e6, -1e9, 1e22};
  double y[4];
  reinterpret_cast<void (*)(const double*, double*)>(library().symbol("cosines"))(x, y);
  for (int i = 0; i < 4; ++i) {
    INFO(x[i]);
    CHECK(std::abs(y[i] - std::cos(x[i])) <= 4e-16 * std::abs(std::cos(x[i])));
  }
}

TEST_CASE("cpp_trigonometric: a number and the lane of a vector give the same bits") {
  float x[8], y[8];
  const auto sines = reinterpret_cast<void (*)(const float*, float*)>(library().symbol("sines"));
  const auto one = reinterpret_cast<float (*)(float)>(library().symbol("one_sine"));
  for (int i = 0; i < 800; i += 8) {
    for (int j = 0; j < 8; ++j) x[j] = static_cast<float>(i + j) * 0.37f - 100;
    sines(x, y);
    for (int j = 0; j < 8; ++j) CHECK(one(x[j]) == y[j]);
  }
}
