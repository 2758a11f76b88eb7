#pragma once
// Helpers shared by tests of tensors: tensors from numbers, numbers from tensors, expected errors.

#include <doctest/doctest.h>
#include <sinter/jit/eager/evaluator.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "trace/shared.hpp"

namespace testing {

using namespace sinter;
using namespace sinter::detail;

using Numbers = std::vector<double>;

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

/// An f32 tensor of these numbers, row by row.
inline Tensor tensor(const std::vector<float>& numbers, const Shape& shape) {
  return from_vector(numbers, shape);
}
inline Tensor vector(const std::vector<float>& numbers) {
  return from_vector(numbers, {numbers.size()});
}
inline Tensor integers(const std::vector<std::int64_t>& numbers) {
  return from_vector(numbers, {numbers.size()});
}
/// 0, 1, 2, ... in f32.
inline Tensor counting(const Shape& shape) {
  std::vector<float> numbers(static_cast<std::size_t>(numel(shape).number()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  return from_vector(numbers, shape);
}

/// The elements of `x`, which the host makes f64 of: a GPU would compile a kernel for it.
inline Numbers numbers(const Tensor& x) { return x.to(cpu()).to(f64).to_vector<double>(); }

/// All numbers within `tolerance`, relative to the larger of 1 and the expected one; NaN is NaN.
inline bool near(const Numbers& values, const Numbers& expected, double tolerance) {
  bool result = values.size() == expected.size();
  for (std::size_t i = 0; result && i < values.size(); ++i) {
    if (std::isnan(expected[i]) || std::isinf(expected[i])) {
      result = std::isnan(expected[i]) ? std::isnan(values[i]) : values[i] == expected[i];
    } else {
      const double scale = std::fmax(1, std::fabs(expected[i]));
      result = std::fabs(values[i] - expected[i]) <= tolerance * scale;
    }
  }
  return result;
}

/// What a value has to be: numbers, or those of another value.
struct Expected {
  Numbers numbers{};
  Tensor tensor{};
};

/// True if near() and alike() leave this to the end of the test case: see batched_checks.cpp,
/// which sets it where a folder is moved to a GPU.
inline bool (*is_checked_later)(const Tensor&, const Expected&, double, Where) = nullptr;

/// The numbers of `found` are near those that are expected.
inline bool near(const Tensor& found, const Numbers& expected, double tolerance = 1e-6,
                 Where where = Where::current()) {
  if (is_checked_later && is_checked_later(found, {expected}, tolerance, where)) return true;
  const Numbers values = numbers(found);
  const bool result = near(values, expected, tolerance);
  if (!result) MESSAGE("found " << text(values) << ", expected " << text(expected));
  return result;
}

/// The numbers of `found` are near those of `expected`.
inline bool alike(const Tensor& found, const Tensor& expected, double tolerance = 1e-6,
                  Where where = Where::current()) {
  if (is_checked_later && is_checked_later(found, {{}, expected}, tolerance, where)) return true;
  return near(found, numbers(expected), tolerance, where);
}

/// Runs `body`, which has to throw an error of exactly the kind `Error` that names this line, every
/// one of `parts`, a rule and a way out.
template <class Error, class Body>
void expect_mistake(Body body, const std::vector<std::string>& parts, unsigned line,
                    const std::string& file) {
  try {
    body();
    FAIL_CHECK("nothing was thrown in line " << line);
  } catch (const UserError& error) {
    const std::string report = error.what();
    INFO(report);
    CHECK(typeid(error) == typeid(Error));
    CHECK(error.where().line() == line);
    CHECK(std::string(error.where().file_name()) == file);
    CHECK(report.find("\n  rule  ") != std::string::npos);
    CHECK(report.find("\n  fix   ") != std::string::npos);
    for (const std::string& part : parts) {
      INFO(part);
      CHECK(report.find(part) != std::string::npos);
    }
  }
}

}  // namespace testing

/// MISTAKE(ShapeError, a + b, "f32[3, 4]", "f32[5, 4]"): on one line.
#define MISTAKE(Error, expression, ...)                                                           \
  testing::expect_mistake<Error>([&] { static_cast<void>(expression); }, {__VA_ARGS__}, __LINE__, \
                                 __FILE__)
