// Eager and compiled code draw the same random numbers, whatever was drawn before.

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <set>
#include <thread>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Noisy {
  nn::Linear linear{4, 4};
  nn::Dropout dropout{0.4};
  SINTER_MODULE(Noisy, linear, dropout)
  Tensor forward(const Tensor& x) const { return dropout(linear(x)) + rand({4}); }
};

Tensor noise(const Tensor& x) { return x + rand({4}) * randn({4}); }

// One step of a program: `x` has 4 elements.
Tensor elementary_step(const Tensor& x, int kind) {
  switch (kind) {
    case 0:
      return x + randn({4}) * rand({4});
    case 1:
      return dropout(x, 0.3) + rand({4}, f64).to(f32);
    case 2:
      return x + randint(-5, 9, {4}).to(f32) + randint(0, std::int64_t{1} << 40, {4}).to(f32);
    case 3:
      return index_select(x, 0, randperm(4));
    case 4:
      return x * bernoulli(full({4}, 0.7f)) + bernoulli(0.2, {4});
    case 5:
      rand({7});  // an unused draw
      return x + normal(1.0, 0.5, {4}) + rand_like(x) + randn_like(x);
    case 6:
      return x + multinomial(full({3, 5}, 0.2f), 2)[0][Slice{0, 1}].to(f32);
    default:
      return x + rand({4}, bf16).to(f32) + rand({2, 4})[1];
  }
}

Tensor loop_step(const Tensor& x, int kind) {
  switch (kind) {
    case 0:
      return scan(
                 [](const Tensor& carry, const Tensor& v) {
                   const Tensor next = carry + rand({4}) * v;
                   return std::pair{next + randn({4}), next};
                 },
                 x, ones({3}))
          .first;
    case 1:
      return sum(map([](const Tensor& v) { return v * rand({4}) + rand({4}); }, ones({3, 4})), 0) +
             x;
    case 2:
      return while_loop([](const Tensor& v) { return sum(v * v) < 40.0f + rand({}); },
                        [](const Tensor& v) { return v + rand({4}) + 1.0f; }, x);
    case 3:
      return cond(
          sum(x) > rand({}), [](const Tensor& v) { return v + rand({4}); },
          [](const Tensor& v) { return v - rand({4}) * randn({4}); }, x);
    case 4:
      return sum(vmap([](const Tensor& v) { return v + rand({4}) + rand({4}); })(ones({3, 4})), 0) +
             x;
    case 5:
      return x +
             map(
                 [](const Tensor& row) {
                   return sum(map([](const Tensor& v) { return v * rand({}) + rand({}); }, row));
                 },
                 ones({4, 3}));
    case 6:  // samples exit the loop at different steps
      return vmap([](const Tensor& v) {
        return while_loop([](const Tensor& u) { return u < 3.0f; },
                          [](const Tensor& u) { return u + rand({}) + rand({}); }, v);
      })(sigmoid(x));
    default:
      return x + sum(vmap([](const Tensor& v) {
                       return vmap([](const Tensor& u) { return u + rand({4}); })(v);
                     })(ones({2, 3, 4})),
                     {0, 1});
  }
}

Tensor call_step(const Tensor& x, int kind, const Noisy& net) {
  static const auto inner = compile(noise);
  switch (kind) {
    case 0:
      return inner(x);
    case 1:
      return x * (sum(x).item<float>() > 0 ? 0.5f : 2.0f) + rand({4});
    case 2:
      return disable(noise)(x) + rand({4});
    case 3:
      return grad([](const Tensor& v) { return sum(square(dropout(v, 0.5)) + v * rand({4})); })(x);
    case 4:
      return checkpoint([](const Tensor& v) { return dropout(v, 0.5) + rand({4}); })(x);
    case 5:
      graph_break("on purpose");
      return x + rand({4});
    case 6:
      return grad([](const Tensor& v) {
        return sum(scan(
                       [](const Tensor& carry, const Tensor& u) {
                         const Tensor next = dropout(carry, 0.3) * u;
                         return std::pair{next, next};
                       },
                       v, ones({3}) * 1.5f)
                       .second);
      })(x);
    default:
      return net(x);
  }
}

// Four steps, chosen by `code`.
Tensor program(const Tensor& start, std::int64_t code, const Noisy& net) {
  std::mt19937 choose(static_cast<std::mt19937::result_type>(code));
  Tensor x = start;
  for (int step = 0; step < 4; ++step) {
    const auto family = choose() % 5;
    const int kind = static_cast<int>(choose() % 8);
    x = family < 2   ? elementary_step(x, kind)
        : family < 4 ? loop_step(x, kind)
                     : call_step(x, kind, net);
    x = x * 0.5f;
  }
  return x;
}

using Lists = std::vector<std::vector<float>>;

template <class F>
Lists calls(F f, int count = 3) {
  random::manual_seed(21);
  Lists result;
  for (int i = 0; i < count; ++i) result.push_back(Tensor(f()).template to_vector<float>());
  result.push_back(rand({3}).to_vector<float>());  // the following draw must agree as well
  return result;
}

