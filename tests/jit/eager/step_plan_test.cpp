#include <doctest/doctest.h>

#include <thread>

#include <sinter/autodiff/gradient_functions.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/jit/eager/step_plan.hpp>
#include <sinter/jit/state/callee.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

Graph square_of_three() {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {3}});
  graph.outputs = {build.mul(x, x)};
  return graph;
}

// sum(callee(x) * factor), x, callee(x).
Graph loss_of(SharedPtr<const Callee> callee, double factor) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {3}});
  Node node = call_of(std::move(callee), {});
  node.inputs = {x};
  const Value result{build.append(std::move(node)), 0};
  const Value scaled = build.mul(result, build.constant(constant(factor, f32), {f32, {3}}));
  graph.outputs = {build.reduce(Op::sum, scaled, {0}), x, x, result};
  return graph;
}

}  // namespace

TEST_CASE("step_plan: a plan is built the second time, and computes gradients") {
  const auto callee = make_shared_ptr<jit::CompiledCallee>(square_of_three(), jit::LowerOptions(),
                                                           WeakPtr<jit::State>());
  const Graph graph = loss_of(callee, 3), other = loss_of(callee, 4);
  CHECK(jit::step_plan_key(graph) == jit::step_plan_key(loss_of(callee, 3)));
  CHECK(jit::step_plan_key(graph) != jit::step_plan_key(other));
  jit::StepPlanCache repeated;
  int plans = 0;
  const auto find = [&](const Graph& of) {
    return repeated.find(
        jit::step_plan_key(of), [&] { return of; },
        [&](const Graph& again) {
          ++plans;
          autodiff::provide_gradient_functions();
          return jit::plan_gradients(again, 1);
        });
  };
  CHECK(find(graph) == nullptr);
  CHECK(find(other) == nullptr);
  const auto plan = find(graph);
  REQUIRE(plan != nullptr);
  CHECK(find(graph) == plan);
  CHECK(plans == 1);
  const Tensor x = from_vector(std::vector<float>{1, 2, 3}, {3}), square = x * x;
  const Vector<Storage> known{elements_of(x), elements_of(square)};
  Vector<Storage> inputs;
  for (const std::size_t position : plan->inputs) inputs.push_back(known[position]);
  runtime::interpreter_is_forbidden() = true;
  const Vector<Storage> results =
      plan->steps.run(inputs, cpu(), [](const Graph& part, std::span<const Storage> given) {
        return runtime::interpret(part, given);
      });
  runtime::interpreter_is_forbidden() = false;
  REQUIRE(results.size() == 2);
  CHECK(*static_cast<const float*>(results[0].data()) == 42);
  for (int i = 0; i < 3; ++i) {
    CHECK(static_cast<const float*>(results[1].data())[i] == 6 * static_cast<float>(i + 1));
  }
}

TEST_CASE("step_plan: SINTER_VERIFY finds graphs with different symbols under one key") {
  const auto sum_over = [](Extent count) {
    Graph graph;
    Builder build(graph);
    graph.outputs = {build.reduce(Op::sum, build.input({f32, {count}}), {0})};
    return graph;
  };
  const Graph graph = sum_over(Extent::symbol(0)), other = sum_over(Extent::symbol(1));
  const Hash key = jit::step_plan_key(graph);
  REQUIRE(jit::step_plan_key(other) == key);
  jit::StepPlanCache repeated;
  const auto make = [](const Graph& of) { return jit::StepPlan{jit::GraphSteps(of)}; };
  CHECK(repeated.find(
            key, [&] { return graph; }, make) == nullptr);
  CHECK_THROWS_AS(repeated.find(
                      key, [&] { return other; }, make),
                  InternalError);
}

namespace {

struct Scale {
  Tensor weight = from_vector(std::vector<float>{1, 2, 3}, {3});
  SINTER_MODULE(Scale, weight)
  Tensor forward(const Tensor& x) const { return x * weight; }
};

struct Forbidden {
  explicit Forbidden(bool is) { runtime::interpreter_is_forbidden() = is; }
  ~Forbidden() { runtime::interpreter_is_forbidden() = false; }
};

}  // namespace

TEST_CASE("step_plan: a constant of the loss that changes becomes an input") {
  Scale scale;
  const auto model = compile(scale);
  const Tensor x = from_vector(std::vector<float>{1, 1, 2}, {3});
  for (int step = 0; step < 8; ++step) {
    const Forbidden forbidden(step >= 4);
    const double weight = 0.25 * (step + 1);
    const auto [loss, gradients] = value_and_grad(scale, [&] {
      const Tensor y = model(x);
      return sum(y * y) * weight + 3;
    });
    CHECK(loss.item<float>() == doctest::Approx(41 * weight + 3));
    const std::vector<float> found = gradients["weight"].to_vector<float>();
    const std::vector<double> expected{2 * weight, 4 * weight, 24 * weight};
    for (std::size_t i = 0; i < 3; ++i) CHECK(found[i] == doctest::Approx(expected[i]));
  }
}

TEST_CASE("step_plan: a loss that draws random numbers is compiled, and draws each time") {
  Scale scale;
  const auto model = compile(scale);
  const Tensor x = ones({3});
  std::vector<float> plain, compiled;
  for (std::vector<float>* const losses : {&plain, &compiled}) {
    random::manual_seed(7);
    for (int step = 0; step < 6; ++step) {
      const Forbidden forbidden(losses == &compiled && step >= 4);
      const auto [loss, gradients] = value_and_grad(scale, [&] {
        const Tensor y = losses == &compiled ? model(x) : scale.forward(x);
        return sum(y * y * rand({3}));
      });
      losses->push_back(loss.item<float>());
    }
  }
  CHECK(plain == compiled);
  CHECK(plain[4] != plain[5]);
}

TEST_CASE("step_plan: one line with other sizes, other constants and other variables") {
  Scale scale;
  const auto model = compile(scale);
  const auto loss_of = [&](const Tensor& x, bool is_fixed) {
    return value_and_grad(scale, [&] {
      const Tensor y = model(x);
      return sum(y * (is_fixed ? detach(y) : y));
    });
  };
  for (int step = 0; step < 4; ++step) {
    for (const bool is_fixed : {false, true}) {
      for (const std::int64_t rows : {1, 2, 5}) {
        const auto [loss, gradients] = loss_of(ones({rows, 3}), is_fixed);
        CHECK(loss.item<float>() == static_cast<float>(14 * rows));
        const float factor = static_cast<float>(rows) * (is_fixed ? 1 : 2);
        CHECK(gradients["weight"].to_vector<float>() ==
              std::vector<float>{factor, 2 * factor, 3 * factor});
      }
    }
  }
}

TEST_CASE("step_plan: another thread may compute what a loss reads") {
  Scale scale;
  const auto model = compile(scale);
  const Tensor x = from_vector(std::vector<float>{1, 1, 2}, {3});
  for (int step = 0; step < 300; ++step) {
    const Tensor shared = x + 1;  // 2, 2, 3: not computed yet
    std::thread other([shared] { CHECK(shared.to_vector<float>()[2] == 3); });
    const auto [loss, gradients] =
        value_and_grad(scale, [&] { return sum(model(x) * shared * shared); });
    CHECK(loss.item<float>() == 66);
    CHECK(gradients["weight"].to_vector<float>() == std::vector<float>{4, 4, 18});
    other.join();
  }
}
