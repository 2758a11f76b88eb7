// test: moved
// Promise 16: errors of the user and of ours; a call that fails leaves everything as it was.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

struct Model {
  Tensor table = ready(ones({4, 3}));
  Tensor total = ready(zeros({3}));
  Scalar steps = 0;
  SINTER_MODULE(Model, table, total, steps)
};

void update(Model& model, const Tensor& index) {
  model.table = model.table * 2.0f;
  model.total += sum(index_select(model.table, 0, index), {0});
  model.steps += 1;
}

void check_untouched(const Model& model, double table, double total, int steps) {
  CHECK(is(model.table, table));
  CHECK(is(model.total, total));
  CHECK(model.steps.item<int>() == steps);
}

// The error that a call with this index throws, after which `model` is what it was.
template <class F>
std::string fault_of(const F& f, Model& model, const Tensor& index) {
  const double table = model.table[{0, 0}].item<double>(), total = model.total[0].item<double>();
  const int steps = model.steps.item<int>();
  const std::string report = message_of<IndexError>([&] { f(model, index); });
  check_untouched(model, table, total, steps);
  return report;
}

}  // namespace

TEST_CASE("promise 2.16: errors have a layout: what, facts, rule, fix, place, section") {
  const std::string report = message_of<ShapeError>([] { ones({3, 4}) + ones({5, 4}); });
  const unsigned line = __LINE__ - 1;
  CHECK(report.rfind("add: ", 0) == 0);
  for (const char* part : {"\n  lhs   f32[3, 4]", "\n  rhs   f32[5, 4]", "\n  rule  ", "\n  fix   ",
                           "\n  see   docs/errors.md#"}) {
    CHECK(contains(report, part));
  }
  CHECK(contains(report, text("promise_16_errors_test.cpp:", line)));
}

TEST_CASE("promise 2.16: a fault in data throws with line, index and bound") {
  for (const Backend backend : {Backend::fused, Backend::aot_eager, Backend::eager}) {
    INFO("backend " << static_cast<int>(backend));
    const auto f = compile(update, {.backend = backend});
    Model model;
    f(model, integers({0, 3}));
    const std::string report = fault_of(f, model, integers({0, 4}));
    CHECK(contains(report, "promise_16_errors_test.cpp:"));
    INFO(report);
    CHECK(contains(report, "index 4"));
    CHECK((contains(report, "size  4") || contains(report, "bound 4")));
    CHECK(contains(fault_of(f, model, integers({-5, 0})), "index -5"));
    f(model, integers({0, -1}));
    check_untouched(model, 4, 12, 2);
  }
}

TEST_CASE("promise 2.16: a fault leaves state unchanged, at the same address") {
  const auto f = compile(update);
  Model model;
  f(model, integers({0}));
  f(model, integers({0}));
  const void *const table = place(model.table), *const total = place(model.total);
  for (int i = 0; i < 5; ++i) fault_of(f, model, integers({0, 1, 2, 9}));
  CHECK(place(model.table) == table);
  CHECK(place(model.total) == total);
  f(model, integers({0}));
  CHECK(place(model.table) == table);
  check_untouched(model, 8, 14, 3);
  CHECK(f.stats().recompiles <= 1);
}

TEST_CASE("promise 2.16: a fault late in a large index is found, with many threads too") {
  const auto f = compile([](Tensor& state, const Tensor& table, const Tensor& index) {
    state = state + 1.0f;
    return sum(index_select(table, 0, index)) + sum(state);
  });
  std::vector<std::int64_t> list(50000, 1);
  const Tensor good = integers(list), table = ready(ones({8, 4}));
  list[49999] = 8;
  const Tensor bad = integers(list);
  Tensor state = ready(zeros({30000}));
  set_num_threads(3);
  f(state, table, good);
  for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(f(state, table, bad), IndexError);
  CHECK(is(state, 1));
  f(state, table, good);
  set_num_threads(0);
  CHECK(is(state, 2));
}

