// test: moved
// Promise 8: which numbers are inputs, which are guarded, and which become inputs.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

struct Settings {
  float rate = 1;
  double shift = 0;
  int times = 1;
  Scalar scale = 1.0f;
  SINTER_MODULE(Settings, rate, shift, times, scale)
  Tensor forward(const Tensor& x) const { return x * rate * scale + shift * times; }
};

struct Counter {
  Tensor total = zeros({2});
  int steps = 0;
  float decay = 1;
  SINTER_MODULE(Counter, total, steps, decay)
};

float at(int step) { return 1.0f - 0.001f * static_cast<float>(step); }

const int many = jit::checks() ? 100 : 1000;

}  // namespace

TEST_CASE("promise 2.8: a Scalar that changes on each of 1,000 steps costs no recompile") {
  const auto f = compile([](const Tensor& x, Scalar rate) { return x * rate; });
  Settings settings;
  const auto member = compile(settings);
  for (int step = 0; step < many; ++step) {
    REQUIRE(is(f(ones({2}), at(step)), at(step)));
    settings.scale = at(step);
    REQUIRE(is(member(ones({2})), at(step)));
  }
  CHECK(f.stats().recompiles == 0);
  CHECK(member.stats().recompiles == 0);
  CHECK(member.stats().recordings == 1);
}

TEST_CASE("promise 2.8: a float argument or member that changes costs one recompile, not eight") {
  const auto argument = compile([](const Tensor& x, float rate) { return x * rate + 1.0f; });
  Settings settings;
  const auto member = compile(settings);
  for (int step = 0; step < many; ++step) {
    REQUIRE(is(argument(ones({2}), at(step)), at(step) + 1));
    settings.rate = at(step);
    settings.shift = 2 * at(step);
    REQUIRE(is(member(ones({2})), 3 * at(step)));
  }
  CHECK(argument.stats().recompiles == 1);
  CHECK(member.stats().recompiles == 1);
  CHECK(argument.stats().eager_calls + member.stats().eager_calls == 0);
}

Tensor scaled(const Tensor& x, double by) { return x * by; }
Tensor shifted(const Tensor& x, float by, double twice) { return x + by - 2 * twice; }
Tensor by_whole_number(const Tensor& x, double times) { return x * static_cast<int>(times); }

TEST_CASE("promise 2.8: a float argument of a function costs one recompile as well") {
  const auto f = compile(scaled);
  const auto pointer = compile(&shifted);
  for (int step = 0; step < 20; ++step) {
    REQUIRE(is(f(ones({2}), at(step)), at(step)));
    const auto twice = static_cast<float>(step);
    REQUIRE(is(pointer(ones({2}), at(step), twice), 1 + at(step) - 2 * twice));
  }
  CHECK(f.stats().recompiles == 1);
  CHECK(pointer.stats().recompiles == 1);
  CHECK(f.stats().eager_calls + pointer.stats().eager_calls == 0);
}

TEST_CASE("promise 2.8: a float that changes nothing costs no recompile") {
  const auto f = compile(by_whole_number);
  for (int step = 0; step < 20; ++step) REQUIRE(is(f(ones({2}), 1 + 0.01 * step), 1));
  CHECK(f.stats().recompiles == 0);
  CHECK(f.stats().eager_calls == 0);
  CHECK(is(f(ones({2}), 3.5), 3));
}

TEST_CASE("promise 2.8: a Scalar that is assigned a number of another type costs no recompile") {
  Settings settings;
  const auto member = compile(settings);
  const auto argument = compile([](const Tensor& x, const Scalar& rate) { return x * rate; });
  Scalar rate = 0.5f;
  const auto both_give = [&](float expected) {
    REQUIRE(is(member(ones({2})), expected));
    REQUIRE(is(argument(ones({2}), rate), expected));
  };
  settings.scale = rate = 0.5f, both_give(0.5f);
  settings.scale = 0.25, rate = 0.25, both_give(0.25f);
  settings.scale = 3, rate = 3, both_give(3);
  CHECK(member.stats().recordings + argument.stats().recordings == 2);
}

TEST_CASE("promise 2.8: a Scalar of another dtype is named, whatever was called in between") {
  for (const bool is_open : {false, true}) {
    Tensor shift = zeros({2});
    const auto closed = [](const Tensor& x, const Scalar& a, const Scalar& b) { return x * a + b; };
    const auto open = [&](const Tensor& x, const Scalar& a, const Scalar& b) {
      return x * a + b + shift;
    };
    const auto reason_of = [&](const auto& f) {
      f(ones({2}), 0.5f, 0.5f);
      f(ones({2}, f64), 0.5f, 0.5f);
      f(ones({2}), 0.5f, 0.5);
      return f.explain().recompiles.back();
    };
    const std::string reason = is_open ? reason_of(compile(open)) : reason_of(compile(closed));
    INFO(reason);
    CHECK(contains(reason, "argument 2: expected f32, found f64"));
    CHECK(contains(reason, "0.5f is f32"));
  }
}

TEST_CASE("promise 2.8: long double arguments are compared in all their digits") {
  const auto f = compile([](const Tensor& x, long double k) { return k == 1.0L ? x : x * 2.0f; });
  const auto g = compile([](const Tensor& x, const std::vector<long double>& k) {
    return k[0] > 1.0L ? x : x * 2.0f;
  });
  const long double above = std::nextafter(1.0L, 2.0L), huge = 1e400L;
  for (const long double k : {1.0L, above, 1.0L, huge, 2 * huge, above}) {
    REQUIRE(is(f(ones({2}), k), k == 1.0L ? 1 : 2));
    REQUIRE(is(g(ones({2}), std::vector<long double>{k}), k > 1.0L ? 1 : 2));
  }
}

