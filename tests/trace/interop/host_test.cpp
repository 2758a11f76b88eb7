// test: moved
// What a function does on the host while it is recorded, and on every replay.

#include <doctest/doctest.h>

#include <stdexcept>

#include "jit/support.hpp"

using namespace testing;

namespace {

// Replayed functions have no captures: host functions record what they saw here.
std::vector<Numbers> seen;
int failures_left = 0;

void note(const Tensor& x) { seen.push_back(numbers(x)); }
void note_or_fail(const Tensor& x) {
  if (failures_left > 0 && failures_left-- == 1) throw std::runtime_error("host");
  note(x);
}

}  // namespace

TEST_CASE("host: called on every replay, in order, without a graph break") {
  seen.clear();
  const auto compiled = compile([](const Tensor& x) {
    host(note)(x * 2.0f);
    const Tensor y = x + 1.0f;
    host(note)(y);
    host(note)(x);
    return y * y;
  });
  for (int i = 0; i < 3; ++i)
    CHECK(near(compiled(full({1}, static_cast<float>(i))), {(i + 1.0) * (i + 1)}));
  CHECK(compiled.stats().recordings == 1);
  CHECK(compiled.stats().breaks == 0);
  CHECK(compiled.stats().graphs == 1);
  REQUIRE(seen.size() >= 9);
  const std::size_t last = seen.size() - 3;
  CHECK(seen[last] == Numbers{4});
  CHECK(seen[last + 1] == Numbers{3});
  CHECK(seen[last + 2] == Numbers{2});
}

TEST_CASE("host: takes constants, arguments, captured tensors, scalars and several operands") {
  std::vector<Numbers> values;
  const Tensor captured = full({1}, 7.0f);
  const auto compiled = compile([&](const Tensor& x, Scalar factor) {
    host([&values](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
      for (const Tensor* t : {&a, &b, &c, &d}) values.push_back(numbers(*t));
    })(x, 5, captured, factor);
    return x * factor;
  });
  for (int i = 1; i < 4; ++i) {
    values.clear();
    CHECK(near(compiled(full({1}, static_cast<float>(i)), i), {1.0 * i * i}));
    CHECK(values == std::vector<Numbers>{{1.0 * i}, {5}, {7}, {1.0 * i}});
  }
}

TEST_CASE("host: an exception leaves arguments and random state as they were") {
  const Tensor offset = zeros({2});
  const auto closed = compile([](Tensor& state, const Tensor& x) {
    state = state + x + rand({2}) * 0.0f;
    host(note_or_fail)(state);
  });
  const auto open = compile([offset](Tensor& state, const Tensor& x) {
    state = state + x + rand({2}) * 0.0f + offset;
    host(note_or_fail)(state);
  });
  const auto check = [&](const auto& compiled) {
    Tensor state = zeros({2});
    for (int i = 0; i < 6; ++i) {
      INFO("call " << i);
      const auto before = random::state().offset;
      failures_left = i % 2;
      if (i % 2 == 1) {
        CHECK_THROWS_WITH_AS(compiled(state, ones({2})), "host", std::runtime_error);
        CHECK(random::state().offset == before);
      } else {
        failures_left = 0;
        compiled(state, ones({2}));
        CHECK(random::state().offset >= before + 1);
      }
      CHECK(near(state, Numbers(2, i / 2 + 1)));
    }
  };
  check(closed);
  check(open);
}

TEST_CASE("host: outside of recordings it is a call") {
  seen.clear();
  host(note)(ones({2}));
  CHECK(seen == std::vector<Numbers>{{1, 1}});
}

TEST_CASE("host: the function is called at the line of host") {
  static Where line;  // a function that runs later must not refer to variables
  const auto function = [](const Tensor&, Where where = Where::current()) { line = where; };
  const Where user = Where::current();
  host(function, user)(ones({2}));
  CHECK(to_string(line) == to_string(user));
  line = {};
  const auto compiled = compile([=](const Tensor& x) {
    host(function, user)(x);
    return x + 1;
  });
  compiled(ones({2}));
  CHECK(to_string(line) == to_string(user));
}

TEST_CASE("host: print is an effect at its place, without a break, on every replay") {
  const auto compiled = compile([](const Tensor& x) {
    print(x);
    const Tensor y = x * 2.0f;
    host([](const Tensor& t) { print_text("host " + format(t)); })(y);
    print(y);
    return y + 1.0f;
  });
  for (int i = 1; i < 4; ++i) {
    const Tensor x = vector({static_cast<float>(i), 4});
    Tensor result;
    const std::string text_of_call = written_to(stdout, [&] { result = compiled(x); });
    CHECK(text_of_call == text("[", i, ". 4.]\nhost [", 2 * i, ". 8.]\n[", 2 * i, ". 8.]\n"));
    CHECK(near(result, {2.0 * i + 1, 9}));
  }
  CHECK(compiled.stats().recordings == 1);
  CHECK(compiled.stats().breaks == 0);
}

