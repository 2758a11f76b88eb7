// test: deep cost=25
// Faults planted in what schedule and codegen give: random programs notice each.

#include <doctest/doctest.h>

#include <deque>
#include <optional>
#include <string>

#include "run.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace random_program;
using schedule::Code;
using schedule::Instruction;
using schedule::Kernel;

namespace {

/// Changes the first instruction of each kernel for which `change` gives true.
template <class Change>
void first(Kernel& kernel, Change change) {
  for (Instruction& instruction : kernel.instructions) {
    if (change(instruction)) return;
  }
}

void swap_operands(Kernel& kernel, Op op, std::size_t a, std::size_t b) {
  first(kernel, [&](Instruction& at) {
    const bool fits = at.code == Code::compute && at.op == op;
    if (fits) std::swap(at.operands[a], at.operands[b]);
    return fits;
  });
}

void exchange(Kernel& kernel, Code code, Op op, Op other) {
  first(kernel, [&](Instruction& at) {
    const bool fits = at.code == code && at.op == op;
    if (fits) at.op = other;
    return fits;
  });
}

void add_to_constant(Instruction& at) {
  if (is_floating(at.constant.dtype)) {
    at.constant = constant(at.constant.floating() + 1, at.constant.dtype);
  } else {
    at.constant = constant(at.constant.integer() ^ 1, at.constant.dtype);
  }
}

const Planted in_schedule[]{
    {.name = "the last row of the grid is left out",
     .kernel =
         [](Kernel& kernel) {
           if (!kernel.grid.empty()) kernel.grid[0].extent = kernel.grid[0].extent - 1;
         }},
    {.name = "the last element of a reduction is left out",
     .kernel =
         [](Kernel& kernel) {
           for (schedule::Stage& stage : kernel.stages) {
             if (!stage.loops.empty()) {
               stage.loops[0].extent = stage.loops[0].extent - 1;
               return;
             }
           }
         }},
    {.name = "a guard leaves out its first element",
     .kernel =
         [](Kernel& kernel) {
           first(kernel, [](Instruction& at) {
             if (at.guards.empty()) return false;
             at.guards[0].low = at.guards[0].low + 1;
             return true;
           });
         }},
    {.name = "a guard leaves out its last element",
     .kernel =
         [](Kernel& kernel) {
           first(kernel, [](Instruction& at) {
             if (at.guards.empty()) return false;
             at.guards[0].high = at.guards[0].high - 1;
             return true;
           });
         }},
    {.name = "what a pad puts around is another number",
     .kernel =
         [](Kernel& kernel) {
           first(kernel, [](Instruction& at) {
             if (at.code != Code::load || at.guards.empty()) return false;
             add_to_constant(at);
             return true;
           });
         }},
    {.name = "a constant is another number",
     .kernel =
         [](Kernel& kernel) {
           first(kernel, [](Instruction& at) {
             if (at.code == Code::constant) add_to_constant(at);
             return at.code == Code::constant;
           });
         }},
    {.name = "every load reads element 0",
     .kernel =
         [](Kernel& kernel) {
           for (Instruction& at : kernel.instructions) {
             if (at.code == Code::load && at.guards.empty()) at.index = 0;
           }
         }},
    {.name = "a position is one too far",
     .kernel =
         [](Kernel& kernel) {
           first(kernel, [](Instruction& at) {
             if (at.code == Code::index) at.index = at.index + 1;
             return at.code == Code::index;
           });
         }},
    {.name = "a random draw has another number",
     .kernel =
         [](Kernel& kernel) {
           first(kernel, [](Instruction& at) {
             if (at.code == Code::random) add_to_constant(at);
             return at.code == Code::random;
           });
         }},
    {.name = "scatter_add overwrites",
     .kernel =
         [](Kernel& kernel) {
           for (Instruction& at : kernel.instructions) at.accumulate = false;
         }},
    {.name = "a difference is turned around",
     .kernel = [](Kernel& kernel) { swap_operands(kernel, Op::sub, 0, 1); }},
    {.name = "select takes the other value",
     .kernel = [](Kernel& kernel) { swap_operands(kernel, Op::select, 1, 2); }},
    {.name = "lt is le",
     .kernel = [](Kernel& kernel) { exchange(kernel, Code::compute, Op::lt, Op::le); }},
    {.name = "a max is a min",
     .kernel = [](Kernel& kernel) { exchange(kernel, Code::reduce, Op::max, Op::min); }},
};

const Planted in_codegen[]{
    {.name = "maximum loses NaN",
     .printed = "((a > b) | (a != a)) ? a : b",
     .instead = "a > b ? a : b"},
    {.name = "lanes behind the end of a row count",
     .printed = "(int)lanes ? v : other",
     .instead = "(int)lanes ? v : v"},
    {.name = "a sum adds a lane twice", .printed = "(v[0] + v[1])", .instead = "(v[0] + v[0])"},
    {.name = "a single last element is left out",
     .printed = "if (i1 < ",
     .instead = "if (i1 + 1 < "},
    {.name = "exp takes another logarithm of 2",
     .printed = "0x1.62e4p-1f",
     .instead = "0x1.64e4p-1f"},
    {.name = "integers are divided towards zero",
     .printed = " - (a % b != 0 && (a < 0) != (b < 0))",
     .instead = ""},
    {.name = "a remainder has the sign of the dividend",
     .printed = "? rest + b : rest",
     .instead = "? rest : rest"},
    {.name = "shifts by less than nothing shift", .printed = "(b < 0) | ", .instead = ""},
    {.name = "NaN is the least integer", .printed = "v == v ? inside : none", .instead = "inside"},
    {.name = "the sign of 0 is 1", .printed = "-one : other", .instead = "-one : one"},
};

/// A program without a fault: all faults are planted in the same ones, which are planned once.
const Planned& clean(std::size_t number) {
  static random_program::Source source(7);
  static auto& programs = *new std::deque<Planned>;
  while (programs.size() <= number) programs.push_back(planned(source.next()));
  return programs[number];
}

std::string text_of(const Planned& one) {
  std::string result = prelude_of(one.unit);
  for (const ::sinter::detail::Source& kernel : one.unit.kernels) result += kernel.text;
  return result;
}

/// `before` with the fault; nothing if it has none: what is as before need not be compiled.
std::optional<Planned> with_fault(const Planned& before, const Planted& planted) {
  const std::string text = text_of(before);
  if (planted.kernel != nullptr) {
    Planned result = planned(before.program, planted);
    if (text_of(result) == text) return {};
    return result;
  }
  if (text.find(planted.printed) == std::string::npos) return {};
  Planned result = before;
  for (::sinter::detail::Source& kernel : result.unit.kernels) {
    plant(planted, kernel.text);
    kernel.key = Hasher().add(kernel.key).add(planted.name).result();
  }
  return result;
}

/// Whether a random program shows the fault.
bool is_noticed(const Planted& planted) {
  constexpr std::size_t most = 480;
  std::size_t count = 4;
  std::vector<Planned> programs;
  for (std::size_t i = 0; i < most; ++i) {
    std::optional<Planned> one = with_fault(clean(i), planted);
    if (one) programs.push_back(std::move(*one));
    if (programs.size() < count && i + 1 < most) continue;
    compile_all(programs, planted);
    for (const Planned& hit : programs) {
      if (!mistake(hit).empty()) return true;
    }
    programs.clear();
    count = std::min<std::size_t>(2 * count, 40);
  }
  return false;
}

}  // namespace

TEST_CASE("random programs: notice each fault planted in schedule") {
  for (const Planted& planted : in_schedule) {
    INFO(std::string(planted.name));
    CHECK(is_noticed(planted));
  }
}

TEST_CASE("random programs: notice each fault planted in codegen") {
  for (const Planted& planted : in_codegen) {
    INFO(std::string(planted.name));
    CHECK(is_noticed(planted));
  }
}
