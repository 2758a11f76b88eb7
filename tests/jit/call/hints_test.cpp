#include <doctest/doctest.h>
#include <sinter/jit/call/hints.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

const auto curve = [](const Tensor& x) {
  Tensor y = x;
  for (int i = 0; i < 6; ++i) y = tanh(y * 0.5f + 0.1f);
  return y;
};

// What is logged in five calls of `f`.
std::string hints_of(const auto& f, const Tensor& x) {
  const ScopedVariable logs("SINTER_LOGS", "perf");
  return said([&] {
    for (int i = 0; i < 5; ++i) f(x);
  });
}

}  // namespace

TEST_CASE("hints: an option that was tried and is faster is logged with the time that it saves") {
  const auto f = compile(curve, {.backend = Backend::eager, .name = "curve"});
  const std::string told = hints_of(f, randn({20'000}));
  INFO(told);
  CHECK(count(told, "curve at ") == 1);
  CHECK(contains(told, ".backend = Backend::fused would save "));
  CHECK(contains(told, " us of a call: tried with its arguments"));
}

TEST_CASE("hints: what is interpreted by name is tried compiled; hints are ranked") {
  const auto f = compile(curve, {.interpret = "tanh"});
  const std::string told = hints_of(f, randn({20'000}));
  INFO(told);
  CHECK(contains(told, "interpret left out would save "));
  std::vector<double> saved;
  for (auto at = told.find("save "); at != std::string::npos; at = told.find("save ", at + 1)) {
    saved.push_back(std::stod(told.substr(at + 5)));
  }
  CHECK(std::is_sorted(saved.rbegin(), saved.rend()));
}

TEST_CASE("hints: trials update no state and draw no random numbers") {
  const auto step = compile(
      [](Tensor& state) {
        state += 1.0f;
        return rand({2}) + state;
      },
      {.backend = Backend::eager});
  Tensor state = zeros({2});
  random::set_state({.seed = 3, .offset = 0});
  const ScopedVariable logs("SINTER_LOGS", "perf");
  said([&] {
    for (int i = 0; i < 5; ++i) step(state);
  });
  CHECK(near(state, {5, 5}));
  const std::int64_t drawn = random::state().offset;
  const ScopedVariable quiet("SINTER_LOGS", "");
  random::set_state({.seed = 3, .offset = 0});
  const auto again = compile(
      [](Tensor& x) {
        x += 1.0f;
        return rand({2}) + x;
      },
      {.backend = Backend::eager});
  for (int i = 0; i < 5; ++i) again(state);
  CHECK(random::state().offset == drawn);
}

TEST_CASE("hints: without SINTER_LOGS=perf nothing is tried") {
  const ScopedFreshCache fresh;
  const auto f = compile(curve, {.dynamic = Dynamic::on, .numerics = Numerics::strict});
  for (int i = 0; i < 5; ++i) f(ones({30}));
  CHECK(compile(curve, {.numerics = Numerics::fast}).stats().compiler_runs == 0);
  CHECK(f.stats().compiler_runs == 1);
}
