// In tests that are moved to a GPU, near() and alike() record the expected values. When the test
// case ends, one program computes all of them, instead of one program per check.

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

#include "trace/testing.hpp"

namespace testing {

namespace {

struct Noted {
  Tensor found;
  Expected expected;
  double tolerance;
  Where where;
};

std::vector<Noted>& noted() {
  static std::vector<Noted> result;
  return result;
}

// Evaluated values are compared at once, and so are values that may not be read later.
bool note(const Tensor& found, const Expected& expected, double tolerance, Where where) {
  if (is_recording() || current_body != 0) return false;
  if (!found.defined() || found.device().is_cpu()) return false;
  if (target_of(found.lazy().get())->is_ready) return false;
  noted().push_back({found, expected, tolerance, where});
  return true;
}

// Pending values are evaluated together. If the data has faults, they are evaluated one by one.
void compute_noted() {
  std::vector<Tensor> nothing;
  for (const Noted& one : noted()) {
    for (const Tensor& x : {one.found, one.expected.tensor}) {
      const bool is_there = x.defined() && x.device().is_cuda();
      if (is_there) nothing.push_back(slice(reshape(x, {-1}), 0, 0, 0).to(f32));
    }
  }
  try {
    if (!nothing.empty()) evaluate(concatenate(nothing));
  } catch (const std::exception&) {
  }
}

std::string mistake(const Noted& one) {
  try {
    const Tensor& like = one.expected.tensor;
    const Numbers values = numbers(one.found),
                  expected = like.defined() ? numbers(like) : one.expected.numbers;
    if (near(values, expected, one.tolerance)) return "";
    return text("found ", text(values), ", expected ", text(expected));
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::vector<std::string> mistakes() {
  compute_noted();
  std::vector<std::string> result;
  for (const Noted& one : noted()) {
    const std::string what = mistake(one);
    if (!what.empty()) result.push_back(text(to_string(one.where), ": ", what));
  }
  noted().clear();
  return result;
}

const bool is_registered = [] {
  if (!sinter_test::on_gpu()) return false;
  sinter_test::checks_at_end().push_back(mistakes);
  is_checked_later = note;
  return true;
}();

}  // namespace

}  // namespace testing
