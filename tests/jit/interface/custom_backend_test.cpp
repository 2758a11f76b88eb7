// test: moved
#include <doctest/doctest.h>
#include <sinter/backend.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

const auto curve = [](const Tensor& x) { return tanh(x) * 2.0f + 1.0f; };

int graphs_seen = 0;

GraphFunction interpreting(const GraphView& graph) {
  ++graphs_seen;
  return [graph](std::span<const Tensor> inputs) { return graph.interpret(inputs); };
}

std::vector<std::string> operations_of(const GraphView& graph) {
  std::vector<std::string> result;
  for (const GraphNode& node : graph.nodes) result.push_back(node.op);
  return result;
}

}  // namespace

TEST_CASE("custom_backend: a backend sees nodes, types, operands, attributes and lines") {
  GraphView* seen = nullptr;
  const auto keep = [&](const GraphView& graph) -> GraphFunction {
    seen = new GraphView(graph);
    return interpreting(graph);
  };
  const auto f = compile([](const Tensor& x) { return sum(tanh(x), {1}) * 2.0f; },
                         {.custom_backend = register_backend("keeping", keep)});
  CHECK(near(f(zeros({2, 3})), {0, 0}));
  REQUIRE(seen != nullptr);
  const GraphView graph = *seen;
  delete seen;
  const std::vector<std::string> operations = operations_of(graph);
  const auto at = [&](const char* op) {
    return static_cast<std::size_t>(std::find(operations.begin(), operations.end(), op) -
                                    operations.begin());
  };
  REQUIRE(at("sum") < operations.size());
  const GraphNode& total = graph.nodes[at("sum")];
  CHECK(total.operands == std::vector<GraphValue>{{at("tanh"), 0}});
  CHECK(total.attributes.at(0) == std::pair<std::string, std::string>("axes", "[1]"));
  CHECK(total.results.at(0).dtype == f32);
  CHECK(to_string(total.results.at(0).shape) == "[2]");
  CHECK(total.function == "sum");
  CHECK(contains(to_string(total.where), "custom_backend_test.cpp"));
  CHECK(graph.inputs == std::vector<std::size_t>{at("input")});
  CHECK(graph.outputs == std::vector<GraphValue>{{operations.size() - 1, 0}});
  CHECK(contains(graph.nodes[at("constant")].attributes.at(0).second, "2"));
  CHECK(contains(graph.text(), "= tanh %"));
  CHECK(near(graph.interpret(std::vector<Tensor>{zeros({2, 3})}).at(0), {0, 0}));
}

TEST_CASE("custom_backend: what the backend gives computes the results of calls") {
  register_backend("tens", [](const GraphView& graph) -> GraphFunction {
    return [graph](std::span<const Tensor> inputs) {
      return std::vector<Tensor>{graph.interpret(inputs)[0] * 10.0f};
    };
  });
  const auto f = compile(curve, {.custom_backend = "tens"});
  CHECK(near(f(zeros({3})), {10, 10, 10}));
  CHECK(near(f(zeros({3})), {10, 10, 10}));
  CHECK(f.stats().kernels == 0);
  CHECK(f.stats().interpreted == 0);
  CHECK(f.stats().eager_calls == 0);
  CHECK(f.explain().graphs.at(0).interpreted.empty());
}

TEST_CASE("custom_backend: every function has its own graph; a recording is replayed") {
  const auto name = register_backend("counting", interpreting);
  graphs_seen = 0;
  const auto f = compile(curve, {.custom_backend = name});
  const auto g = compile(curve, {.custom_backend = name});
  for (int i = 0; i < 3; ++i) CHECK(near_tensor(f(ones({4})), curve(ones({4}))));
  CHECK(near_tensor(g(ones({4})), curve(ones({4}))));
  CHECK(graphs_seen == 2);
}

