#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/base/fault.hpp>
#include <sinter/runtime/interpreter/data_error.hpp>

#include <string>

#include "message_of.hpp"

using namespace sinter;
using namespace sinter::detail;

TEST_CASE(
    "data_error: an index out of range names the operation, the index, its position and the line") {
  const Where here = Where::current();
  try {
    runtime::throw_out_of_range(Op::gather, -7, 5, 12, here);
  } catch (const IndexError& error) {
    CHECK(error.what() == text("gather: index out of range\n"
                               "  index -7, at the row-major position 12\n"
                               "  bound 5\n"
                               "  rule  -5 <= index < 5\n"
                               "  fix   check how the indices are computed; a loss uses classes as "
                               "indices\n"
                               "  at    ",
                               to_string(here), "\n  see   docs/errors.md#indexing"));
  }
  try {
    runtime::throw_out_of_range(Op::gather, -1 - refused_index, 3, 2, here);
  } catch (const IndexError& error) {
    const std::string report = error.what();
    CHECK(report.find("index -1, at the row-major position 2") != report.npos);
    CHECK(report.find("rule  0 <= index < 3") != report.npos);
  }
  CHECK_THROWS_AS(runtime::throw_out_of_range(Op::scatter_add, 1, 0, 0, here), IndexError);
}

TEST_CASE("data_error: a division by zero names the operation, the element, the line and a fix") {
  const Where here = Where::current();
  try {
    runtime::throw_division_by_zero(Op::remainder, i32, 3, here);
  } catch (const ValueError& error) {
    CHECK(error.what() == text("remainder: integer division by zero\n"
                               "  rhs   0 at the row-major position 3, dtype i32\n"
                               "  rule  rhs != 0\n"
                               "  fix   divide by where(rhs == 0, 1, rhs), or by a floating dtype\n"
                               "  at    ",
                               to_string(here)));
  }
  CHECK_THROWS_AS(runtime::throw_division_by_zero(Op::floor_divide, u8, 0, here), ValueError);
}

TEST_CASE("data_error: the error names the operation, the argument and what it did") {
  const auto message = [](bool is_operand, bool outside) {
    return errors::message_of<ValueError>(
        [&] { runtime::throw_custom_wrote("test::f", is_operand, 2, outside, Where::current()); });
  };
  CHECK(message(true, false).find("writes to an operand") != std::string::npos);
  CHECK(message(true, false).find("operand 2") != std::string::npos);
  CHECK(message(false, true).find("outside of its memory") != std::string::npos);
  CHECK(message(false, true).find("result 2") != std::string::npos);
  CHECK(message(false, true).find("test::f") != std::string::npos);
}