bool near_lists(const Lists& a, const Lists& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return false;
    for (std::size_t k = 0; k < a[i].size(); ++k) {
      const double x = a[i][k], y = b[i][k];
      if (!(std::fabs(x - y) <= 2e-5 * std::max(1.0, std::fabs(y)))) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE(
    "eager and compiled: a compiled function draws the same numbers as the eager one, in order") {
  const auto f = [](const Tensor& x) { return x + randn({64}) * rand({64}); };
  const Tensor x = zeros({64});
  const Lists plain = calls([&] { return f(x); });
  for (const Backend backend : {Backend::fused, Backend::aot_eager, Backend::eager}) {
    const auto compiled = compile(f, {.backend = backend});
    CHECK(near_lists(calls([&] { return compiled(x); }), plain));
    const ScopedStance stance(Stance::force_eager);
    CHECK(calls([&] { return compiled(x); }) == plain);
  }
}

TEST_CASE("eager and compiled: unused draws also advance the generator") {
  const auto f = [](const Tensor& x) {
    rand({3}), randn({3});
    return x + 1.0f;
  };
  const auto compiled = compile(f);
  const Tensor x = zeros({3});
  CHECK(calls([&] { return compiled(x); }) == calls([&] { return f(x); }));
}

TEST_CASE("eager and compiled: steps of a compiled loop draw the same numbers as the eager loop") {
  const Tensor x = zeros({4});
  for (int kind = 0; kind < 8; ++kind) {
    INFO("kind " << kind);
    const auto f = [&](const Tensor& v) { return loop_step(v + rand({4}), kind) + rand({4}); };
    const auto compiled = compile(f);
    CHECK(near_lists(calls([&] { return compiled(x); }), calls([&] { return f(x); })));
  }
}

TEST_CASE("eager and compiled: no two steps, loops or samples draw the same") {
  const auto f = [](const Tensor& x) {
    const auto inside = [](const Tensor& row) {
      return map([](const Tensor& v) { return v + stack({rand({}, f64), rand({}, f64)}); }, row);
    };
    return std::vector<Tensor>{map(inside, x), vmap(inside)(x), map(inside, x), rand({8}, f64)};
  };
  const auto compiled = compile(f);
  const Tensor x = zeros({9, 7, 1}, f64);
  for (const bool is_compiled : {false, true}) {
    std::set<double> seen;
    std::size_t count = 0;
    for (int call = 0; call < 2; ++call) {
      for (const Tensor& found : is_compiled ? compiled(x) : f(x)) {
        for (const double v : found.to_vector<double>()) seen.insert(v), ++count;
      }
    }
    CHECK(seen.size() == count);
  }
}

TEST_CASE("eager and compiled: calls past the recompile limit") {
  const auto f = [](const Tensor& x) { return sum(x + rand({x.size(0)})) + rand({2}); };
  const auto compiled = compile(f, {.dynamic = Dynamic::off, .recompile_limit = 2});
  const auto sizes = [&](const auto& g) {
    return calls([&, n = 2]() mutable { return g(zeros({++n})); }, 5);
  };
  CHECK(near_lists(sizes(compiled), sizes(f)));
}

TEST_CASE("eager and compiled: calls from many threads draw different numbers") {
  const auto closed = compile([](const Tensor& x) { return x + rand({4}, f64) + rand({4}, f64); });
  const Tensor offset = zeros({4}, f64);
  const auto open = compile([offset](const Tensor& x) {
    const Tensor first = x + rand({4}, f64) + offset;
    return sum(first).item<double>() < 0 ? first : first + rand({4}, f64);
  });
  const Tensor x = zeros({4}, f64);
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (std::size_t id = 0; id < 4; ++id) {
    threads.emplace_back([&, id] {
      for (int i = 0; i < 30; ++i) {
        for (const double v : (id % 2 == 0 ? closed(x) : open(x)).to_vector<double>()) {
          found[id].push_back(v);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<double> seen;
  for (const auto& values : found) seen.insert(values.begin(), values.end());
  CHECK(seen.size() == 4 * 30 * 4);
}

TEST_CASE("eager and compiled: random programs") {
  const Noisy net;
  for (std::int64_t code = 0; code < 12; ++code) {
    INFO("code " << code);
    const Tensor x = ones({4});
    const Lists plain = calls([&] { return program(x, code, net); });
    const auto compiled = compile(program);
    CHECK(near_lists(calls([&] { return compiled(x, code, net); }), plain));
    const ScopedStance stance(Stance::force_eager);
    CHECK(near_lists(calls([&] { return compiled(x, code, net); }), plain));
  }
}

TEST_CASE("all rows of a hessian of a compiled function use the same draws") {
  const Tensor x = ones({5});
  const auto check = [&](auto f) {
    random::manual_seed(4);
    const std::vector<float> gradient = grad(f)(x).template to_vector<float>();
    auto compiled = compile(f);
    random::manual_seed(4);
    const std::vector<float> second = hessian(compiled)(x).template to_vector<float>();
    for (std::size_t i = 0; i < 25; ++i) {
      CHECK(second[i] == doctest::Approx(i % 6 == 0 ? 2 * gradient[i / 6] : 0));
    }
  };
  check([](const Tensor& v) { return sum(v * v * v * randn({5})); });
  check(checkpoint([](const Tensor& v) { return sum(v * v * v * randn({5})); }));
  check([](const Tensor& v) {
    const auto step = [](const Tensor& total, const Tensor& one) {
      const Tensor next = total + one * one * one * randn({});
      return std::tuple{next, next};
    };
    return std::get<0>(scan(step, zeros({}), v));
  });
}
