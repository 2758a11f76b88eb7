// Random programs that read on the host, again and again on the same lines, of tensors whose sizes
// change and are symbols or not: compiled calls give what plain ones give. SINTER_RANDOM_PROGRAMS
// says how many, SINTER_RANDOM_SEED which.

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "jit/support.hpp"

using namespace testing;

namespace {

// What a step does with the values x and y, which are vectors of small integers.
enum class Does {
  scale,
  mix,
  slice,
  join,
  outer_sum,
  filled,
  counted,
  sized,
  running,  // records
  read,
  list,
  branch,
  select,
  places,
  index,
  pause,  // ends a graph
  update,
  update_by_read,
  body,  // changes state; has a body
  count
};
constexpr const char* names[]{"scale",  "mix",     "slice",          "join",    "outer_sum",
                              "filled", "counted", "sized",          "running", "read",
                              "list",   "branch",  "select",         "places",  "index",
                              "pause",  "update",  "update_by_read", "body"};

struct Step {
  Does does{};
  std::size_t x = 0, y = 0;
};

enum class Marked { no, maybe, yes };

struct Program {
  unsigned seed = 0;
  std::vector<Step> steps{};
  std::vector<Marked> marks{};
  Vector<std::vector<std::int64_t>> calls{};  // the sizes of the arguments in each
  bool is_fused = false, is_closed = false;
};

constexpr std::size_t inputs = 3, states = 2;

struct State {
  Tensor first = zeros({3}), second = zeros({5});
};

float number_of(const Tensor& x) { return sum(x).item<float>(); }

float count_of(const Tensor& x) {
  float result = 0;
  for (const float element : x.to_vector<float>()) result += element > 1 ? 1.0f : 0.0f;
  return result;
}

// What is recorded and goes on being recorded.
Tensor recorded(Does does, const Tensor& x, const Tensor& y) {
  switch (does) {
    case Does::scale:
      return x * 2 + 1;
    case Does::mix:
      return x + sum(y);
    case Does::slice:
      return concatenate({x, y}, 0)[Slice{1, y.size(0) + 1}];
    case Does::join:
      return concatenate({y, flip(x, 0)}, 0)[Slice{0, {}, 2}];
    case Does::outer_sum:
      return sum(outer(x, y), 0);
    case Does::filled:
      return full({y.size(0)}, 2.0f) * sum(x);
    case Does::counted:
      return arange(Scalar(x.size(0))).to(f32) + sum(y);
    case Does::sized:
      return x * y.size(0);
    default:
      return cumsum(x, 0) - y.numel();
  }
}

// What ends the graph: all calls of it read on one of these lines.
Tensor interrupted(Does does, const Tensor& x, const Tensor& y) {
  switch (does) {
    case Does::read:
      return x + number_of(y);
    case Does::list:
      return x - count_of(y * 2);
    case Does::branch:
      return sum(y) > 3 ? x + 1 : x * 3;
    case Does::select:
      return masked_select(x + 1, x > 1) + sum(y);
    case Does::places:
      return nonzero(x)[{all, 0}].to(f32) + sum(y);
    case Does::index:
      return (y * 2)[y > 2];
    default:
      graph_break("a random program pauses");
      return x + sum(y);
  }
}

Tensor chosen_by_body(const Tensor& x, const Tensor& y) {
  return cond(
      sum(x) > 4, [&](const Tensor& v) { return v + sum(full({y.size(0)}, 1.0f)); },
      [&](const Tensor& v) { return v * 2; }, x);
}

Tensor result_of(const Step& step, const std::vector<Tensor>& values, Tensor& first,
                 Tensor& second) {
  const Tensor &x = values[step.x], &y = values[step.y];
  switch (step.does) {
    case Does::update:
      first = remainder(first + sum(x), 7);
      return y + sum(first);
    case Does::update_by_read:
      for (Tensor* const state : {&first, &second}) {
        *state = remainder(*state + number_of(x), 7);
      }
      return y + sum(second);
    case Does::body:
      return chosen_by_body(x, y);
    default:
      return step.does < Does::read ? recorded(step.does, x, y) : interrupted(step.does, x, y);
  }
}

// Numbers stay small integers, so that sums are exact in whatever order.
std::vector<Tensor> run(const Program& program, const std::vector<Tensor>& arguments, Tensor& first,
                        Tensor& second) {
  std::vector<Tensor> values = arguments;
  for (const Step& step : program.steps) {
    values.push_back(remainder(result_of(step, values, first, second), 7));
  }
  return {values.end() - 2, values.end()};
}

const Program* current = nullptr;  // of the function without captures

std::vector<Tensor> run_current(const std::vector<Tensor>& arguments, Tensor& first,
                                Tensor& second) {
  return run(*current, arguments, first, second);
}

Program drawn(unsigned seed) {
  std::mt19937 engine(seed);
  const auto below = [&](std::size_t count) { return engine() % count; };
  Program program{.seed = seed};
  program.is_fused = seed % 16 == 0, program.is_closed = seed % 2 == 0;
  const std::size_t length = 3 + below(6);
  for (std::size_t i = 0; i < length; ++i) {
    const auto does = static_cast<Does>(below(static_cast<std::size_t>(Does::count)));
    program.steps.push_back({does, below(inputs + i), below(inputs + i)});
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    program.marks.push_back(static_cast<Marked>(below(3)));
  }
  const std::int64_t sizes[]{0, 1, 2, 3, 4, 5, 7, 9, 16, 33, 60};
  for (int call = 0; call < 6; ++call) {
    auto& list = program.calls.emplace_back();
    const bool repeats = call > 0 && below(4) == 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      list.push_back(repeats ? program.calls[0][i] : sizes[below(11)]);
    }
  }
  return program;
}

