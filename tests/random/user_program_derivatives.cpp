// The steps of programs in the language of users that differentiate or call compiled functions.

#include "user_program.hpp"

namespace user_program {

namespace {

// Compiled once for all programs, with the sizes of all.
const auto& smooth() {
  static const auto result = compile(
      [](const Tensor& a, const Tensor& b) {
        return tanh(a * 0.5f + b) - mean(b) * static_cast<float>(a.ndim());
      },
      {.recompile_limit = 64});
  return result;
}

}  // namespace

Tensor unary(const Tensor& x, unsigned seed) {
  switch (seed % 8) {
    case 0:
      return tanh(x);
    case 1:
      return sin(x * 2.0f);
    case 2:
      return exp(x * 0.5f - 1.0f);
    case 3:
      return gelu(x);
    case 4:
      return relu(x) - 0.25f;
    case 5:
      return sqrt(abs(x) + 0.5f);
    case 6:
      return x * sigmoid(x);
    default:
      return 1.0f / (1.5f + x * x);
  }
}

Tensor derivative(const Step& step, const Tensor& x, const Tensor& y) {
  const unsigned seed = step.seed / 2;
  const auto f = [&](const Tensor& t) { return sum(unary(t, seed) * unary(y, seed / 8)); };
  const auto second = [&](const Tensor& t) { return sum(square(grad(f)(t))); };
  const auto product = [&](const Tensor& t) { return unary(t, seed) * y; };
  switch (step.kind) {
    case Kind::grad:
      return tanh(grad(f)(x));
    case Kind::second_grad:
      return tanh(grad(second)(x));
    case Kind::third_grad:
      return tanh(grad([&](const Tensor& t) { return sum(grad(second)(t) * y); })(x));
    case Kind::jvp:
      return tanh(jvp(product, x, y).tangent);
    case Kind::checkpointed: {
      const auto inner = checkpoint(product);
      return tanh(grad([&](const Tensor& t) { return sum(square(inner(t))); })(x));
    }
    case Kind::compiled:
      return step.seed % 2 == 0 ? smooth()(x, y) : smooth()(y, x);
    case Kind::grad_of_compiled: {
      const auto loss = [&](const Tensor& t) { return sum(square(smooth()(t, y))); };
      return tanh(value_and_grad(loss)(x).gradient);
    }
    default:
      return tanh(vjp(product, x).pullback(y));
  }
}

}  // namespace user_program