TEST_CASE("custom_backend: symbols, state, gradients, breaks and control flow") {
  const auto name = register_backend("interpreting", interpreting);
  const auto f = compile(curve, {.dynamic = Dynamic::on, .custom_backend = name});
  for (const int n : {3, 5, 9}) CHECK(near_tensor(f(ones({n})), curve(ones({n}))));
  CHECK(f.stats().recordings == 1);
  const auto step =
      compile([](Tensor& state, const Tensor& x) { state += x; }, {.custom_backend = name});
  Tensor state = ones({2});
  for (int i = 0; i < 3; ++i) step(state, ones({2}));
  CHECK(near(state, {4, 4}));
  const auto slope = [](const Tensor& x) {
    return grad([](const Tensor& y) { return sum(sin(y)); })(x);
  };
  CHECK(near_tensor(compile(slope, {.custom_backend = name})(ones({3})), slope(ones({3}))));
  const auto g = compile([](const Tensor& x) { return sum(x * x); }, {.custom_backend = name});
  CHECK(near(grad(g)(ones({2})), {2, 2}));
  const auto broken = [](const Tensor& x) {
    const Tensor y = x * 2.0f;
    return sum(y).item<float>() > 0 ? y + 1.0f : y - 1.0f;
  };
  const auto h = compile(broken, {.custom_backend = name});
  said([&] { CHECK(near(h(ones({2})), {3, 3})); });
  const auto branches = [](const Tensor& x) {
    return cond(
        sum(x) > 0.0f, [](const Tensor& y) { return y * 2.0f; }, [](const Tensor& y) { return -y; },
        x);
  };
  CHECK(near(compile(branches, {.custom_backend = name})(ones({2})), {2, 2}));
}

TEST_CASE("custom_backend: its errors arrive with the function, the graph and the exception") {
  struct Odd : std::runtime_error {
    using runtime_error::runtime_error;
  };
  register_backend("refusing",
                   [](const GraphView&) -> GraphFunction { throw Odd("no tanh here"); });
  const auto f = compile(curve, {.name = "curve", .custom_backend = "refusing"});
  const std::string told = message_of<ValueError>([&] { f(ones({3})); });
  INFO(told);
  CHECK(contains(told, "curve: the backend refusing failed with a graph"));
  CHECK(contains(told, "error no tanh here"));
  CHECK(contains(told, "3 operations, the last at "));
  bool was_nested = false;
  try {
    f(ones({3}));
  } catch (const ValueError& error) {
    try {
      std::rethrow_if_nested(error);
    } catch (const Odd&) {
      was_nested = true;
    }
  }
  CHECK(was_nested);
  CHECK(f.stats().variants == 0);
}

TEST_CASE("custom_backend: an error in a call leaves the arguments as they were") {
  static int failures = 1;
  register_backend("failing", [](const GraphView& graph) -> GraphFunction {
    return [graph](std::span<const Tensor> inputs) {
      if (failures-- > 0) throw 3;
      return graph.interpret(inputs);
    };
  });
  const auto step = compile([](Tensor& state) { state += 1.0f; }, {.custom_backend = "failing"});
  Tensor state = zeros({2});
  CHECK(contains(message_of<ValueError>([&] { step(state); }),
                 "the backend failing failed in a call"));
  CHECK(near(state, {0, 0}));
  step(state);
  CHECK(near(state, {1, 1}));
}

TEST_CASE("custom_backend: results that are not those of the graph are refused") {
  register_backend("none", [](const GraphView&) -> GraphFunction {
    return [](std::span<const Tensor>) { return std::vector<Tensor>(); };
  });
  register_backend("longer", [](const GraphView&) -> GraphFunction {
    return [](std::span<const Tensor>) { return std::vector<Tensor>{zeros({4})}; };
  });
  const auto error_with = [](const char* name) {
    return message_of<ValueError>([&] { compile(curve, {.custom_backend = name})(ones({3})); });
  };
  CHECK(contains(error_with("none"), "0 tensors"));
  CHECK(contains(error_with("longer"), "expected f32[3]"));
}

TEST_CASE("custom_backend: names") {
  register_backend("mine", interpreting);
  const std::string told =
      message_of<ValueError>([] { compile(curve, {.custom_backend = "mime"}); });
  CHECK(contains(told, "there is no backend of this name"));
  CHECK(contains(told, "did you mean mine?"));
  for (const char* const name : {"", "eager", "fused", "a,b", "a=b", "a b"}) {
    INFO(std::string(name));
    CHECK_THROWS_AS(register_backend(name, interpreting), ValueError);
  }
  graphs_seen = 0;
  const ScopedVariable chosen("SINTER_OPTIONS", "backend=mine");
  CHECK(near_tensor(compile(curve)(ones({3})), curve(ones({3}))));
  CHECK(graphs_seen == 1);
}
