// Random programs that look at sizes, compiled with sizes as numbers, as symbols once they vary,
// and marked: each compiled call gives the results of the eager program, or throws the same error.

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jit/support.hpp"
#include "sized_program.hpp"

using namespace testing;

namespace {

enum class Sizes { fixed, automatic, marked };

struct Outcome {
  std::optional<Tensor> value{};
  std::string error{};
};

template <class F>
Outcome outcome_of(F f) {
  try {
    const Tensor value = f();
    numbers(value);
    return {value, ""};
  } catch (const UserError& error) {
    return {std::nullopt, error.what()};
  }
}

// A recording refuses to broadcast or to fix a marked dimension.
bool is_refusal_of_mark(const std::string& error) {
  return contains(error, "marked") || contains(error, "dynamic");
}

// A description of the difference; empty if there is none.
std::string difference(const Outcome& found, const Outcome& expected, Sizes sizes) {
  if (!found.error.empty() && sizes == Sizes::marked && is_refusal_of_mark(found.error)) return "";
  if (found.error.empty() != expected.error.empty()) {
    return "compiled: " + found.error + "\nat once: " + expected.error;
  }
  if (!found.value) return "";
  if (!same(found.value->shape(), expected.value->shape())) {
    return text("shape ", found.value->shape(), " for ", expected.value->shape());
  }
  return near_tensor(*found.value, *expected.value, 1e-4) ? "" : "other numbers";
}

std::string check(unsigned seed, Sizes sizes, Backend backend) {
  const auto compiled =
      compile([](int s, const Tensor& x,
                 const Tensor& y) { return sized_program::run(static_cast<unsigned>(s), x, y); },
              {.backend = backend,
               .dynamic = sizes == Sizes::fixed ? Dynamic::off : Dynamic::automatic,
               .recompile_limit = 64});
  std::mt19937 engine(seed);
  const auto below = [&](unsigned count) { return static_cast<int>(engine() % count); };
  for (int call = 0; call < 7; ++call) {
    const int rows = below(6), columns = below(4) + 1, other = below(2) == 0 ? rows : below(6);
    Tensor x = counting({rows, columns}) - 2.0f, y = counting({other, columns}) * 0.5f;
    if (sizes == Sizes::marked) mark_dynamic(x, 0), mark_dynamic(y, 0);
    if (sizes == Sizes::marked && seed % 2 == 0) mark_dynamic(x, 1);
    const Outcome found = outcome_of([&] { return compiled(static_cast<int>(seed), x, y); });
    const Outcome expected = outcome_of([&] { return sized_program::run(seed, x, y); });
    const std::string wrong = difference(found, expected, sizes);
    if (wrong.empty()) continue;
    return text("seed ", seed, ", call ", call, " of [", rows, ", ", columns, "] and [", other,
                ", ", columns, "]: ", wrong);
  }
  return "";
}

// SINTER_TEST_PROGRAMS: how many, from SINTER_TEST_SEED on.
unsigned number_of(const char* variable, unsigned usual) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? usual : static_cast<unsigned>(std::atoi(text));
}

void check_all(Sizes sizes, Backend backend, unsigned usual) {
  const unsigned first = number_of("SINTER_TEST_SEED", 0);
  const unsigned programs = number_of("SINTER_TEST_PROGRAMS", usual);
  for (unsigned seed = first; seed < first + programs; ++seed) {
    CHECK(check(seed, sizes, backend) == "");
  }
}

}  // namespace

TEST_CASE("random size programs: compiled and eager agree with static sizes") {
  check_all(Sizes::fixed, Backend::aot_eager, 100);
}

TEST_CASE("random size programs: compiled and eager agree with varying sizes") {
  check_all(Sizes::automatic, Backend::aot_eager, 200);
}

TEST_CASE("random size programs: compiled and eager agree with marked sizes") {
  check_all(Sizes::marked, Backend::aot_eager, 200);
}

TEST_CASE("random size programs: fused and eager agree") {
  check_all(Sizes::marked, Backend::fused, 2);
}