std::vector<Tensor> arguments_of(const Program& program, std::size_t call) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < inputs; ++i) {
    Tensor x = remainder(arange(program.calls[call][i]) * 3 + static_cast<int>(i + call), 5);
    result.push_back(x.to(f32) + 0);
    if (program.marks[i] == Marked::yes) mark_dynamic(result.back(), 0);
    if (program.marks[i] == Marked::maybe) maybe_mark_dynamic(result.back(), 0);
  }
  return result;
}

std::string difference(const Tensor& found, const Tensor& expected) {
  if (!same(found.shape(), expected.shape())) return text(found, " for ", expected);
  const Numbers is = numbers(found), should = numbers(expected);
  return is == should ? "" : text(is, " for ", should);
}

// What is wrong with `compiled` calls of a program; empty if nothing is.
template <class F>
std::string mistake(const Program& program, F function) {
  const Backend backend = program.is_fused ? Backend::fused : Backend::aot_eager;
  const auto compiled = compile(function, {.backend = backend, .recompile_limit = 1000});
  State plain, kept;
  for (std::size_t call = 0; call < program.calls.size(); ++call) {
    const std::vector<Tensor> arguments = arguments_of(program, call);
    auto expected = function(arguments, plain.first, plain.second);
    auto found = compiled(arguments, kept.first, kept.second);
    expected.insert(expected.end(), {plain.first, plain.second});
    found.insert(found.end(), {kept.first, kept.second});
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string what = difference(found[i], expected[i]);
      if (!what.empty()) return text("call ", call, ", result ", i, ": ", what);
    }
  }
  return {};
}

std::string mistake(const Program& program) {
  current = &program;
  try {
    return program.is_closed ? mistake(program, run_current)
                             : mistake(program, [&](const std::vector<Tensor>& arguments,
                                                    Tensor& first, Tensor& second) {
                                 return run(program, arguments, first, second);
                               });
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string description(const Program& program) {
  std::string result = text("seed ", program.seed, ": ", mistake(program));
  for (const Step& step : program.steps) {
    result += text("\n  ", names[static_cast<int>(step.does)], " ", step.x, " ", step.y);
  }
  for (const auto& sizes : program.calls) result += text("\n  sizes ", sizes);
  return result;
}

// Without the steps and calls at the end that do not matter.
Program shrunk(Program program) {
  const auto shorten = [&](auto drop, std::size_t least, std::size_t size) {
    for (; size > least; --size) {
      Program shorter = program;
      drop(shorter);
      if (mistake(shorter).empty()) return;
      program = shorter;
    }
  };
  shorten([](Program& one) { one.steps.pop_back(); }, 1, program.steps.size());
  shorten([](Program& one) { one.calls.pop_back(); }, 1, program.calls.size());
  return program;
}

unsigned number_from(const char* variable, unsigned otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::atoi(text));
}

}  // namespace

TEST_CASE("break programs: compiled calls give what plain ones give, for sizes that change") {
  const unsigned count = number_from("SINTER_RANDOM_PROGRAMS", 300);
  const unsigned first = number_from("SINTER_RANDOM_SEED", 1) * 1000000;
  int mistakes = 0;
  const std::string log = said([&] {
    for (unsigned i = 0; i < count && mistakes < 5; ++i) {
      const Program program = drawn(first + i);
      if (mistake(program).empty()) continue;
      ++mistakes;
      FAIL_CHECK(description(shrunk(program)));
    }
  });
  CHECK(contains(log, "graph break"));
}
