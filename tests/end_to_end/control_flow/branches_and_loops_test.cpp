// test: moved
// Branches and loops in compiled functions: one recording, with the results of the host's loop.

#include <doctest/doctest.h>
#include <sinter/runtime/host/thread_pool.hpp>

#include <algorithm>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

// The same numbers in each run.
Tensor wave(const Shape& shape, float speed = 1.7f) {
  return sin(reshape(arange(numel(shape).value()), shape).to(f32) * speed);
}

// Checks that every backend, strict and fast, gives the results of `f` itself, in one recording
// without a graph break.
template <class F, class... Args>
void agrees(F f, const Args&... args) {
  const Tensor expected = on_host(f, args...);
  for (const Backend backend : {Backend::eager, Backend::aot_eager, Backend::fused}) {
    for (const Numerics numerics : {Numerics::strict, Numerics::fast}) {
      const bool is_plain = backend != Backend::fused && numerics == Numerics::strict;
      if (by_device(false, is_plain)) continue;
      const auto compiled =
          compile(f, {.backend = backend, .fullgraph = true, .numerics = numerics});
      CHECK(near_tensor(compiled(args...), expected));
      CHECK(compiled.stats().recordings == 1);
      CHECK(compiled.stats().breaks == 0);
    }
  }
}

Tensor signed_product(const Tensor& x, const Tensor& b) {
  return x * cond(
                 sum(b) < 0.0f, [](const Tensor& t) { return sum(t) * -1.0f; },
                 [](const Tensor& t) { return sum(exp(t)); }, b);
}

std::pair<Tensor, Tensor> recurrent(const Tensor& first, const Tensor& xs, const Tensor& w) {
  return scan(
      [&](const Tensor& h, const Tensor& x) {
        const Tensor next = tanh(matmul(h, w) + x);
        return std::pair{next, softmax(next, -1)};
      },
      first, xs);
}

Tensor loss(const Tensor& first, const Tensor& xs, const Tensor& w) {
  const auto [last, ys] = recurrent(first, xs, w);
  return sum(ys * ys) + cond(
                            sum(last) > 0.0f, [&, h = last] { return sum(h * h); },
                            [&, y = ys] { return sum(exp(y)); });
}

// The same functions, written as loops of the host.
Tensor plain_last(Tensor h, const Tensor& xs, const Tensor& w) {
  for (int i = 0; i < xs.shape()[0].value(); ++i) h = tanh(matmul(h, w) + xs[i]);
  return h;
}

// For each row, the sum up to the first number below -0.9: a nested loop.
Tensor row_sums(const Tensor& xs) {
  return map(
      [](const Tensor& row) {
        return cond(
            max(row) > 0.5f,
            [&] {
              const auto add_up = [](const Tensor& c, const Tensor& x) {
                const Tensor next = where(x > -0.9f, c + x, c);
                return std::pair{next, next};
              };
              return scan(add_up, 0.0f, row).first;
            },
            [&] {
              return while_loop([](const Tensor& y) { return y < 10.0f; },
                                [](const Tensor& y) { return y * 0.5f + 6.0f; }, sum(row));
            });
      },
      xs);
}

}  // namespace

TEST_CASE(
    "branches and loops: a branch is one recording for both outcomes, and only one side runs") {
  const auto f = compile(signed_product, {.fullgraph = true});
  const Tensor x = wave({5});
  for (const float sign : {1.0f, -1.0f, 1.0f}) {
    const Tensor b = full({3}, sign);
    CHECK(near_tensor(f(x, b), on_host(signed_product, x, b)));
  }
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().breaks == 0);
  CHECK(f.stats().graphs == 1);
  agrees(signed_product, x, vector({-2, 1}));
  agrees(signed_product, x, vector({2, 1}));
}

