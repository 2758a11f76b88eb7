#include <doctest/doctest.h>
#include <sinter/base/error.hpp>

#include <concepts>
#include <stdexcept>
#include <string>

using namespace sinter;
using namespace sinter::detail;

namespace {

template <class... Errors>
constexpr bool all_user_errors = (std::derived_from<Errors, UserError> && ...);

}  // namespace

TEST_CASE("report: leaves out the parts that are empty") {
  CHECK(to_string(Report{.op = "exp", .what = "no value"}) == "exp: no value");
}

TEST_CASE("report: the parts stand in a fixed order, their values in one column") {
  const Report report{.op = "matmul",
                      .what = "inner extents differ",
                      .facts = {{"lhs", "f32[64, 128]"}, {"rhs", "f32[10, 128]"}},
                      .rule = "lhs.shape[1] == rhs.shape[0]",
                      .fix = "transpose one operand",
                      .where = Where::current(),
                      .see = "matmul"};
  const std::string line = to_string(report.where);

  CHECK(to_string(report) ==
        "matmul: inner extents differ\n"
        "  lhs   f32[64, 128]\n"
        "  rhs   f32[10, 128]\n"
        "  rule  lhs.shape[1] == rhs.shape[0]\n"
        "  fix   transpose one operand\n"
        "  at    " +
            line +
            "\n"
            "  see   docs/errors.md#matmul");
}

TEST_CASE("report: a long label still leaves a gap") {
  const Report report{.op = "sum", .what = "no such axis", .facts = {{"available", "0, 1"}}};
  CHECK(to_string(report) == "sum: no such axis\n  available 0, 1");
}

TEST_CASE("user error: carries the report's text and place, as a runtime_error") {
  const auto line = __LINE__ + 1;
  const ShapeError error({.op = "add", .what = "differ", .where = Where::current()});
  const std::runtime_error& base = error;
  CHECK(std::string(base.what()) == "add: differ\n  at    " + to_string(error.where()));
  CHECK(error.where().line() == line);
}

TEST_CASE("user error: every kind of the public surface is one") {
  CHECK(all_user_errors<ShapeError, DTypeError, DeviceError, IndexError, ValueError, GradientError,
                        GraphBreakError, RecompileLimitError, ConstraintError, IoError,
                        CompilerError>);
}

TEST_CASE("internal error: is no user error, and says how to report it") {
  const InternalError error("graph: node 3 reads node 5");
  const std::string what = error.what();
  CHECK(what.rfind("internal error: graph: node 3 reads node 5\n", 0) == 0);
  CHECK(what.find("SINTER_DUMP") != std::string::npos);
  CHECK_FALSE(std::derived_from<InternalError, UserError>);
  CHECK_FALSE(std::derived_from<InternalError, std::runtime_error>);
}