TEST_CASE("promise 2.16: targets of a loss are checked, and the step is not made") {
  nn::Linear model{3, 4};
  const auto step = compile([](nn::Linear& net, const Tensor& x, const Tensor& target) {
    auto [loss, gradients] = value_and_grad(net, [&] { return cross_entropy(net(x), target); });
    optim::SGD{.learning_rate = 0.5f}.step(net, gradients);
    return loss;
  });
  const Tensor x = randn({2, 3});
  step(model, x, integers({0, 3}));
  const Tensor before = ready(model.weight * 1.0f);
  CHECK_THROWS_AS(step(model, x, integers({0, 4})), IndexError);
  CHECK(same_bits(model.weight, before));
  step(model, x, integers({0, 3}));
  CHECK_FALSE(same_bits(model.weight, before));
}

TEST_CASE("promise 2.16: where a call takes no location, the line of compile or of the value") {
  const auto f = compile([](const Tensor& x, const Tensor& y) { return x * y; });
  const unsigned line = __LINE__ - 1;
  CHECK(contains(message_of<ShapeError>([&] { f(ones({2}), ones({3})); }),
                 text("promise_16_errors_test.cpp:", line)));
  const Tensor many = ones({2}) > 0.0f;
  const unsigned made = __LINE__ - 1;
  CHECK(contains(message_of<ShapeError>([&] { static_cast<void>(many ? 1 : 0); }),
                 text("promise_16_errors_test.cpp:", made)));
}

TEST_CASE("promise 2.16: a failed recording leaves caches and arguments as they were") {
  static int mode = 0;
  const auto f = compile([](Model& model, const Tensor& x) {
    model.total += sum(x, {0});
    model.steps += 1;
    if (mode == 1) throw std::runtime_error("of the user");
    if (mode == 2) model.total = matmul(model.total, ones({7, 7}));
  });
  Model model;
  mode = 1;
  CHECK_THROWS_WITH_AS(f(model, ones({2, 3})), "of the user", std::runtime_error);
  mode = 2;
  CHECK_THROWS_AS(f(model, ones({2, 3})), ShapeError);
  check_untouched(model, 1, 0, 0);
  CHECK(f.stats().calls == 0);
  CHECK(f.stats().variants == 0);
  mode = 0;
  f(model, ones({2, 3}));
  check_untouched(model, 1, 2, 1);
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.16: what is not the user's fault is an InternalError, and no UserError") {
  static_assert(!std::is_base_of_v<UserError, InternalError>);
  static_assert(std::is_base_of_v<std::runtime_error, UserError>);
  CHECK(contains(InternalError("x").what(), "bug in sinter"));
}

TEST_CASE("promise 2.16: without a host compiler there is one message, and the eager backend" *
          doctest::test_suite("host: GPUs need no host compiler")) {
  const ScopedFreshCache fresh;
  const ScopedVariable compiler("SINTER_CXX", "/nonexistent/compiler");
  Tensor total = zeros({3});
  const std::string told = said([&] {
    const auto f = compile([](Tensor& state, const Tensor& x) { return state += tanh(x); });
    for (int i = 0; i < 3; ++i) f(total, ones({3}));
    CHECK(f.stats().eager_calls == 3);
    CHECK(f.stats().eager_calls == f.stats().calls);
    const Tensor captured = ones({3});
    const auto open = compile([captured](const Tensor& x) { return exp(x) * captured; });
    for (int i = 0; i < 3; ++i) open(ones({3}));
    CHECK(open.stats().eager_calls == 3);
    CHECK(is(compile([](const Tensor& x) { return x * 5.0f; })(ones({2})), 5));
  });
  CHECK(is(total, 3 * std::tanh(1.0)));
  CHECK(count(told, "sinter: ") == 1);
  CHECK(contains(told, "compiler"));
}