TEST_CASE("branches and loops: an index out of range throws only if its branch is taken") {
  const auto f = compile(
      [](const Tensor& table, const Tensor& at) {
        return cond(
            all(at < 3), [&] { return table[at] * 2.0f; }, [&] { return at.to(f32); });
      },
      {.fullgraph = true});
  const auto wrong = compile([](const Tensor& table, const Tensor& at) {
    return cond(
        all(at >= 3), [&] { return table[at]; }, [&] { return at.to(f32); });
  });
  const Tensor table = vector({1, 2, 3});
  CHECK(near(f(table, integers({2, 0})), {6, 2}));
  CHECK(near(f(table, integers({2, 7})), {2, 7}));
  CHECK_THROWS_AS(wrong(table, integers({7, 9})), IndexError);
  CHECK(near(wrong(table, integers({1, 9})), {1, 9}));
}

TEST_CASE(
    "branches and loops: loops agree with those of the host, for every number of steps, in one "
    "recording") {
  const auto f = compile(
      [](const Tensor& h, const Tensor& xs, const Tensor& w) { return recurrent(h, xs, w).first; },
      {.fullgraph = true});
  const Tensor w = wave({4, 4}), first = wave({2, 4});
  for (const int length : {7, 1, 0, by_device(12, 5), 2}) {
    Tensor xs = wave({length, 2, 4}, 0.3f);
    elements_of(xs);
    mark_dynamic(xs, 0);
    CHECK(near_tensor(f(first, xs, w), on_host(plain_last, first, xs, w)));
  }
  CHECK(f.stats().recordings == 1);
  agrees(row_sums, wave({6, 5}, 2.1f));
  agrees(row_sums, wave({1, 3}) - 2.0f);
}

TEST_CASE(
    "branches and loops: a while_loop that runs a hundred steps, or none, updates its state") {
  const auto newton = [](const Tensor& x) {
    const auto [root, steps] =
        while_loop([&](const Tensor& r, const Tensor&) { return any(abs(r * r - x) > 1e-4f * x); },
                   [&](const Tensor& r, const Tensor& k) {
                     return std::tuple{0.5f * (r + x / r), k + 1};
                   },
                   x, 0);
    return root + steps.to(f32);
  };
  agrees(newton, vector({4, 9, 1e6f}));
  agrees(newton, vector({1, 1}));
}

TEST_CASE(
    "branches and loops: gradients through scan and cond are one graph with the forward pass") {
  const auto of_weight = [](const Tensor& h, const Tensor& xs, const Tensor& w) {
    return grad(loss, 2)(h, xs, w);
  };
  const auto of_inputs = [](const Tensor& h, const Tensor& xs, const Tensor& w) {
    return grad(loss, 1)(h, xs, w);
  };
  const Tensor first = wave({2, 3}), xs = wave({4, 2, 3}, 0.9f), w = wave({3, 3}, 2.3f);
  agrees(of_weight, first, xs, w);
  agrees(of_inputs, first, xs, w);
  agrees(of_weight, first, xs * -1.0f, w);
}

TEST_CASE(
    "branches and loops: state is updated in place by what comes after a branch, and by a branch") {
  struct Update {
    void operator()(Tensor& state, Tensor& count, const Tensor& x) const {
      const Tensor step = cond(
          sum(x) > 0.0f, [&] { return x * 0.5f; }, [&] { return x * 2.0f; });
      count = cond(
          sum(state) > 1.0f, [&] { return count + 1.0f; }, [&] { return count; });
      state = state + step;
    }
  };
  const auto f = compile(Update{}, {.fullgraph = true});
  Tensor state = zeros({3}), count = zeros({}), plain_state = zeros({3}), plain_count = zeros({});
  for (const float sign : {1.0f, -1.0f, 1.0f, 1.0f}) {
    f(state, count, full({3}, sign));
    Update()(plain_state, plain_count, full({3}, sign));
    CHECK(near_tensor(state, plain_state));
    CHECK(near_tensor(count, plain_count));
  }
}

TEST_CASE("branches and loops: a fault in a branch leaves state unchanged") {
  const auto f = compile([](Tensor& state, const Tensor& table, const Tensor& at) {
    state = state + 1.0f;
    return cond(
        all(at < 5), [&] { return table[at]; }, [&] { return at.to(f32); });
  });
  Tensor state = zeros({2});
  const Tensor table = vector({1, 2, 3});
  CHECK(near(f(state, table, integers({2, 0})), {3, 1}));
  CHECK_THROWS_AS(f(state, table, integers({2, 4})), IndexError);
  CHECK(near(state, {1, 1}));
  CHECK(near(f(state, table, integers({2, 9})), {2, 9}));
  CHECK(near(state, {2, 2}));
}

