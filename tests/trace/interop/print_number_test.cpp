#include "testing.hpp"

#include <sinter/trace/interop/print_number.hpp>

using namespace testing;

TEST_CASE("FloatFormat: has an exponent where sizes differ much, or digits are not exact") {
  CHECK(FloatFormat<double>({0.5, 100})(0.5) == "  0.5");
  CHECK(FloatFormat<double>({0.5, 1000})(0.5) == "5.e-01");
  CHECK(FloatFormat<double>({0.5, 1000})(1000) == "1.e+03");
  CHECK(FloatFormat<double>({1e7})(1e7) == "10000000.");
  CHECK(FloatFormat<float>({1e7f})(1e7f) == "1.e+07");
  CHECK(FloatFormat<double>({1e-5})(1e-5) == "1.e-05");
}

TEST_CASE("FloatFormat: writes at most 8 digits behind the point") {
  CHECK(FloatFormat<double>({1.0 / 3})(1.0 / 3) == "0.33333333");
  CHECK(FloatFormat<float>({0.1f})(0.1f) == "0.1");
  CHECK(FloatFormat<half>({half(0.1f)})(half(0.1f)) == "0.1");
  CHECK(FloatFormat<bfloat16>({bfloat16(3.14f)})(bfloat16(3.14f)) == "3.14");
}

TEST_CASE("PlainFormat: fills columns on the left") {
  CHECK(PlainFormat<std::int64_t>({-10, 5})(5) == "  5");
  CHECK(PlainFormat<bool>({true})(true) == " True");
}

TEST_CASE("format_one: writes a number by itself") {
  CHECK(format_one(1.0f) == "1.0");
  CHECK(format_one(1e20) == "1e+20");
  CHECK(format_one(-infinity) == "-inf");
  CHECK(format_one(std::uint8_t{200}) == "200");
}
