#include <doctest/doctest.h>
#include <sinter/base/philox.hpp>
#include <sinter/codegen/cpp/prelude/random.hpp>

#include <array>
#include <bit>
#include <string>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

constexpr std::array<int, 5> widths{2, 4, 8, 16, 32};
constexpr long seed = 0x1234567890abcdef, offset = 0x7fffffff00000005;

const kernels::HostLibrary& library() {
  static const auto& result = *new kernels::HostLibrary([] {
    std::string body = R"(
extern "C" int bit(long seed, long offset, unsigned number, long at) {
  return random_i32(seed, offset, number, at);
}
)";
    for (const int width : widths) {
      const std::string lanes = std::to_string(width);
      const auto add = [&](const std::string& name, const std::string& words) {
        body += R"(extern "C" void )" + name + lanes +
                "(long seed, long offset, unsigned number, long first, int* y) {\n  store_i32x" +
                lanes + "(y, " + words + ");\n}\n";
      };
      add("step",
          "random_i32x" + lanes + "(seed, offset, number, range_i64x" + lanes + "(first, 3))");
      if (width > 2) add("run", "random_run_i32x" + lanes + "(seed, offset, number, first)");
    }
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }());
  return result;
}

std::int32_t expected(long position) {
  const auto at = static_cast<std::uint64_t>(position);
  const PhiloxCounter words =
      random_words(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(offset), 9, at / 4);
  return std::bit_cast<std::int32_t>(words[at % 4]);
}

void check(const std::string& name, int width, long first, long step) {
  using Function = void (*)(long, long, unsigned, long, std::int32_t*);
  const std::string function = name + std::to_string(width);
  INFO(function << " from " << first);
  std::int32_t y[32]{};
  reinterpret_cast<Function>(library().symbol(function))(seed, offset, 9, first, y);
  for (int i = 0; i < width; ++i) CHECK(y[i] == expected(first + i * step));
}

}  // namespace

TEST_CASE("cpp_random: runs and steps of positions have the bits of the library") {
  for (const long first : {0l, 1l, 18l, 4l * 77 + 3, (1l << 34) - 7, (1l << 34) - 8}) {
    for (const int width : widths) {
      if (width > 2) check("run", width, first, 1);
      check("step", width, first, 3);
    }
  }
}

TEST_CASE("cpp_random: one position has the bits of the library") {
  using Function = std::int32_t (*)(long, long, unsigned, long);
  const auto bit = reinterpret_cast<Function>(library().symbol("bit"));
  for (const long at : {0l, 5l, (1l << 34) + 2}) CHECK(bit(seed, offset, 9, at) == expected(at));
}
