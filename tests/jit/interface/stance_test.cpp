// test: moved
#include <doctest/doctest.h>

#include <sinter/jit/interface/stance.hpp>

#include <thread>

#include "jit/support.hpp"

using namespace testing;

namespace {

const auto twice = [](const Tensor& x) { return x * 2.0f; };
const auto by = [](const Tensor& x, float factor) { return x * factor; };
// Reads elements, so that it is traced on every call.
const auto absolute = [](const Tensor& x) { return sum(x) < 0.0f ? -x : x + 0.0f; };

template <class Body>
std::string refusal(Body body) {
  return message_of<RecompileLimitError>(body);
}

}  // namespace

TEST_CASE("stance: the innermost scope of a thread decides, else what was set for the process") {
  CHECK(current_stance() == Stance::standard);
  set_stance(Stance::fail_on_recompile);
  CHECK(current_stance() == Stance::fail_on_recompile);
  {
    const ScopedStance outer(Stance::force_eager);
    const ScopedStance inner(Stance::standard);
    CHECK(current_stance() == Stance::standard);
    Stance elsewhere{};
    std::thread([&] { elsewhere = current_stance(); }).join();
    CHECK(elsewhere == Stance::fail_on_recompile);
  }
  CHECK(current_stance() == Stance::fail_on_recompile);
  set_stance(Stance::standard);
  CHECK(current_stance() == Stance::standard);
}

TEST_CASE("stance: force_eager runs the original function") {
  int runs = 0;
  const auto f = compile(assume_pure([&runs](Tensor& total, const Tensor& x) {
    ++runs;
    total = total + x;
    return total * 2.0f;
  }));
  Tensor total = zeros({3});
  {
    const ScopedStance scope(Stance::force_eager);
    CHECK(near_tensor(f(total, ones({3})), full({3}, 2.0f)));
    CHECK(near_tensor(f(total, ones({3})), full({3}, 4.0f)));
  }
  CHECK(runs == 2);
  CHECK(near_tensor(total, full({3}, 2.0f)));
  CHECK(f.stats().eager_calls == 2);
  CHECK(f.stats().calls == 2);
  CHECK(f.stats().recordings == 0);
  f(total, ones({3}));
  f(total, ones({3}));
  CHECK(f.stats().recordings == 1);
  CHECK(near_tensor(total, full({3}, 4.0f)));
}

TEST_CASE("stance: eager_on_recompile compiles the first call, and runs others eagerly") {
  const auto f = compile(twice);
  const ScopedStance scope(Stance::eager_on_recompile);
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
  CHECK(f.stats().eager_calls == 0);
  CHECK(near_tensor(f(ones({5})), full({5}, 2.0f)));
  CHECK(f.stats().eager_calls == 1);
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
  CHECK(f.stats().eager_calls == 1);
  CHECK(f.stats().variants == 1);
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().calls == 3);
}

