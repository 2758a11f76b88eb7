// How programs in the language of users are drawn, run and written.

#include "user_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace user_program {

namespace {

constexpr std::array names{"unary",         "binary",
                           "row",           "reduction",
                           "slice",         "chunk",
                           "single",        "product",
                           "concatenation", "reshape",
                           "choice",        "order",
                           "index",         "pool",
                           "broadcast",     "shape_check",
                           "shape_text",    "size",
                           "number",        "draw",
                           "read",          "branch_on_read",
                           "masked_sum",    "count_nonzero",
                           "boolean_index", "vector_read",
                           "written_back",  "counted",
                           "loop_until",    "grad_of_read",
                           "loop",          "state",
                           "grad",          "second_grad",
                           "third_grad",    "vjp",
                           "jvp",           "checkpointed",
                           "compiled",      "grad_of_compiled",
                           "vmap",          "cond",
                           "scan"};
static_assert(names.size() == static_cast<std::size_t>(Kind::count));

// Draws the steps of a program, one after another.
class Maker {
 public:
  Maker(unsigned seed, bool reads) : random_(seed), reads_(reads) {
    program_.seed = seed;
    program_.types = {{"n", "4"}, {"m", "4"}, {"n", "m"}, {"n", "4"}};
  }

  Program make() {
    const int steps = 3 + below(8);
    while (static_cast<int>(program_.steps.size()) < steps) try_step();
    return program_;
  }

 private:
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::size_t any() {
    return static_cast<std::size_t>(below(static_cast<int>(program_.types.size())));
  }

  void try_step() {
    const auto kind = static_cast<Kind>(below(static_cast<int>(Kind::count)));
    if (is_read(kind) && !reads_) return;
    const Step step{kind, any(), any(), static_cast<unsigned>(random_())};
    const Axes *x = &program_.types[step.x], *y = &program_.types[step.y];
    Axes result;
    if (!type_of(step, *x, *y, result)) return;
    program_.draws |= kind == Kind::draw;
    program_.steps.push_back(step);
    program_.types.push_back(result);
  }

  // The axes of the result; false if the step does not fit its operands.
  static bool type_of(const Step& step, const Axes& x, const Axes& y, Axes& result) {
    result = x;
    switch (step.kind) {
      case Kind::binary:
      case Kind::choice:
      case Kind::grad:
      case Kind::second_grad:
      case Kind::third_grad:
      case Kind::vjp:
      case Kind::jvp:
      case Kind::checkpointed:
      case Kind::compiled:
      case Kind::grad_of_compiled:
      case Kind::cond:
        return x == y;
      case Kind::row:
      case Kind::pool:
      case Kind::vmap:
      case Kind::scan:
        return x.size() == 2;
      case Kind::order:
      case Kind::index:
        return !x.empty();
      case Kind::broadcast:
        return x.size() == 2 && y.size() == 1 && x[1] == y[0];
      case Kind::state:
        return x.size() == 2 && x[1] == "4";
      default:
        return moved_type(step, x, y, result);
    }
  }

  static bool moved_type(const Step& step, const Axes& x, const Axes& y, Axes& result) {
    const std::size_t axis = x.empty() ? 0 : step.seed % x.size();
    switch (step.kind) {
      case Kind::reduction:
      case Kind::single:
        if (x.empty()) return false;
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(axis));
        return true;
      case Kind::slice:
      case Kind::chunk:
        if (x.empty() || x[axis] == "1" || x[axis].size() > 6) return false;
        result[axis] = (step.kind == Kind::slice ? "s" : "c") + x[axis];
        return true;
      case Kind::product:
        if (x.size() != 2 || y.size() != 2 || x[1] != y[1]) return false;
        result = {x[0], y[0]};
        return true;
      case Kind::concatenation:
        if (x.size() != 2 || y.size() != 2 || x[1] != y[1] || x[0].size() > 6) return false;
        result[0] = "(" + x[0] + y[0] + ")";
        return true;
      case Kind::reshape:
        if (x.size() != 2 || x[0].size() > 6) return false;
        result = {"(" + x[0] + "*" + x[1] + ")"};
        return true;
      default:
        return true;
    }
  }

  std::mt19937 random_;
  bool reads_;
  Program program_{};
};

}  // namespace

Program make(unsigned seed, bool reads) { return Maker(seed, reads).make(); }

std::vector<Tensor> run(const Program& program, State& state, const std::vector<Tensor>& given,
                        Margin* margin) {
  std::vector<Tensor> registers = given;
  for (const Step& step : program.steps) {
    registers.push_back(apply(step, registers[step.x], registers[step.y], state, margin));
  }
  const std::size_t results = std::min<std::size_t>(3, program.steps.size());
  return {registers.end() - static_cast<std::ptrdiff_t>(results), registers.end()};
}

std::string to_string(const Program& program) {
  std::string result = text("seed ", program.seed, "\n");
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    result += text("  r", inputs + i, " = ", names[static_cast<std::size_t>(step.kind)], "(r",
                   step.x, ", r", step.y, ", ", step.seed, "): [");
    for (const std::string& axis : program.types[inputs + i]) result += text(axis, " ");
    result += "]\n";
  }
  return result;
}

}  // namespace user_program
