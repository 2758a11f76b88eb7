#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/window_writer.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

namespace {

class Parts final : codegen::WindowWriter {
 public:
  explicit Parts(const Convolution& of)
      : WindowWriter(codegen::weights_of(of.kernel, *of.windows, for_avx2()), *of.windows) {
    name_ = "k";
  }
  std::string images() {
    write_images([&] { out_.line("BODY"); });
    return out_.str();
  }
  std::string strip() {
    write_strip(all_planes());
    return out_.str();
  }
  std::string line(std::int64_t points) {
    write_line(points, "to", "window", "false");
    return out_.str();
  }
};

}  // namespace

TEST_CASE("window_writer: the strips of all images are one loop") {
  const std::string several = Parts(Convolution({2, 64, 64, 56, 3, 1, 1})).images();
  CHECK(contains(several, "const long b0 = b / 4"));  // 14 lines of 56 at a time
  CHECK(contains(several, "first = b % 4 * 14, last = least(first + 14, 56)"));
  const std::string one = Parts(Convolution({2, 64, 64, 14, 3, 1, 1})).images();
  CHECK(contains(one, "const long first = 0, last = 14;"));
  CHECK(in_order(one, "last = 14", "BODY"));
}

TEST_CASE("window_writer: a strip has all planes, and the lines that its windows need") {
  CHECK(contains(Parts(Convolution({2, 64, 64, 56, 3, 1, 1})).strip(),
                 "k_strip(buffers, sizes, strip, b0, 0, 64, first * 1, (last - 1) * 1 + 3);"));
}

TEST_CASE("window_writer: high tiles of a line come first") {
  const std::string line = Parts(Convolution({2, 64, 64, 56, 3, 1, 1})).line(56);
  CHECK(in_order(line, "for (long x = 0; x < 36; x += 6)", "k_tile6(to"));
  CHECK(in_order(line, "for (long x = 36; x < 56; x += 5)", "k_tile5(to"));
}