TEST_CASE("stance: fail_on_recompile throws with the guard that failed and the way out") {
  const auto f = compile(by, {.name = "by"});
  const unsigned line = __LINE__ - 1;
  const ScopedStance scope(Stance::fail_on_recompile);
  f(ones({3}), 2.0f);
  const std::string of_size = refusal([&] { f(ones({5}), 2.0f); });
  INFO(of_size);
  CHECK(contains(of_size, "by: no compiled variant fits the call"));
  CHECK(contains(of_size, "argument 0"));
  CHECK(contains(of_size, "size(0) == 3"));
  CHECK(contains(of_size, "found 5"));
  CHECK(contains(of_size, "mark_dynamic(x, 0)"));
  CHECK(contains(of_size, "prepare"));
  CHECK(contains(of_size, text("stance_test.cpp:", line)));
  const std::string of_number = refusal([&] { f(ones({3}), 4.0f); });
  INFO(of_number);
  CHECK(contains(of_number, "argument 1"));
  CHECK(contains(of_number, "Scalar"));
  CHECK(near_tensor(f(ones({3}), 2.0f), full({3}, 2.0f)));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("stance: a marked argument has its mark where a compiled function is differentiated") {
  const auto f = compile([](const Tensor& x) { return sum(x * x); });
  const ScopedStance scope(Stance::fail_on_recompile);
  for (const int size : {4, 5, 1, 9}) {
    Tensor x = full({size}, 3.0f);
    mark_dynamic(x, 0);
    CHECK(near_tensor(grad(f)(x), full({size}, 6.0f)));
  }
}

TEST_CASE("stance: a refused call leaves its arguments unchanged") {
  const auto f = compile([](Tensor& total, const Tensor& x) { total = total + sum(x); });
  const ScopedStance scope(Stance::fail_on_recompile);
  Tensor total = zeros({});
  f(total, ones({3}));
  CHECK_THROWS_AS(f(total, ones({4})), RecompileLimitError);
  CHECK(total.item<float>() == 3);
}

TEST_CASE("stance: for functions traced on every call the segments count") {
  const auto f = compile(absolute);
  static_cast<void>(said([&] { f(ones({3})); }));
  {
    const ScopedStance scope(Stance::eager_on_recompile);
    CHECK(near_tensor(f(full({3}, 5.0f)), full({3}, 5.0f)));
    CHECK(f.stats().eager_calls == 0);
    CHECK(near_tensor(f(full({3}, -5.0f)), full({3}, 5.0f)));  // the other branch
    CHECK(f.stats().eager_calls == 1);
    CHECK(f.stats().variants == 1);
  }
  const ScopedStance scope(Stance::fail_on_recompile);
  CHECK(near_tensor(f(full({3}, 5.0f)), full({3}, 5.0f)));
  CHECK(contains(refusal([&] { f(full({3}, -5.0f)); }), "recorded operations"));
  const std::string of_size = refusal([&] { f(ones({4})); });
  INFO(of_size);
  CHECK(contains(of_size, "argument 0"));
  CHECK(contains(of_size, "size(0) == 3"));
}

TEST_CASE("stance: captures that change are refused, and arguments stay") {
  float factor = 2.0f;
  int kind = 0;
  const auto f = compile([&](Tensor& total, const Tensor& x) {
    total = kind == 0 ? total + x * factor : total - x;
    return total;
  });
  Tensor total = zeros({2});
  f(total, ones({2}));
  const ScopedStance scope(Stance::fail_on_recompile);
  f(total, ones({2}));
  CHECK(near_tensor(total, full({2}, 4.0f)));
  kind = 1;
  CHECK_THROWS_AS(f(total, ones({2})), RecompileLimitError);
  CHECK(near_tensor(total, full({2}, 4.0f)));
  kind = 0;
  f(total, ones({2}));
  CHECK(near_tensor(total, full({2}, 6.0f)));
}

// Each of these may throw. None affects later ones.
template <class F>
void check_refusals(const F& f, int known, int other) {
  for (int i = 0; i < 2; ++i) {
    CHECK_NOTHROW(f(ones({known})));
    CHECK_THROWS_AS(f(ones({other})), RecompileLimitError);
  }
  CHECK_NOTHROW(f(ones({known})));
}

TEST_CASE("stance: a refused call does not change what later calls need") {
  const float factor = 2.0f;
  const auto reading = compile(absolute);
  const auto capturing = compile([factor](const Tensor& x) { return x * factor; });
  Tensor weight = ones({3});
  const auto outside = compile([&](const Tensor& x) { return x * sum(weight); });
  static_cast<void>(said([&] { reading(ones({3})); }));
  capturing(ones({3})), outside(ones({3}));
  {
    const ScopedStance scope(Stance::fail_on_recompile);
    check_refusals(reading, 3, 4);
    check_refusals(capturing, 3, 4);
    weight = ones({4});
    CHECK_THROWS_AS(outside(ones({3})), RecompileLimitError);
    weight = ones({3});
    CHECK_NOTHROW(outside(ones({3})));
  }
  auto frozen = reading;
  frozen.freeze();
  check_refusals(frozen, 3, 4);
}

TEST_CASE("stance: an interpreted call does not affect compiled variants") {
  const auto f = compile(absolute);
  static_cast<void>(said([&] { f(ones({3})); }));
  const ScopedStance scope(Stance::eager_on_recompile);
  f(ones({4}));
  CHECK(f.stats().eager_calls == 1);
  f(ones({3}));
  CHECK(f.stats().eager_calls == 1);
}

TEST_CASE("stance: of concurrent first calls, one compiles") {
  const auto start = [](const auto& f, int size, bool& threw) {
    return std::thread([&f, &threw, size] {
      const ScopedStance scope(Stance::fail_on_recompile);
      threw = refusal([&] { f(ones({size})); }) != "no error";
    });
  };
  for (int i = 0; i < 8; ++i) {
    const auto f = compile(twice, {.dynamic = Dynamic::off});
    bool first_threw = false, second_threw = false;
    std::thread first = start(f, 100 + i, first_threw), second = start(f, 200 + i, second_threw);
    first.join(), second.join();
    CHECK(first_threw != second_threw);
    CHECK(f.stats().variants == 1);
  }
}

TEST_CASE("stance: the first derivative, and the first call within vmap, compile") {
  const auto cubes = [] { return compile([](const Tensor& x) { return sum(x * x * x); }); };
  const ScopedStance scope(Stance::fail_on_recompile);
  const auto f = cubes(), g = cubes(), h = cubes();
  for (int i = 0; i < 3; ++i) {
    CHECK(near_tensor(grad(f)(ones({3})), full({3}, 3.0f)));
    CHECK(near_tensor(hessian(g)(ones({2})), eye(2) * 6.0f));
    CHECK(near_tensor(vmap(h)(ones({4, 5})), full({4}, 5.0f)));
  }
  const std::string report = refusal([&] { hessian(f)(ones({3})).template to_vector<float>(); });
  INFO(report);
  CHECK(contains(report, "a derivative of the call"));
  CHECK(contains(report, "before the stance is set"));
  CHECK_THROWS_AS(vmap(h)(ones({6, 5})).to_vector<float>(), RecompileLimitError);
  CHECK(near_tensor(vmap(h)(ones({4, 5})), full({4}, 5.0f)));
}

TEST_CASE("stance: eager_on_recompile interprets derivatives that were not compiled") {
  const auto f = compile([](const Tensor& x) { return sum(x * x * x * x); });
  const auto count = [&] { return f.stats().kernels_compiled + f.stats().disk_hits; };
  CHECK(near_tensor(grad(f)(ones({3})), full({3}, 4.0f)));
  const std::int64_t before = count();
  {
    const ScopedStance scope(Stance::eager_on_recompile);
    CHECK(near_tensor(hessian(f)(ones({3})), eye(3) * 12.0f));
    CHECK(count() == before);
  }
  CHECK(near_tensor(hessian(f)(ones({3})), eye(3) * 12.0f));
}

TEST_CASE("freeze: a frozen function compiles nothing new") {
  const auto f = compile(twice);
  f(ones({3}));
  f.freeze();
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
  const std::string text = refusal([&] { f(ones({3}, f64)); });
  INFO(text);
  CHECK(contains(text, "a frozen function compiles nothing new"));
  CHECK(contains(text, "before freeze"));
  CHECK(contains(text, "f64"));
  CHECK_THROWS_AS(f.prepare(ones({4})), RecompileLimitError);
  CHECK(f.stats().variants == 1);
}

TEST_CASE("freeze: a function without compiled variants throws on its first call too") {
  const auto closed = compile(twice);
  closed.freeze();
  CHECK(contains(refusal([&] { closed(ones({3})); }), "a compiled variant"));
  const auto reading = compile(absolute);
  reading.freeze();
  CHECK(contains(refusal([&] { reading(ones({3})); }), "a compiled variant"));
}

TEST_CASE("freeze: stances do not unfreeze, but force_eager runs without compiled code") {
  const auto f = compile(twice);
  f.freeze();
  const ScopedStance scope(Stance::force_eager);
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
}
