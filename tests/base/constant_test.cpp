#include <doctest/doctest.h>
#include <sinter/base/constant.hpp>

#include <cmath>
#include <limits>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("constant: holds every i64, which a double does not") {
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  CHECK(constant(odd).integer() == odd);
  CHECK(constant(std::numeric_limits<std::int64_t>::min()).integer() ==
        std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("constant: a number of the program takes the widest dtype of its kind") {
  CHECK(constant(true).dtype == boolean);
  CHECK(constant(3).dtype == i64);
  CHECK(constant(3u).dtype == i64);
  CHECK(constant(0.5f).dtype == f64);
}

TEST_CASE("constant: is rounded to its dtype") {
  CHECK(constant(0.1, f32).floating() == static_cast<double>(0.1f));
  CHECK(constant(1.0 + 0x1p-12, f16).floating() == 1.0);
  CHECK(constant(257.0, bf16).floating() == 256.0);
  CHECK(constant(0.1, f64).floating() == 0.1);
}

TEST_CASE("constant: narrow numbers are those of the widest type of their kind") {
  CHECK(constant(std::int8_t{-3}, i32) == constant(std::int64_t{-3}, i32));
  CHECK(constant(std::uint32_t{4294967295u}, f64) == constant(4294967295.0, f64));
  CHECK(constant(0.1f, f32) == constant(static_cast<double>(0.1f), f32));
  CHECK(constant(half(0.5f), f64) == constant(0.5, f64));
  CHECK(constant(std::uint64_t{18446744073709551615u}, f64).floating() == 18446744073709551615.0);
}

TEST_CASE("cast: integers wrap") {
  CHECK(cast(constant(300), u8).integer() == 44);
  CHECK(cast(constant(-1), u8).integer() == 255);
  CHECK(cast(constant(200), i8).integer() == -56);
  CHECK(cast(constant(std::int64_t{1} << 32), i32).integer() == 0);
}

TEST_CASE("cast: floating to integer truncates, saturates, and takes NaN to 0") {
  CHECK(cast(constant(-2.9), i32).integer() == -2);
  CHECK(cast(constant(1e30), i32).integer() == std::numeric_limits<std::int32_t>::max());
  CHECK(cast(constant(-1e30), i64).integer() == std::numeric_limits<std::int64_t>::min());
  CHECK(cast(constant(1e30), i64).integer() == std::numeric_limits<std::int64_t>::max());
  CHECK(cast(constant(-3.0), u8).integer() == 0);
  CHECK(cast(constant(std::nan("")), i16).integer() == 0);
}

TEST_CASE("cast: to boolean asks whether the number is zero; NaN is not") {
  CHECK(cast(constant(0.25), boolean).integer() == 1);
  CHECK(cast(constant(-0.0), boolean).integer() == 0);
  CHECK(cast(constant(256), boolean).integer() == 1);
  CHECK(cast(constant(std::nan("")), boolean).integer() == 1);
}

TEST_CASE("constant: equality is that of the bits, so that 0 and -0 are kept apart") {
  CHECK(constant(0.0) == constant(0.0));
  CHECK_FALSE(constant(0.0) == constant(-0.0));
  CHECK_FALSE(constant(1) == constant(1.0));
}

TEST_CASE("constant: prints the shortest decimal that reads back as the same number") {
  CHECK(to_string(constant(0.1, f32)) == "0.1");
  CHECK(to_string(constant(0.1f)) == "0.10000000149011612");
  CHECK(to_string(constant(-7)) == "-7");
  CHECK(to_string(constant(false)) == "false");
  CHECK(to_string(constant(-std::numeric_limits<double>::infinity())) == "-inf");
}
