#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/float_bits.hpp>

#include <cmath>
#include <limits>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

using Binary = void (*)(const float*, const float*, float*);

const kernels::HostLibrary& library() {
  static const auto& result = *new kernels::HostLibrary([] {
    std::string body;
    for (const char* name : {"at_most", "at_least", "scale", "scale_by_bits", "with_sign",
                             "log_ends", "log_special"}) {
      for (const char* type : {"f32", "f32x4", "f32x8", "f32x16"}) {
        const bool one = std::string_view(type) == "f32";
        const auto load = [&](const char* from) {
          return one ? text("*", from) : text("load_", type, "(", from, ")");
        };
        const std::string value = text(name, "_", type, "(", load("a"), ", ", load("b"), ")");
        body +=
            text("extern \"C\" void ", name, "_", type, "_on(const float* a, const float* b, ",
                 "float* to) { ",
                 one ? text("*to = ", value) : text("store_", type, "(to, ", value, ")"), "; }\n");
      }
    }
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }());
  return result;
}

// The last lane of a vector whose lanes are all the same, for each width.
std::vector<float> results(const std::string& name, float a, float b) {
  std::vector<float> all;
  int lanes = 1;
  for (const char* type : {"f32", "f32x4", "f32x8", "f32x16"}) {
    float left[16], right[16], to[16];
    for (int i = 0; i < 16; ++i) left[i] = a, right[i] = b, to[i] = -77;
    reinterpret_cast<Binary>(library().symbol(text(name, "_", type, "_on")))(left, right, to);
    all.push_back(to[lanes - 1]);
    lanes = lanes == 1 ? 4 : 2 * lanes;
  }
  return all;
}

bool all_are(const std::vector<float>& values, float wanted) {
  for (const float value : values) {
    const bool same = value == wanted && std::signbit(value) == std::signbit(wanted);
    if (!same && !(std::isnan(value) && std::isnan(wanted))) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("cpp_float_bits: limits hold in every width, and NaN passes them") {
  const float infinite = std::numeric_limits<float>::infinity();
  CHECK(all_are(results("at_most", 3, 2), 2));
  CHECK(all_are(results("at_most", -infinite, 2), -infinite));
  CHECK(all_are(results("at_most", NAN, 2), NAN));
  CHECK(all_are(results("at_least", 1, 2), 2));
  CHECK(all_are(results("at_least", infinite, 2), infinite));
  CHECK(all_are(results("at_least", NAN, 2), NAN));
}

TEST_CASE(
    "cpp_float_bits: scaling by a power of 2 is exact, and rounds once where it is subnormal") {
  for (const char* name : {"scale", "scale_by_bits"}) {
    CHECK(all_are(results(name, 1.5f, 3), 12));
    CHECK(all_are(results(name, 1.5f, 127), 0x1.8p+127f));
    CHECK(all_are(results(name, 1.5f, 128), std::numeric_limits<float>::infinity()));
    CHECK(all_are(results(name, 1.5f, -149), 0x1p-148f));
    CHECK(all_are(results(name, 0x1.000002p+0f, -149), 0x1p-149f));
    CHECK(all_are(results(name, 1, -151), 0));
    CHECK(all_are(results(name, NAN, 3), NAN));
  }
}

TEST_CASE("cpp_float_bits: the sign of one number is copied to another") {
  CHECK(all_are(results("with_sign", 2, -3), -2));
  CHECK(all_are(results("with_sign", 0, -0.0f), -0.0f));
  CHECK(all_are(results("with_sign", 2, 0), 2));
}

TEST_CASE(
    "cpp_float_bits: log at 0, infinity and NaN follows IEEE 754, with and without special "
    "instructions") {
  const float infinite = std::numeric_limits<float>::infinity();
  for (const char* name : {"log_ends", "log_special"}) {
    CHECK(all_are(results(name, 5, 0), -infinite));
    CHECK(all_are(results(name, 5, -0.0f), -infinite));
    CHECK(all_are(results(name, 5, infinite), infinite));
    CHECK(all_are(results(name, 5, -infinite), NAN));
    CHECK(all_are(results(name, 5, -1e-40f), NAN));
    CHECK(all_are(results(name, 5, NAN), NAN));
    CHECK(all_are(results(name, 5, 1e-40f), 5));
    CHECK(all_are(results(name, 0, 1), 0));
  }
}

TEST_CASE(
    "cpp_float_bits: exponent and fraction recombine to the number, also if it is subnormal") {
  std::string body;
  for (const char* how : {"of", "by_bits"}) {
    body += text("extern \"C\" void take_", how,
                 "(const float* x, float* n, float* m) { store_f32x16(n, ", "exponent_", how,
                 "_f32x16(load_f32x16(x))); store_f32x16(m, fraction_", how,
                 "_f32x16(load_f32x16(x))); }\n");
  }
  const Source source{Language::cpp, "", body, {}};
  const kernels::HostLibrary library(codegen::cpp_prelude({&source, 1}) + body);
  const float x[16] = {1,      1.4999999f, 1.5f,   0.75f,  0.74999994f, 2,     3,     1e30f,
                       1e-30f, 1e-38f,     1e-40f, 1e-45f, 0.1f,        1e38f, 65536, 7.25f};
  for (const char* how : {"take_of", "take_by_bits"}) {
    float n[16], m[16];
    reinterpret_cast<void (*)(const float*, float*, float*)>(library.symbol(how))(x, n, m);
    for (int i = 0; i < 16; ++i) {
      CHECK(m[i] >= 0.75f);
      CHECK(m[i] < 1.5f);
      CHECK(std::ldexp(m[i], static_cast<int>(n[i])) == x[i]);
    }
  }
}
