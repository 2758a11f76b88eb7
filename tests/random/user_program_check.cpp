// Compiled functions give what plain ones do: calls of random programs with changing sizes.

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>

#include "jit/support.hpp"
#include "user_program_check.hpp"

using namespace testing;

namespace user_program {

namespace {

int number_from(const char* variable, int otherwise) {
  const char* const given = std::getenv(variable);
  return given == nullptr ? otherwise : std::atoi(given);
}

// How a program is compiled: all is derived from its seed.
struct Setting {
  bool reads, marks, captures, threads;
  CompileOptions options;
};

Setting setting_of(unsigned seed, Backend backend) {
  Setting result{seed % 2 == 0, seed % 3 == 0, seed % 5 == 0, seed % 11 == 0, {}};
  result.options.backend = backend;
  result.options.numerics = seed % 4 < 2 ? Numerics::strict : Numerics::fast;
  result.options.dynamic = seed % 7 == 0 ? Dynamic::on : Dynamic::automatic;
  return result;
}

std::vector<Tensor> arguments(int n, int m, unsigned seed) {
  random::manual_seed(seed);
  std::vector<Tensor> result{randn({n, 4}), randn({m, 4}), randn({n, m}), randn({n, 4})};
  for (Tensor& each : result) each = tanh(each), each.to_vector<float>();
  return result;
}

void mark(std::vector<Tensor>& list) {
  const DimRange any{.min = 1, .max = 64};
  for (const auto i : {0u, 1u, 2u, 3u}) mark_dynamic(list[i], 0, any);
  mark_dynamic(list[2], 1, any);
}

struct Outcome {
  std::vector<Tensor> results{};
  State state{};
  std::string error{};
};

template <class Call>
Outcome outcome_of(State& state, std::vector<Tensor> given, unsigned seed, Device device,
                   const Call& call) {
  const ScopedDevice scope(device);
  Outcome result;
  random::manual_seed(seed);
  try {
    result.results = call(state, given);
    for (const Tensor& each : result.results) each.to_vector<float>();
  } catch (const UserError& error) {
    result.error = error.what();
  }
  result.state = state;
  return result;
}

bool agree(const Tensor& found, const Tensor& expected, bool strict) {
  if (found.shape() != expected.shape()) return false;
  const auto a = flatten(found.to(cpu())).to_vector<float>(),
             b = flatten(expected).to_vector<float>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool near = std::abs(a[i] - b[i]) <= 2e-3f * (1 + std::abs(b[i]));
    if (!(near || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
  }
  return !strict || a == b ||
         std::any_of(b.begin(), b.end(), [](float v) { return std::isnan(v); });
}

std::string shown(const Tensor& x) {
  std::string result = text(to_string(x.shape()), " ");
  for (const float each : flatten(x.to(cpu())).to_vector<float>()) result += text(each, " ");
  return result;
}

std::string compared(const Outcome& found, const Outcome& expected, bool strict) {
  if (found.error != expected.error)
    return "error: " + found.error + "\nexpected: " + expected.error;
  for (std::size_t i = 0; i < expected.results.size(); ++i) {
    if (!agree(found.results[i], expected.results[i], strict)) {
      return text("result ", i, ":\n", shown(found.results[i]), "\nexpected:\n",
                  shown(expected.results[i]));
    }
  }
  if (!expected.error.empty()) return "";  // the plain one may have stopped half way
  if (!agree(found.state.average, expected.state.average, strict)) return "the state";
  return found.state.count.item<float>() == expected.state.count.item<float>() ? "" : "the count";
}

bool has(const Program& program, Kind kind) {
  return std::any_of(program.steps.begin(), program.steps.end(),
                     [kind](const Step& step) { return step.kind == kind; });
}

// The same without captures: what a call of it records is replayed by the next.
std::vector<Tensor> run_seed(State& state, const std::vector<Tensor>& given, int seed, bool reads) {
  return run(make(static_cast<unsigned>(seed), reads), state, given);
}

// The first call whose outcome differs, in words; nothing if all agree.
std::string mistake(unsigned seed, Backend backend, Device device) {
  const Setting setting = setting_of(seed, backend);
  const Program program = make(seed, setting.reads);
  const auto plain = [&](State& state, const std::vector<Tensor>& given) {
    return run(program, state, given);
  };
  const auto traced = compile(plain, setting.options);
  const auto replayed = compile(run_seed, setting.options);
  const auto compiled = [&](State& state, const std::vector<Tensor>& given) {
    if (setting.captures) return traced(state, given);
    return replayed(state, given, static_cast<int>(seed), setting.reads);
  };
  // Text of a shape has the number, which a mark does not allow.
  const bool marks = setting.marks && !has(program, Kind::shape_text);
  // What is compiled inside of a plain program is fused; functions of kernels have other last bits.
  const bool is_exact = backend == Backend::aot_eager &&
                        setting.options.numerics == Numerics::strict &&
                        !has(program, Kind::compiled) && !has(program, Kind::grad_of_compiled);
  State ours, theirs, others;
  nn::to(ours, device), nn::to(others, device);
  unsigned call = 0;
  for (const auto& [n, m] : {std::pair{4, 6}, {4, 6}, {7, 5}, {3, 3}, {9, 2}, {2, 11}, {4, 6}}) {
    const std::vector<Tensor> given = arguments(n, m, seed + call);
    std::vector<Tensor> passed = given;
    for (Tensor& each : passed) each = each.to(device);
    if (marks) mark(passed);
    Margin margin;
    State scratch = theirs;
    random::manual_seed(seed + call);
    try {
      run(program, scratch, given, &margin);
    } catch (const UserError&) {
    }
    const Outcome expected = outcome_of(theirs, given, seed + call, cpu(), plain);
    // All threads draw from one sequence.
    const bool threads = setting.threads && !program.draws;
    Outcome second = expected;
    std::thread beside([&] {
      if (threads) second = outcome_of(others, passed, seed + call, device, compiled);
    });
    const Outcome found = outcome_of(ours, passed, seed + call, device, compiled);
    beside.join();
    if (margin.least < 1e-3f) return "";  // rounding may decide otherwise
    std::string wrong = compared(found, expected, is_exact);
    if (wrong.empty()) wrong = compared(second, expected, is_exact);
    if (!wrong.empty()) {
      return text(to_string(program), "call ", call, " of sizes ", n, ", ", m,
                  threads ? ", two threads: " : ": ", wrong);
    }
    ++call;
  }
  return "";
}

}  // namespace

void check_all(const char* title, Backend backend, Device device, int count, int first) {
  INFO(title);
  count = number_from("SINTER_RANDOM_PROGRAMS", count);
  first = number_from("SINTER_RANDOM_SEED", first);
  for (int i = 0, mistakes = 0; i < count && mistakes < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const std::string wrong = mistake(static_cast<unsigned>(first + i), backend, device);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    CHECK_MESSAGE(wrong.empty(), wrong);
    CHECK_MESSAGE(taken.count() < 60, "seed ", first + i);
    mistakes += wrong.empty() ? 0 : 1;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 4 * 1024 * 1024);  // KiB
}

}  // namespace user_program
