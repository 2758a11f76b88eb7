// Functions compiled with their own options and called in another compiled function.

#include <doctest/doctest.h>
#include <sinter/jit/call/options_scope.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

// Its bits differ if every operation is rounded.
struct Chain {
  Tensor gain = ones({16}, bf16) * 1.1f;
  SINTER_MODULE(Chain, gain)
  Tensor forward(const Tensor& x) const { return (x * gain + 0.3f) * x * 1.7f - x * 0.3f; }
};

struct Net {
  Compiled<Chain> inner;
  Tensor offset = ones({16}, bf16);
  SINTER_MODULE(Net, inner, offset)
  Tensor forward(const Tensor& x) const { return inner(x) + offset; }
};

Net net_with(const CompileOptions& options) { return {.inner = compile(Chain(), options)}; }

Tensor input() {
  random::manual_seed(3);
  return (rand({8, 16}) * 3.0f).to(bf16);
}

// The same with the member by itself.
Tensor apart(const Net& net, const CompileOptions& inner, const Tensor& x) {
  const Tensor middle = compile(Chain(net.inner.held()), inner)(x);
  elements_of(middle);
  return compile([](const Tensor& y) { return y + ones({16}, bf16); })(middle);
}

template <class Body>
std::string forbidding_the_interpreter(Body body) {
  runtime::interpreter_is_forbidden() = true;
  std::string result;
  try {
    body();
  } catch (const InternalError& error) {
    result = error.what();
  }
  runtime::interpreter_is_forbidden() = false;
  return result;
}

// A module that reads on the host.
struct Reads {
  float limit = 1;
  SINTER_MODULE(Reads, limit)
  Tensor forward(const Tensor& x) const { return sum(x).item<float>() > limit ? x : -x; }
};

// State changed by a member with its own options.
struct Counter {
  Tensor total = zeros({4});
  SINTER_MODULE(Counter, total)
  Tensor forward(const Tensor& x) {
    total = total * 0.5f + x;
    return total * x;
  }
};

}  // namespace

TEST_CASE("options_scope: a strict member called in a fast function rounds as it does alone") {
  const CompileOptions strict{.numerics = Numerics::strict};
  const Net own = net_with(strict), other = net_with({});
  const Tensor x = input();
  const auto f = compile(own);
  const auto g = compile(Net(own));
  const auto plain = compile(other);
  const Tensor expected = apart(own, strict, x);
  CHECK_FALSE(same_bits(expected, apart(own, {}, x)));
  CHECK(same_bits(f(x), expected));
  CHECK(same_bits(f(x), expected));
  CHECK(same_bits(g(x), expected));
  CHECK_FALSE(same_bits(plain(x), expected));
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().kernels == 2);
  CHECK(plain.stats().kernels == 1);  // with the options of the enclosing function it is fused
  CHECK(f.explain().kernels.size() == 2);
  CHECK(f.explain().graphs.size() == 1);
}

TEST_CASE("options_scope: a member keeps its backend") {
  const Net eager = net_with({.backend = Backend::eager});
  const Tensor x = input();
  const auto f = compile(eager), g = compile(eager, {.backend = Backend::eager});
  CHECK(contains(forbidding_the_interpreter([&] { f(x); }), "interpreter"));
  CHECK(near_tensor(f(x), eager(x), 0.05f));
  CHECK(f.stats().kernels == 1);
  CHECK(f.stats().interpreted == 0);  // requested by an option
  CHECK(f.stats().eager_calls == 0);
  g(x);
  CHECK(g.stats().kernels == 0);
  const Net fused = net_with({});
  const auto around = compile(fused, {.backend = Backend::eager});
  CHECK(near_tensor(around(x), fused(x), 0.05f));
  CHECK(around.stats().kernels == 1);
}

TEST_CASE("options_scope: fullgraph of a member holds inside of a function that may break") {
  const Reads reads;
  const auto strict = compile(reads, {.fullgraph = true});
  const auto lenient = compile(reads);
  const auto f = compile([&](const Tensor& x) { return strict(x) + 1.0f; });
  const std::string report = message_of<GraphBreakError>([&] { f(ones({4})); });
  CHECK(contains(report, "options_scope_test.cpp:"));
  const auto g = compile([&](const Tensor& x) { return lenient(x) + sum(x).item<float>(); });
  CHECK(near_tensor(g(ones({4})), full({4}, 5.0f)));
  const auto h = compile([&](const Tensor& x) {
    const float before = sum(x).item<float>();  // outside of the member
    return x * before;
  });
  CHECK(near_tensor(h(ones({4})), full({4}, 4.0f)));
}

TEST_CASE("options_scope: gradients of a member are correct, and use its options") {
  Net own = net_with({.numerics = Numerics::strict}), plain = net_with({});
  const Tensor x = input();
  const auto gradient = [](Net& net, const Tensor& y) {
    return value_and_grad(net, [&] { return mean(square(net(y).to(f32))); }).gradients["offset"];
  };
  const auto f = compile(gradient), g = compile(gradient);
  CHECK(near_tensor(f(own, x), g(plain, x), 0.05f));
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().eager_calls == 0);
}

TEST_CASE("options_scope: state of a member is updated, and sizes may vary") {
  Counter expected, counter;
  const auto member = compile(counter, {.numerics = Numerics::strict});
  const auto step = compile([&](const Tensor& x) { return member(x) + 1.0f; });
  for (int i = 0; i < 3; ++i) {
    const Tensor x = full({4}, static_cast<float>(i));
    CHECK(near_tensor(step(x), expected(x) + 1.0f));
    CHECK(near_tensor(counter.total, expected.total));
  }
  const auto f = compile(net_with({.numerics = Numerics::strict}));
  for (const int rows : {3, 5, 9, 4}) {
    const Tensor x = ones({rows, 16}, bf16);
    CHECK(near_tensor(f(x), f.held()(x), 0.05f));
  }
  CHECK(f.stats().recordings == 2);
}

TEST_CASE("options_scope: equal operations in the function and its member are not shared") {
  const auto member =
      compile([](const Tensor& x) { return x * 1.5f; }, {.backend = Backend::eager});
  const auto f = compile([&](const Tensor& x) { return x * 1.5f + member(x); });
  CHECK(near_tensor(f(ones({5})), full({5}, 3.0f)));
  CHECK(f.stats().kernels == 1);
}

TEST_CASE("options_scope: nested members, and members in loops") {
  const auto eager = compile([](const Tensor& x) { return x + 1.0f; }, {.backend = Backend::eager});
  const auto strict = compile([&](const Tensor& x) { return eager(x * 2.0f) * 3.0f; },
                              {.numerics = Numerics::strict});
  const auto f = compile([&](const Tensor& x) { return strict(x) - eager(x); });
  CHECK(near_tensor(f(ones({5})), full({5}, 7.0f)));
  const auto looped = compile(
      [&](const Tensor& xs) { return map([&](const Tensor& x) { return strict(x); }, xs) + 1.0f; });
  CHECK(near_tensor(looped(ones({3, 4})), full({3, 4}, 10.0f)));
}
