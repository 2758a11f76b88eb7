#include <doctest/doctest.h>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/state/callee.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Mlp {
  nn::Linear up{6, 16}, down{16, 3};
  SINTER_MODULE(Mlp, up, down)
  Tensor forward(const Tensor& x) const { return down(gelu(up(x))); }
};

}  // namespace

TEST_CASE("callee: the forward and the backward program of a compiled model are compiled once") {
  Mlp net;
  auto model = compile(net);
  const Tensor x = randn({5, 6});
  const auto step = [&] {
    auto [loss, gradients] = value_and_grad(net, [&] { return sum(square(model(x))); });
    for (auto& [name, gradient] : gradients) gradient.to_vector<float>();
  };
  step();
  const Stats before = model.stats();
  step();
  CHECK(model.stats().compiler_runs == before.compiler_runs);
  CHECK(model.stats().kernels_compiled == before.kernels_compiled);
}

TEST_CASE("callee: a graph is compiled on its first run, and counted by its function") {
  const auto state = make_shared_ptr<jit::State>(CompileOptions{}, Where::current());
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}});
  graph.outputs = {build.mul(x, x)};
  const jit::CompiledCallee callee(std::move(graph), {}, state);
  CHECK(state->stats().graphs == 0);
  const ScopedDevice host(cpu());
  const Tensor three = full({2}, 3.0f);
  const Vector<Storage> inputs{elements_of(three)};
  const Vector<Storage> outputs = callee.run(inputs, {}, cpu(), Where::current(), 1);
  REQUIRE(outputs.size() == 1);
  CHECK(static_cast<const float*>(outputs[0].data())[1] == 9);
  CHECK(state->stats().graphs == 1);
  state->freeze();
  CHECK(callee.is_frozen());
  CHECK(callee.run(inputs, {}, cpu(), Where::current(), 2).size() == 1);
  Graph other;
  Builder more(other);
  const Value y = more.input({f32, {2}});
  other.outputs = {more.add(more.mul(y, y), more.elementwise(Op::exp, {y}))};
  const SharedPtr<const Callee> next = callee.with(std::move(other));
  const auto& compiled = static_cast<const jit::CompiledCallee&>(*next);
  CHECK_THROWS_AS(compiled.run(inputs, {}, cpu(), Where::current(), 3), RecompileLimitError);
}