TEST_CASE("promise 2.8: a captured float that changes costs one recompile") {
  float rate = 1;
  const auto f = compile([&rate](const Tensor& x) { return x * rate + rate; });
  for (int step = 0; step < many; ++step) {
    rate = at(step);
    REQUIRE(is(f(ones({2})), 2 * at(step)));
  }
  CHECK(f.stats().recompiles == 1);
  CHECK(f.stats().eager_calls == 0);
}

TEST_CASE("promise 2.8: numbers that are computed from one that varies vary with it") {
  const auto f = compile([](const Tensor& x, double rate) {
    const double correction = 1.0 - rate * rate;
    return x * static_cast<float>(correction) - (x + std::sqrt(rate)) * 0.5f;
  });
  for (int step = 1; step < 20; ++step) {
    const double rate = 0.04 * step;
    CHECK(is(f(ones({2}), rate), 1 - rate * rate - (1 + std::sqrt(rate)) * 0.5));
  }
  CHECK(f.stats().recompiles == 1);
}

TEST_CASE("promise 2.8: a float that decides what is computed is still seen") {
  const auto f = compile([](const Tensor& x, float rate) {
    if (rate > 0.5f) return x * rate;
    return x - 100.0f * rate;
  });
  for (const float rate : {0.9f, 0.8f, 0.1f, 0.7f, 0.2f, 0.3f, 0.6f, 0.5f, 0.55f}) {
    CHECK(is(f(ones({2}), rate), rate > 0.5f ? rate : 1 - 100 * rate));
  }
  CHECK(f.stats().eager_calls == 0);
}

TEST_CASE("promise 2.8: a float that happens to equal a constant is not taken for it") {
  const auto f = compile([](const Tensor& x, float a, float b) { return x * a + b + 2.0f; });
  CHECK(is(f(ones({2}), 2.0f, 2.0f), 6));
  CHECK(is(f(ones({2}), 3.0f, 2.0f), 7));
  CHECK(is(f(ones({2}), 3.0f, 5.0f), 10));
  CHECK(is(f(ones({2}), 0.0f, 1.0f), 3));
  CHECK(is(f(ones({2}), not_a_number, 1.0f), not_a_number));
  CHECK(is(f(ones({2}), -0.0f, infinity), infinity));
  CHECK(is(f(ones({2}), 2.0f, 2.0f), 6));
}

TEST_CASE("promise 2.8: a result that is a plain number is that of the call") {
  const auto f = compile([](const Tensor& x, float rate) {
    return std::pair<Tensor, float>{x * rate, rate * 10.0f};
  });
  for (int step = 0; step < 6; ++step) {
    const auto [scaled, number] = f(ones({2}), at(step));
    CHECK(is(scaled, at(step)));
    CHECK(number == at(step) * 10.0f);
  }
}

TEST_CASE("promise 2.8: integers and bools are guarded by value, whole") {
  Settings settings;
  settings.shift = 1;
  const auto f = compile(settings);
  for (const int times : {1, 2, 3, 2, 1}) {
    settings.times = times;
    CHECK(is(f(ones({2})), 1 + times));
  }
  CHECK(f.stats().recompiles == 2);
}

TEST_CASE("promise 2.8: arithmetic on a Scalar records, and it may be in-out") {
  const auto f = compile([](Tensor& mean, Scalar& decay, const Tensor& x) {
    mean = mean * decay + x * (1.0f - decay);
    decay *= 0.5f;
    return decay + 1.0f;
  });
  Tensor mean = zeros({2});
  Scalar decay = 0.5f;
  double expected = 0, factor = 0.5;
  for (int i = 0; i < 6; ++i) {
    CHECK(is(f(mean, decay, ones({2})), factor / 2 + 1));
    expected = expected * factor + 1 - factor;
    factor /= 2;
    CHECK(is(mean, expected));
    CHECK(decay.item<double>() == factor);
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.8: reading a Scalar is a force") {
  const auto f = compile([](const Tensor& x, Scalar rate) { return x * rate.item<float>(); },
                         {.fullgraph = true});
  CHECK_THROWS_AS(f(ones({2}), 2.0f), GraphBreakError);
  const auto g = compile([](const Tensor& x, Scalar rate) { return rate ? x : -x; });
  CHECK(is(g(ones({2}), 2.0f), 1));
  CHECK(is(g(ones({2}), 0.0f), -1));
  CHECK(g.stats().breaks == 1);
}

TEST_CASE("promise 2.8: a plain number that the function changes throws, naming it and Scalar") {
  const auto steps = compile([](Counter& counter) {
    ++counter.steps;
    counter.total += 1.0f;
  });
  const auto decay = compile([](Counter& counter) { counter.decay *= 0.5f; });
  const auto number = compile([](const Tensor& x, int& count) { return x * ++count; });
  Counter counter;
  int count = 0;
  for (int again = 0; again < 2; ++again) {
    const std::string of_steps = message_of<ValueError>([&] { steps(counter); });
    CHECK(contains(of_steps, "argument 0.steps"));
    CHECK(contains(of_steps, "Scalar"));
    CHECK(contains(message_of<ValueError>([&] { decay(counter); }), "argument 0.decay"));
    CHECK(contains(message_of<ValueError>([&] { number(ones({2}), count); }), "argument 1"));
  }
  CHECK(counter.steps == 0);
  CHECK(counter.decay == 1);
  CHECK(count == 0);
  CHECK(is(counter.total, 0));
}
