#pragma once
// Programs drawn at random in the language of users: views, reductions, products, random draws,
// reads on the host, state, control flow and derivatives in one function, over sizes that change.

#include <random>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

namespace user_program {

using namespace sinter;
using namespace sinter::detail;

/// What a step does. Reads are graph breaks.
enum class Kind {
  unary,
  binary,
  row,
  reduction,
  slice,
  chunk,
  single,
  product,
  concatenation,
  reshape,
  choice,
  order,
  index,
  pool,
  broadcast,
  shape_check,
  shape_text,
  size,
  number,
  draw,
  read,
  branch_on_read,
  masked_sum,
  count_nonzero,
  boolean_index,
  vector_read,
  written_back,
  counted,
  loop_until,
  grad_of_read,
  loop,
  state,
  grad,
  second_grad,
  third_grad,
  vjp,
  jvp,
  checkpointed,
  compiled,
  grad_of_compiled,
  vmap,
  cond,
  scan,
  count
};

/// Whether a step of this kind reads elements on the host.
inline bool is_read(Kind kind) { return kind >= Kind::read && kind <= Kind::grad_of_read; }

/// One step: what it does, the registers that it reads, and a seed for the rest.
struct Step {
  Kind kind{};
  std::size_t x = 0, y = 0;
  unsigned seed = 0;
};

/// Axes by name: "n" and "m" are sizes that change, other names are derived from them. Registers
/// whose names are equal have equal shapes.
using Axes = std::vector<std::string>;

struct Program {
  unsigned seed = 0;
  bool draws = false;         ///< Has random draws.
  std::vector<Axes> types{};  ///< Of the registers: the inputs, then a result of each step.
  std::vector<Step> steps{};
};

/// What a program updates.
struct State {
  Tensor average = zeros({4});
  Scalar count = 0.0f;
  SINTER_MODULE(State, average, count)
};

inline constexpr std::size_t inputs = 4;  // [n, 4], [m, 4], [n, m], [n, 4]

/// The program with this seed; with `reads`, it has steps that read on the host.
Program make(unsigned seed, bool reads);

/// What was decided on the host on the way: a program that rounds otherwise may decide otherwise.
struct Margin {
  float least = 1;  ///< The smallest distance from zero of a number that decided something.
};

/// What a step computes of the registers that it reads.
Tensor apply(const Step& step, const Tensor& x, const Tensor& y, State& state, Margin* margin);

/// One of a few smooth functions, by the seed.
Tensor unary(const Tensor& x, unsigned seed);

/// A step that differentiates, up to three times, or calls a compiled function.
Tensor derivative(const Step& step, const Tensor& x, const Tensor& y);

/// Runs the program: the tensors of its last registers.
std::vector<Tensor> run(const Program& program, State& state, const std::vector<Tensor>& given,
                        Margin* margin = nullptr);

/// The program as text, a line for each step.
std::string to_string(const Program& program);

}  // namespace user_program
