#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/winograd.hpp>

#include <cmath>
#include <vector>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

using Numbers = std::vector<float>;

float number(std::size_t i) { return static_cast<float>(i * 7 % 11) - 5; }

Numbers numbers(long count) {
  Numbers result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = number(i);
  return result;
}

struct Transforms {
  explicit Transforms(int lanes) : library(source(text("f32x", lanes))) {}

  static std::string source(const std::string& type) {
    const std::string body =
        "extern \"C\" void weights(float* to, const float* from, long planes, long pitch) {\n"
        "  winograd_weights_" +
        type +
        "(to, from, planes, pitch);\n}\n"
        "extern \"C\" void input(float* to, long apart, const float* plane, long width,\n"
        "                        long lines, long across) {\n"
        "  winograd_input_" +
        type +
        "(to, apart, plane, width, lines, across);\n}\n"
        "extern \"C\" void points(float* sums, const float* products, long apart, long lines,\n"
        "                       long points, long pitch) {\n"
        "  winograd_output_" +
        type + "(sums, products, apart, lines, points, pitch);\n}\n";
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }

  // The convolution of a plane of `lines` + 2 by `points` + 2 numbers with 3 by 3 weights of each
  // of `pitch` channels.
  Numbers convolution(const Numbers& plane, const Numbers& weights, long lines, long points,
                      long pitch) const {
    const long across = (points + 1) / 2, down = (lines + 1) / 2, all = across * down;
    Numbers panel(static_cast<std::size_t>(16 * pitch)), tiles(static_cast<std::size_t>(16 * all));
    Numbers products(static_cast<std::size_t>(16 * all * pitch));
    Numbers sums(static_cast<std::size_t>(lines * points * pitch));
    const auto call = [&](const char* name) { return library.symbol(name); };
    reinterpret_cast<void (*)(float*, const float*, long, long)>(call("weights"))(
        panel.data(), weights.data(), 1, pitch);
    reinterpret_cast<void (*)(float*, long, const float*, long, long, long)>(call("input"))(
        tiles.data(), all, plane.data(), points + 2, down, across);
    for (std::size_t i = 0; i < products.size(); ++i) {
      const std::size_t wide = static_cast<std::size_t>(pitch), tile = i / wide;
      products[i] = tiles[tile] * panel[tile / static_cast<std::size_t>(all) * wide + i % wide];
    }
    reinterpret_cast<void (*)(float*, const float*, long, long, long, long)>(call("points"))(
        sums.data(), products.data(), all * pitch, lines, points, pitch);
    return sums;
  }

  HostLibrary library;
};

void check_convolution(const Transforms& transforms, long lines, long points, long pitch) {
  INFO(lines, " lines of ", points, " points, ", pitch, " channels");
  const Numbers plane = numbers((lines + 3) * (points + 2) + 128), weights = numbers(9 * pitch);
  const Numbers found = transforms.convolution(plane, weights, lines, points, pitch);
  float distance = 0;
  for (long at = 0; at < lines * points * pitch; ++at) {
    const long y = at / pitch / points, x = at / pitch % points;
    float sum = 0;
    for (long k = 0; k < 9; ++k) {
      const long from = (y + k / 3) * (points + 2) + x + k % 3;
      sum += plane[static_cast<std::size_t>(from)] *
             weights[static_cast<std::size_t>(k * pitch + at % pitch)];
    }
    distance = std::max(distance, std::fabs(sum - found[static_cast<std::size_t>(at)]));
  }
  CHECK(distance < 1e-3f);
}

}  // namespace

TEST_CASE("cpp_winograd: transformed tiles and weights multiply to convolutions") {
  for (const int lanes : {4, 8, 16}) {
    const Transforms transforms(lanes);
    for (const long points : {2, 3, 14, 15, 16, 29, 66}) {
      for (const long lines : {2, 5}) check_convolution(transforms, lines, points, 2 * lanes);
    }
  }
}
