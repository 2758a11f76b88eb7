// test: deep emulator gpu
// Random graphs, replayed on an emulated GPU as CUDA Graphs with one size after the other, against
// the interpreter. The emulator runs concurrent work in an arbitrary order.

#include <doctest/doctest.h>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/jit/lower/lower.hpp>

#include "cuda_graph.hpp"
#include "schedule/against_interpreter.hpp"
#include "schedule/random_graph.hpp"

using namespace sinter;
using namespace sinter::detail;
using against_interpreter::Symbols;
using gpu_graph::Driver;

namespace {

// Each input is updated by the first unused output of its type.
Vector<schedule::Update> updates_of(const Graph& graph) {
  Vector<schedule::Update> result;
  for (std::size_t input = 0; input < graph.inputs.size(); ++input) {
    for (std::size_t output = 0; output < graph.outputs.size(); ++output) {
      const auto taken = std::any_of(result.begin(), result.end(), [&](const auto& one) {
        return one.output == static_cast<std::int32_t>(output);
      });
      const TensorType& type = graph[graph.inputs[input]].results[0];
      if (taken || !same(type, graph.type(graph.outputs[output]))) continue;
      result.push_back({static_cast<std::int32_t>(input), static_cast<std::int32_t>(output)});
      break;
    }
  }
  return result;
}

// A call: inputs and outputs on the GPU, and the outputs that it writes.
struct Call {
  Call(const jit::Program& program, const Vector<Storage>& on_host, const Symbols& symbols,
       const Vector<schedule::Update>& updates) {
    for (const Storage& one : on_host) inputs.push_back(copied_to(one, cuda()));
    const schedule::Plan& plan = *program.plan();
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
      const auto& buffer = plan.buffers[static_cast<std::size_t>(plan.outputs[i])];
      writes.push_back(buffer.home == schedule::Home::output &&
                       buffer.position == static_cast<std::int32_t>(i));
      elements.push_back(evaluate(buffer.elements, symbols));
      const auto bytes = static_cast<std::size_t>(elements[i]) * info(buffer.dtype).size;
      outputs.push_back(Storage::allocate(bytes, cuda()));
    }
    for (const schedule::Update& update : updates) {
      const auto output = static_cast<std::size_t>(update.output);
      if (writes[output]) outputs[output] = inputs[static_cast<std::size_t>(update.input)];
    }
  }
  void run(const jit::Program& program, const Symbols& symbols) const {
    std::vector<void*> from, to;
    for (const Storage& one : inputs) from.push_back(one.data());
    for (const Storage& one : outputs) to.push_back(one.data());
    program.run(from, to, symbols);
  }
  Vector<Storage> inputs{}, outputs{};
  Vector<bool> writes{};
  std::vector<std::int64_t> elements{};
};

}  // namespace

TEST_CASE("cuda graph random graphs: replays agree with the interpreter, for all sizes") {
  GPU_TEST(machine, driver);
  int graphs = 0;
  for (unsigned seed = 2000; seed < 2040; ++seed) {
    const bool symbolic = seed % 2 == 0;
    const Graph graph = pass::simplify_control(
        random_graph::Maker(seed, {.symbolic = symbolic, .operations = 24}).make());
    const auto updates = seed % 3 == 0 ? Vector<schedule::Update>() : updates_of(graph);
    const jit::LoweredProgram lowered =
        jit::lower(graph, {.updates = updates, .device = cuda(), .graphs = true});
    const auto& program = lowered.program;
    INFO("seed " << seed << "\n" << to_string(graph) << to_string(*program->plan()));
    const std::vector<Symbols> sizes = {{4, 6}, {1, 5}, {7, 2}, {0, 3}, {21, 40}, {4, 6}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Symbols& symbols = symbolic ? sizes[i] : sizes[0];
      const auto inputs =
          against_interpreter::random_inputs(graph, symbols, seed + 100 * static_cast<unsigned>(i));
      const auto expected = runtime::interpret(graph, inputs, symbols);
      Symbols canonical;
      for (const std::uint32_t symbol : lowered.symbols) canonical.push_back(symbols[symbol]);
      const Call call(*program, inputs, canonical, updates);
      call.run(*program, canonical);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        if (!call.writes[k]) continue;
        const Storage found = copied_to(call.outputs[k], cpu());
        const DType dtype = graph.type(graph.outputs[k]).dtype;
        CHECK(against_interpreter::difference(expected[k], {static_cast<std::byte*>(found.data()),
                                                            call.elements[k], dtype}) < 5e-5);
      }
    }
    graphs += program->plan()->launches.empty() ? 0 : 1;
  }
  CHECK(driver.calls<&Driver::launch>() == 0);
  CHECK(driver.calls<&Driver::instantiate_graph>() >= graphs);
}
