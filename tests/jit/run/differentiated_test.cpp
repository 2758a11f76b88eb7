#include <doctest/doctest.h>
#include <sinter/jit/run/differentiated.hpp>

#include "jit/started_trace.hpp"

using namespace testing;

TEST_CASE("differentiated: a function traced on every call has the right gradient") {
  const Tensor shift = vector({3, 5});
  const auto f = compile([&shift](const Tensor& x) {
    const Tensor y = x * x * shift;
    return sum(y) > 0.0f ? sum(y * x) : sum(x);  // a graph break between the two
  });
  const Tensor x = vector({1, 2});
  Tensor gradient;
  static_cast<void>(said([&] {
    gradient = grad([&](const Tensor& v) { return f(v); })(x);
    elements_of(gradient);
  }));
  CHECK(near(gradient, {9, 60}));
  CHECK(f.stats().breaks == 1);
}

TEST_CASE("differentiated: no leaf requires gradients if none is computed") {
  StartedTrace started(new_state(), vector({1, 2}));
  const Tensor result = started.record([](const Tensor& x) { return x * 2.0f; });
  CHECK(jit::detail::leaves_with_grad(*started.tracer).empty());
  started.tracer->run_last_segment(started.copies, started.names);
  CHECK(started.tracer->report().segments.at(0)->callee == nullptr);
  CHECK(near(result, {2, 4}));
}
