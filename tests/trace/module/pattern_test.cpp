#include <doctest/doctest.h>

#include <sinter/trace/module/pattern.hpp>

using namespace sinter::detail;

TEST_CASE("fits_pattern: stars and question marks") {
  CHECK(fits_pattern("encoder.*.norm", "encoder.layers.0.norm"));
  CHECK(fits_pattern("*", ""));
  CHECK(fits_pattern("*", "a.b"));
  CHECK(fits_pattern("a?c*", "abc"));
  CHECK(fits_pattern("*ab", "aab"));
  CHECK(fits_pattern("a*b*c", "a1b2b3c"));
  CHECK(fits_pattern("", ""));
  CHECK_FALSE(fits_pattern("", "a"));
  CHECK_FALSE(fits_pattern("a", ""));
  CHECK_FALSE(fits_pattern("encoder.*.norm", "encoder.norm"));
  CHECK_FALSE(fits_pattern("encoder.*.norm", "encoder.layers.0.norm2"));
  CHECK_FALSE(fits_pattern("a?c", "ac"));
}
