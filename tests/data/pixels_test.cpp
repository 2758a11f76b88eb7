#include "../trace/testing.hpp"

#include <sinter/data/pixels.hpp>

using namespace testing;
using data::detail::Access;
using data::detail::Pixels;

TEST_CASE("Pixels: the bytes of a row") {
  CHECK(Pixels{7, 5, 3}.row_bytes() == 21);
  CHECK(Pixels().row_bytes() == 0);
}

TEST_CASE("refuse_damaged, refuse_without: name the file, the reason and the way out") {
  const auto damaged = [](Where where) {
    const Access access{"data::read_image", "a/b.png", where};
    data::detail::refuse_damaged(access, "PNG", "CRC error");
  };
  const auto missing = [](Where where) {
    const Access access{"data::read_image", "a/b.png", where};
    data::detail::refuse_without(access, "libpng16", "no such file", "install it");
  };
  MISTAKE(IoError, damaged(Where::current()), "data::read_image: the PNG file is damaged",
          "a/b.png", "CRC error");
  MISTAKE(IoError, missing(Where::current()), "libpng16 is missing", "no such file", "install it");
}
