#include <doctest/doctest.h>

#include <vector>

#include <sinter/jit/call/body_call.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

bool near(const Tensor& a, const Tensor& b, double tolerance = 1e-5) {
  return max(abs(a - b)).item<float>() <= tolerance;
}

}  // namespace

TEST_CASE("vmap of a compiled function is one program") {
  auto f = compile([](const Tensor& x, const Tensor& w) { return tanh(matmul(w, x)); });
  const auto plain = [](const Tensor& x, const Tensor& w) { return tanh(matmul(w, x)); };
  const Tensor xs = randn({6, 4}), w = randn({3, 4});
  CHECK(near(vmap(f, {0, unbatched})(xs, w), vmap(plain, {0, unbatched})(xs, w)));
  CHECK(f.stats().calls == 1);
  CHECK(f.stats().kernels > 0);
  const auto each = [&](auto& g) {
    return vmap([&](const Tensor& x) {
      return grad([&](const Tensor& v) { return sum(g(v, w)); })(x);
    })(xs);
  };
  CHECK(near(each(f), each(plain)));
}

TEST_CASE("body_call: a function that draws random numbers is inlined into the batch") {
  auto f = compile([](const Tensor& x) { return x + rand({3}); });
  const std::vector<float> drawn = vmap(f)(zeros({2, 3})).to_vector<float>();
  CHECK(drawn[0] != drawn[3]);
  CHECK(f.stats().kernels == 0);
}

TEST_CASE("body_call: branches, loops and checkpoints outside of recordings") {
  auto f = compile([](const Tensor& x) { return tanh(x) * 2; });
  const Tensor x = randn({4});
  const Tensor once = tanh(x) * 2, twice = tanh(once) * 2;
  CHECK(near(cond(
                 sum(x) < 1e9f, [&](const Tensor& v) { return f(v); },
                 [](const Tensor& v) { return v; }, x),
             once));
  const auto step = [&](const Tensor& carry, const Tensor&) {
    const Tensor next = f(carry);
    return std::tuple{next, next};
  };
  CHECK(near(std::get<0>(scan(step, x, zeros({2}))), twice));
  const auto through = [&](auto g) {
    return grad([&](const Tensor& v) { return sum(checkpoint(g)(v) * v); })(x);
  };
  CHECK(near(through(f), through([](const Tensor& v) { return tanh(v) * 2; })));
}
