#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/arithmetic.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

// Functions that call helpers on one number, and on 8 in a vector of which one is returned.
const kernels::HostLibrary& library() {
  static const auto& result = *new kernels::HostLibrary([] {
    const std::string body = R"(
extern "C" int divide(int a, int b) { return floor_divide_i32(a, b); }
extern "C" int rest(int a, int b) { return remainder_i32(a, b); }
extern "C" int rests(int a, int b) { return remainder_i32x8(splat_i32x8(a), splat_i32x8(b))[3]; }
extern "C" int left(int a, int b) { return shift_left_i32x8(splat_i32x8(a), splat_i32x8(b))[5]; }
extern "C" int right(int a, int b) { return shift_right_i32x8(splat_i32x8(a), splat_i32x8(b))[5]; }
extern "C" int byte(float v) { return saturate_u8_f32x8(splat_f32x8(v))[1]; }
extern "C" int whole(float v) { return saturate_i32_f32x8(splat_f32x8(v))[1]; }
extern "C" long whole_long(double v) { return saturate_i64_f64x8(splat_f64x8(v))[1]; }
extern "C" long one_long(float v) { return saturate_i64_f32(v); }
extern "C" float largest(float a, float b) {
  return maximum_f32x8(splat_f32x8(a), splat_f32x8(b))[2];
}
extern "C" double rest_of(double a, double b) { return remainder_f64(a, b); }
extern "C" double sign(double a) { return sign_f64x8(splat_f64x8(a))[7]; }
)";
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }());
  return result;
}

template <class Result, class... T>
Result call(const char* name, T... values) {
  return reinterpret_cast<Result (*)(T...)>(library().symbol(name))(values...);
}

constexpr int least = std::numeric_limits<int>::min();
constexpr int most = std::numeric_limits<int>::max();
constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("cpp_arithmetic: integers are divided as torch does, and no division traps") {
  CHECK(call<int>("divide", -7, 2) == -4);
  CHECK(call<int>("divide", least, -1) == least);
  CHECK(call<int>("divide", 5, 0) == 0);
  for (const char* rest : {"rest", "rests"}) {
    CHECK(call<int>(rest, -7, 2) == 1);
    CHECK(call<int>(rest, 7, -2) == -1);
    CHECK(call<int>(rest, least, -1) == 0);
    CHECK(call<int>(rest, 5, 0) == 0);
  }
}

TEST_CASE("cpp_arithmetic: shifts by more than the width shift everything out") {
  CHECK(call<int>("left", 3, 2) == 12);
  CHECK(call<int>("left", 3, 32) == 0);
  CHECK(call<int>("left", 3, -1) == 0);
  CHECK(call<int>("right", -8, 1) == -4);
  CHECK(call<int>("right", -8, 40) == -1);
  CHECK(call<int>("right", 8, 40) == 0);
}

TEST_CASE("cpp_arithmetic: floating numbers saturate where they become integers, NaN is 0") {
  CHECK(call<int>("byte", 300.0f) == 255);
  CHECK(call<int>("byte", -1.0f) == 0);
  CHECK(call<int>("byte", 254.9f) == 254);
  CHECK(call<int>("whole", 3e9f) == most);
  CHECK(call<int>("whole", -infinity) == least);
  CHECK(call<int>("whole", std::nanf("")) == 0);
  CHECK(call<int>("whole", -2.9f) == -2);
  CHECK(call<long>("whole_long", 1e30) == std::numeric_limits<long>::max());
  CHECK(call<long>("whole_long", -1e30) == std::numeric_limits<long>::min());
  CHECK(call<long>("whole_long", std::nan("")) == 0);
  CHECK(call<long>("one_long", infinity) == std::numeric_limits<long>::max());
}

TEST_CASE("cpp_arithmetic: maxima keep NaN on either side") {
  CHECK(std::isnan(call<float>("largest", std::nanf(""), 1.0f)));
  CHECK(std::isnan(call<float>("largest", 1.0f, std::nanf(""))));
  CHECK(call<float>("largest", -infinity, 1.0f) == 1);
}

TEST_CASE("cpp_arithmetic: the remainder has the sign of the divisor") {
  CHECK(call<double>("rest_of", -5.5, 2.0) == 0.5);
  CHECK(call<double>("rest_of", 5.5, -2.0) == -0.5);
  CHECK(std::isnan(call<double>("rest_of", 1.0, 0.0)));
}

TEST_CASE("cpp_arithmetic: the sign of NaN is NaN, that of -0 is 0") {
  CHECK(std::isnan(call<double>("sign", std::nan(""))));
  CHECK(call<double>("sign", -3.0) == -1);
  CHECK_FALSE(std::signbit(call<double>("sign", -0.0)));
}
