#include <doctest/doctest.h>
#include <sinter/base/half.hpp>
#include <sinter/codegen/cpp/prelude/half.hpp>

#include <bit>
#include <cmath>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

const HostLibrary& library() {
  static const auto& result = *new HostLibrary([] {
    std::string body;
    for (const int lanes : {4, 8, 16}) {
      const std::string f = text("f32x", lanes), u = text("u16x", lanes), n = text(lanes);
      body +=
          text("extern \"C\" void narrow_", n, "(const float* x, unsigned short* y) {\n  store_", u,
               "(y, f16_of_", f, "(load_", f, "(x)));\n}\nextern \"C\" void widen_", n,
               "(const unsigned short* x, float* y) {\n  store_", f, "(y, f32_of_f16x", n, "(load_",
               u, "(x)));\n}\n");
    }
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }());
  return result;
}

}  // namespace

TEST_CASE("cpp_half: a vector of f32 becomes the f16 that the conversion of one number gives") {
  using Narrow = void (*)(const float*, std::uint16_t*);
  for (const int lanes : {4, 8, 16}) {
    const auto narrow = reinterpret_cast<Narrow>(library().symbol(text("narrow_", lanes)));
    float x[16];
    std::uint16_t y[16];
    int different = 0;
    for (std::uint32_t step = 0; step < 1u << 18; step += 16) {
      for (std::uint32_t i = 0; i < 16; ++i) {
        x[i] = std::bit_cast<float>((step + i) * 16381u);
      }
      for (int i = 0; i < 16; i += lanes) narrow(x + i, y + i);
      for (int i = 0; i < 16; ++i) different += std::bit_cast<std::uint16_t>(half(x[i])) != y[i];
    }
    CHECK(different == 0);
  }
}

TEST_CASE("cpp_half: a vector of f16 becomes the same numbers, and NaN stay NaN") {
  using Widen = void (*)(const std::uint16_t*, float*);
  for (const int lanes : {4, 8, 16}) {
    const auto widen = reinterpret_cast<Widen>(library().symbol(text("widen_", lanes)));
    int different = 0;
    for (int first = 0; first < 1 << 16; first += lanes) {
      std::uint16_t x[16];
      float y[16];
      for (int i = 0; i < lanes; ++i) x[i] = static_cast<std::uint16_t>(first + i);
      widen(x, y);
      for (int i = 0; i < lanes; ++i) {
        const auto wanted = static_cast<float>(std::bit_cast<half>(x[i]));
        const bool same =
            std::bit_cast<std::uint32_t>(wanted) == std::bit_cast<std::uint32_t>(y[i]);
        different += !same && !(std::isnan(wanted) && std::isnan(y[i]));
      }
    }
    CHECK(different == 0);
  }
}
