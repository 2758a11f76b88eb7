// What a compiled function must not do, and corrected programs; docs/errors.md explains each.
#include "mistakes.hpp"

#include <cstdlib>

using namespace sinter;

Tensor breaks_wrong() {
  return compile([](const Tensor& x) { return sum(x) > 0 ? x : -x; },
                 {.fullgraph = true})(ones({4}));
}
Tensor breaks_right() {
  return compile([](const Tensor& x) { return where(sum(x) > 0, x, -x); },
                 {.fullgraph = true})(ones({4}));
}

float factor = 1;  // neither an argument nor a capture: changes are not seen

Tensor traced_wrong() {
  const auto f = compile([](const Tensor& x) { return x * factor; });
  for (factor = 1; factor < 3; ++factor) f(ones({4}));
  return f(ones({4}));
}
Tensor traced_right() {
  const auto f = compile([](const Tensor& x, Scalar by) { return x * by; });
  for (factor = 1; factor < 3; ++factor) f(ones({4}), factor);
  return f(ones({4}), factor);
}

template <class Number>
struct Counter {
  Number steps = 0;
  SINTER_MODULE(Counter, steps)
  Tensor forward(const Tensor& x) { return x * (steps += 1); }
};

Tensor numbers_wrong() { return compile(Counter<int>())(ones({4})); }
Tensor numbers_right() { return compile(Counter<Scalar>())(ones({4})); }

Tensor sum_up(Tensor& total, const Tensor& x, bool from_x) {
  if (!total.defined()) create_state(total, from_x ? x : zeros_like(x));
  return total += x;
}
Tensor total_of_wrong, total_of_right;  // undefined before the first call

Tensor state_wrong() { return compile(sum_up)(total_of_wrong, ones({4}), true); }
Tensor state_right() { return compile(sum_up)(total_of_right, ones({4}), false); }

Tensor seven_rows() {
  Tensor x = ones({7, 8});
  mark_dynamic(x, 0);
  return x;
}
Tensor dynamic_wrong() {
  return compile([](const Tensor& x) { return x + ones({7, 8}); })(seven_rows());
}
Tensor dynamic_right() {
  return compile([](const Tensor& x) { return x + ones({x.size(0), 8}); })(seven_rows());
}

Tensor recompiles_wrong() {
  const auto f = compile([](const Tensor& x) { return x * 2.0f; });
  const ScopedStance scope(Stance::fail_on_recompile);
  f(ones({7}));
  return f(ones({8}));
}
Tensor recompiles_right() {
  const auto f = compile([](const Tensor& x) { return x * 2.0f; });
  f.prepare(TensorSpec{{7}}.dynamic(0));
  const ScopedStance scope(Stance::fail_on_recompile);
  f(ones({7}));
  return f(ones({8}));
}

Tensor control_wrong() {
  return compile([](const Tensor& x) {
    return cond(
        sum(x) > 0, [&] { return x; }, [&] { return sum(x); });
  })(ones({4}));
}
Tensor control_right() {
  return compile([](const Tensor& x) {
    return cond(
        sum(x) > 0, [&] { return x; }, [&] { return expand(sum(x), x.shape()); });
  })(ones({4}));
}

int main() {
  setenv("SINTER_CHECK", "1", 1);  // detects the mistake in the second one
  return run({{"graph-breaks", breaks_wrong, breaks_right},
              {"traced-on-every-call", traced_wrong, traced_right},
              {"numbers", numbers_wrong, numbers_right},
              {"state", state_wrong, state_right},
              {"dynamic-dimensions", dynamic_wrong, dynamic_right},
              {"recompiles", recompiles_wrong, recompiles_right},
              {"control-flow", control_wrong, control_right}});
}