TEST_CASE("host: print and breaks keep their order, in gradients and of captured tensors too") {
  const Tensor captured = full({1}, 9.0f);
  const auto compiled = compile([&](const Tensor& x) {
    print(captured);
    return grad([](const Tensor& t) {
      print(t);
      const Tensor y = t * t;
      if (sum(y).item<float>() > 0) print(y);
      return sum(y * t);
    })(x);
  });
  for (int i = 1; i < 4; ++i) {
    const std::string all_of_it = written_to(
        stdout, [&] { CHECK(near(compiled(full({1}, static_cast<float>(i))), {3.0 * i * i})); });
    CHECK(all_of_it == text("[9.]\n[", i, ".]\n[", i * i, ".]\n"));
  }
  CHECK(compiled.stats().breaks == 1);
  CHECK(compiled.stats().recompiles == 0);
}

TEST_CASE("disable: runs on elements, on every call, and its results are used further") {
  int calls = 0;
  const auto outside_of_graph = disable([&](const Tensor& x, int power) {
    CHECK(!is_recording());
    ++calls;
    Tensor y = x;
    for (int i = 1; i < power; ++i) y = y * static_cast<float>(numbers(x)[0]);
    return y;
  });
  const auto compiled =
      compile([&](const Tensor& x) { return outside_of_graph(x + 1.0f, 3) * 2.0f; });
  for (int i = 0; i < 4; ++i) {
    const double y = i + 1;
    CHECK(near(compiled(full({2}, static_cast<float>(i))), Numbers(2, 2 * y * y * y)));
  }
  CHECK(calls == 4);
  CHECK(compiled.stats().breaks == 1);
  CHECK(compiled.stats().graphs == 2);
  CHECK(compiled.stats().recompiles == 0);
}

TEST_CASE("disable: compiled functions in it run eagerly, unless it is not recursive") {
  const auto inner = compile([](const Tensor& x) { return x * 3.0f; });
  const auto call = [&inner](const Tensor& x) { return inner(x); };
  const auto all = compile([&](const Tensor& x) { return disable(call)(x + 1.0f); });
  CHECK(near(all(ones({2})), {6, 6}));
  CHECK(inner.stats().calls == 0);
  const auto outer_only =
      compile([&](const Tensor& x) { return disable(call, Recursive::no)(x + 1.0f); });
  CHECK(near(outer_only(ones({2})), {6, 6}));
  CHECK(inner.stats().calls == 1);
  CHECK(near(disable(call)(ones({2})), {3, 3}));
  CHECK(inner.stats().calls == 1);
}

TEST_CASE("disable: in a gradient its operations are differentiated") {
  const auto cube = disable([](const Tensor& x) { return x * x * x; });
  const auto compiled = compile(grad([&](const Tensor& x) { return sum(cube(x) * 2.0f); }));
  for (int i = 1; i < 3; ++i)
    CHECK(near(compiled(full({2}, static_cast<float>(i))), Numbers(2, 6.0 * i * i)));
}

TEST_CASE("disable: changes of arguments that are passed by reference are seen") {
  const auto twice = disable([](Tensor& x) { x = x * static_cast<float>(numbers(x)[0]); });
  const auto compiled = compile([&](Tensor& x) {
    x = x + 1.0f;
    twice(x);
    return x + 0.5f;
  });
  Tensor x = ones({2});
  CHECK(near(compiled(x), {4.5, 4.5}));
  CHECK(near(x, {4, 4}));
  CHECK(near(compiled(x), {25.5, 25.5}));
}

TEST_CASE("host: in a branch graph_break is an error, print and host are called") {
  const auto in_branch = [](const Tensor& x, auto effect) {
    return cond(
        sum(x) > 0, [&](const Tensor& t) { return effect(t), t * 2.0f; },
        [](const Tensor& t) { return t; }, x);
  };
  const auto compiled = compile(
      [&](const Tensor& x) { return in_branch(x, [](const Tensor&) { graph_break("no"); }); });
  CHECK_THROWS_AS(compiled(ones({2})), GraphBreakError);
  const auto printing =
      compile([&](const Tensor& x) { return in_branch(x, [](const Tensor& t) { print(t); }); });
  const auto print_ones = [&] { printing(ones({2})); };
  CHECK(testing::written_to(stdout, print_ones) == "[1. 1.]\n");
  const auto hosting = compile(
      [&](const Tensor& x) { return in_branch(x, [](const Tensor& t) { host(note)(t); }); });
  seen.clear();
  hosting(ones({2}));
  hosting(-ones({2}));
  CHECK(seen == std::vector<std::vector<double>>{{1, 1}});
}

TEST_CASE("disable: a reason is part of the graph break, in the log and in explain()") {
  const auto twice = [](const Tensor& x) { return x + x; };
  const auto f = compile([&](const Tensor& x) {
    return disable(twice, "its kernel is wrong on this CPU", Recursive::no)(exp(x)) * 2.0f;
  });
  const std::string told = testing::said([&] { f(zeros({3})); });
  CHECK(told.find("a disabled function is called: its kernel is wrong on this CPU") !=
        std::string::npos);
  REQUIRE(f.explain().breaks.size() == 1);
  CHECK(f.explain().breaks[0].reason.ends_with("its kernel is wrong on this CPU"));
  CHECK(to_string(f.explain()).find("its kernel is wrong on this CPU") != std::string::npos);
  CHECK(disable(twice, "not recorded")(ones({2})).to_vector<float>() ==
        std::vector<float>{2.0f, 2.0f});
}