TEST_CASE(
    "branches and loops: varying numbers, also in branches, become inputs after the first "
    "change") {
  const auto f = compile([](const Tensor& x, float by) {
    return cond(
        sum(x) > 0.0f, [&] { return x * by; }, [&] { return x - by; });
  });
  for (const float by : {0.5f, 1.0f, 1.5f, 2.0f}) CHECK(near(f(ones({2}), by), {by, by}));
  CHECK(f.stats().recompiles == 1);
}

TEST_CASE(
    "branches and loops: a read after a loop breaks the graph there, and the results of the loop "
    "stay valid") {
  const auto f = compile([](const Tensor& xs) {
    const auto [last, ys] = scan(
        [](const Tensor& c, const Tensor& x) {
          return std::pair{c + x, c * x};
        },
        0.0f, xs);
    return last.item<float>() > 3.0f ? ys * 2.0f : ys + last;
  });
  CHECK(near(f(ones({4})), {0, 2, 4, 6}));
  CHECK(near(f(ones({4}) * 0.5f), {2, 2.25, 2.5, 2.75}));
  CHECK(f.stats().breaks == 1);
}

TEST_CASE("branches and loops: large kernels in branches and loops share the threads" *
          doctest::test_suite("host: its threads")) {
  const int before = runtime::num_threads();
  runtime::set_num_threads(3);
  const auto large = [](const Tensor& x) {
    const Tensor y = cond(
        sum(x) > 0.0f, [&] { return exp(x) + 1.0f; }, [&] { return x * x; });
    return y * scan(
                   [](const Tensor& c, const Tensor& row) {
                     const Tensor next = c * 0.5f + sin(row);
                     return std::pair{next, sum(next)};
                   },
                   zeros({1 << 19}), x)
                   .first;
  };
  agrees(large, wave({3, 1 << 19}, 0.01f));
  runtime::set_num_threads(before);
}

TEST_CASE("branches and loops: typed tensors in branches and steps are recorded as expressions") {
  const auto typed = [](const Tensor& x, const Tensor& w) {
    const TensorOf<float, 3> scale = w;
    const auto step = [&](const TensorOf<float, 3>& c, const TensorOf<float, 3>& row) {
      const TensorOf<float, 3> next = c * 0.5f + row * scale - 1.0f;
      return std::pair{Tensor(next), Tensor(next * next)};
    };
    const auto [last, ys] = scan(step, zeros({3}), x);
    return cond(
        sum(last) > 0.0f, [&, y = ys] { return y * 2.0f; }, [&, y = ys] { return -y; });
  };
  agrees(typed, wave({4, 3}), vector({1, 2, 3}));
  agrees(
      [&](const Tensor& x, const Tensor& w) {
        return grad([&](const Tensor& v) { return sum(typed(x, v)); })(w);
      },
      wave({4, 3}), vector({1, 2, 3}));
}

TEST_CASE(
    "branches and loops: random numbers differ in each step and each call, and all are drawn "
    "once") {
  const auto f = compile(
      [](const Tensor& x) { return map([](const Tensor& row) { return row + rand({4}); }, x); },
      {.fullgraph = true});
  const Numbers first = numbers(f(zeros({3, 4}))), second = numbers(f(zeros({3, 4})));
  std::vector<double> draws(first);
  draws.insert(draws.end(), second.begin(), second.end());
  std::sort(draws.begin(), draws.end());
  CHECK(std::unique(draws.begin(), draws.end()) == draws.end());
}

TEST_CASE("branches and loops: a read in a branch is an error, with fullgraph or without") {
  const auto reads = [](const Tensor& x) {
    return cond(
        sum(x) > 0.0f, [&] { return x * sum(x).item<float>(); }, [&] { return x; });
  };
  CHECK_THROWS_AS(compile(reads, {.fullgraph = true})(vector({1})), GraphBreakError);
  CHECK_THROWS_AS(compile(reads)(vector({1})), GraphBreakError);
  CHECK_FALSE(is_recording());
  CHECK(current_body == 0);
}
