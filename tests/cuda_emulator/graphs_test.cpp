// test: emulator
#include "graphs.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

namespace {

using Handle = void*;
using sinter::detail::CudaKernelNode;

const char* const kernels = R"(
extern "C" __global__ void scale(const float* in, float* out, float by) {
  out[threadIdx.x] = in[threadIdx.x] * by;
}
extern "C" __global__ void count_down(int* value, unsigned long long condition) {
  *value -= 1;
  cudaGraphSetConditional(condition, *value > 0);
}
)";

// The parameters of a node that launches `scale`.
struct Scale {
  Scale(const Program& program, std::uint64_t from, std::uint64_t to, float factor)
      : in(from), out(to), by(factor) {
    node.function = program.function("scale");
    node.block_x = 4;
    node.arguments = pointers;
  }
  Scale(const Scale&) = delete;
  Scale& operator=(const Scale&) = delete;
  Handle add(const TestGraph& graph, const std::vector<Handle>& after) const {
    Handle result = nullptr;
    check(driver().add_kernel_node(&result, graph.handle, after.data(), after.size(), &node),
          "add_kernel_node");
    return result;
  }
  std::uint64_t in, out;
  float by;
  void* pointers[3]{&in, &out, &by};
  CudaKernelNode node{};
};

Handle context() {
  Handle result = nullptr;
  driver().context(&result);
  return result;
}

const std::vector<float> ones(4, 1.0f);

std::vector<float> all(float value) { return std::vector<float>(4, value); }

}  // namespace

TEST_CASE("graphs: nodes run after those that they depend on, at every launch") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<float> a(ones), b(4), c(4);
  TestGraph graph;
  const Handle first = Scale(program, a.address(), b.address(), 2).add(graph, {});
  Scale(program, b.address(), c.address(), 3).add(graph, {first});
  graph.instantiate();
  CHECK(graph.run() == 0);
  CHECK(c.values() == all(6));
  CHECK(driver().copy_to_device(a.address(), all(5).data(), 16) == 0);
  CHECK(graph.run() == 0);
  CHECK(c.values() == all(30));
  CHECK(machine.graph_launches() == 2);
  CHECK(machine.launches() == 4);
}

TEST_CASE("graphs: a dependency that is missing shows") {
  Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<float> a(ones), b(4), c(4);
  TestGraph graph;
  Scale(program, a.address(), b.address(), 2).add(graph, {});
  Scale(program, b.address(), c.address(), 3).add(graph, {});
  graph.instantiate();
  CHECK(graph.run() == 0);
  const std::vector<std::string> reports = machine.reports();
  REQUIRE(reports.size() == 1);
  CHECK(contains(reports[0], "read of unwritten memory: scale (node 1 of a graph)"));
}

TEST_CASE("graphs: a node is patched for later launches, and not for those that wait") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<float> a(ones), b(4), c(4);
  TestGraph graph;
  const Handle node = Scale(program, a.address(), b.address(), 2).add(graph, {});
  graph.instantiate();
  CHECK(driver().launch_graph(graph.executable, nullptr) == 0);
  const Scale other(program, a.address(), c.address(), 7);
  CHECK(driver().set_kernel_node(graph.executable, node, &other.node) == 0);
  CHECK(graph.run() == 0);
  CHECK(b.values() == all(2));
  CHECK(c.values() == all(7));
  int none = 0;
  CHECK(driver().set_kernel_node(graph.executable, &none, &other.node) == 1);
}

TEST_CASE("graphs: a stale pointer in a node is reported") {
  Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<float> a(ones), b(4);
  TestGraph graph;
  Scale(program, a.address(), b.address(), 2).add(graph, {});
  graph.instantiate();
  CHECK(graph.run() == 0);
  a.free();
  Buffer<float> moved(ones);
  CHECK(graph.run() == 700);
  const std::vector<std::string> reports = machine.reports();
  REQUIRE(reports.size() == 1);
  CHECK(contains(reports[0], "use after free: scale (node 0 of a graph), kernels.cu:3 in scale"));
}

TEST_CASE("graphs: copies and sets, of several rows and on all sides") {
  const Emulator machine;
  use_device(0);
  Buffer<unsigned> a(6), b(6);
  std::vector<unsigned> in{1, 2, 3, 4, 5, 6}, out(4);
  TestGraph graph;
  Handle set = nullptr, up = nullptr, across = nullptr, down = nullptr;
  const sinter::detail::CudaSetNode sets{
      .to = b.address(), .value = 9, .element_bytes = 4, .width = 6};
  CHECK(driver().add_set_node(&set, graph.handle, nullptr, 0, &sets, context()) == 0);
  sinter::detail::CudaCopyNode copy;
  copy.from.kind = sinter::detail::CudaCopyNode::host;
  copy.from.host_address = in.data();
  copy.to.device_address = a.address();
  copy.width = 24;
  CHECK(driver().add_copy_node(&up, graph.handle, nullptr, 0, &copy, context()) == 0);
  sinter::detail::CudaCopyNode rows;  // the first two elements of every three
  rows.from.device_address = a.address();
  rows.from.pitch = 12;
  rows.to.device_address = b.address();
  rows.to.pitch = 8;
  rows.width = 8;
  rows.height = 2;
  const Handle both[]{set, up};
  CHECK(driver().add_copy_node(&across, graph.handle, both, 2, &rows, context()) == 0);
  sinter::detail::CudaCopyNode back;
  back.from.device_address = b.address() + 4;
  back.to.kind = sinter::detail::CudaCopyNode::host;
  back.to.host_address = out.data();
  back.width = 16;
  CHECK(driver().add_copy_node(&down, graph.handle, &across, 1, &back, context()) == 0);
  graph.instantiate();
  CHECK(graph.run() == 0);
  CHECK(out == std::vector<unsigned>{2, 4, 5, 9});
}

TEST_CASE("graphs: a graph within a graph") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<float> a(ones), b(4), c(4);
  TestGraph inner, outer;
  Scale(program, a.address(), b.address(), 2).add(inner, {});
  Handle child = nullptr;
  CHECK(driver().add_child_node(&child, outer.handle, nullptr, 0, inner.handle) == 0);
  Scale(program, b.address(), c.address(), 2).add(outer, {child});
  outer.instantiate();
  CHECK(outer.run() == 0);
  CHECK(c.values() == all(4));
  TestGraph other;
  Scale(program, a.address(), b.address(), 10).add(other, {});
  CHECK(driver().set_child_node(outer.executable, child, other.handle) == 0);
  CHECK(outer.run() == 0);
  CHECK(c.values() == all(20));
}

TEST_CASE("graphs: what a stream is given while it captures becomes nodes, in order") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<float> a(ones), b(4);
  Handle stream = nullptr, graph = nullptr, executable = nullptr;
  CHECK(driver().create_stream(&stream, 1) == 0);
  CHECK(driver().begin_capture(stream, 0) == 0);
  const Scale twice(program, a.address(), b.address(), 2);
  const Scale again(program, b.address(), a.address(), 2);
  for (const Scale* const one : {&twice, &again}) {
    CHECK(driver().launch(one->node.function, 1, 1, 1, 4, 1, 1, 0, stream, one->node.arguments,
                          nullptr) == 0);
  }
  CHECK(driver().end_capture(stream, &graph) == 0);
  CHECK(machine.launches() == 0);
  CHECK(driver().instantiate_graph(&executable, graph, 0) == 0);
  CHECK(driver().launch_graph(executable, stream) == 0);
  CHECK(driver().launch_graph(executable, stream) == 0);
  CHECK(driver().synchronize_stream(stream) == 0);
  CHECK(a.values() == all(16));
  CHECK(driver().destroy_executable(executable) == 0);
  CHECK(driver().destroy_graph(graph) == 0);
  CHECK(driver().destroy_stream(stream) == 0);
}

TEST_CASE("graphs: what a stream may not meet while it captures is reported, and ends that") {
  Emulator machine;
  use_device(0);
  Buffer<float> a(ones);
  Handle stream = nullptr, event = nullptr;
  CHECK(driver().create_stream(&stream, 1) == 0);
  CHECK(driver().create_event(&event, 0) == 0);
  const auto captured = [&](int mode, auto misuse) {
    CHECK(driver().begin_capture(stream, mode) == 0);
    misuse();
    Handle graph = nullptr;
    const int result = driver().end_capture(stream, &graph);
    if (result == 0) CHECK(driver().destroy_graph(graph) == 0);
    const std::vector<std::string> reports = machine.reports();
    CHECK(result == (reports.empty() ? 0 : 901));
    return reports.empty() ? std::string() : reports[0];
  };
  const std::string of_it = " of a stream that captures";
  CHECK(captured(2, [&] { driver().synchronize_stream(stream); }) == "synchronisation" + of_it);
  CHECK(captured(2, [&] { driver().record_event(event, stream); }) == "an event" + of_it);
  CHECK(captured(2, [&] { driver().wait_event(stream, event, 0); }) == "an event" + of_it);
  CHECK(captured(2, [&] { driver().set_bytes_async(a.address(), 0, 16, stream); }).empty());
  CHECK(captured(2, [&] {
          driver().copy_on_device_async(a.address(), a.address() + 8, 8, stream);
        }) == "work that is no node" + of_it);
  CHECK(captured(2, [] { const Buffer<float> other(4); }).empty());
  for (const int mode : {0, 1}) {
    CHECK(contains(captured(mode,
                            [] {
                              std::uint64_t address = 0;
                              driver().allocate(&address, 16);
                            }),
                   "an allocation while a stream captures"));
  }
  CHECK(driver().begin_capture(nullptr, 2) == 900);
  CHECK(driver().begin_capture(stream, 2) == 0);
  CHECK(forget_captures() == 1);
  CHECK(driver().destroy_event(event) == 0);
  CHECK(driver().destroy_stream(stream) == 0);
  CHECK(machine.reports() == std::vector<std::string>{"the end" + of_it});
  CHECK(forget_captures() == 1);
}

TEST_CASE("graphs: a body runs for as long as a kernel says so") {
  const Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<int> value(std::vector<int>{5});
  TestGraph graph;
  std::uint64_t condition = 0;
  CHECK(driver().create_condition(&condition, graph.handle, context(), 1, 1) == 0);
  sinter::detail::CudaConditionalNode loop;
  loop.handle = condition;
  loop.kind = sinter::detail::CudaConditionalNode::while_node;
  loop.context = context();
  Handle node = nullptr, inside = nullptr;
  CHECK(driver().add_node(&node, graph.handle, nullptr, 0, &loop) == 0);
  std::uint64_t address = value.address();
  void* pointers[]{&address, &condition};
  CudaKernelNode body;
  body.function = program.function("count_down");
  body.arguments = pointers;
  CHECK(driver().add_kernel_node(&inside, loop.bodies[0], nullptr, 0, &body) == 0);
  graph.instantiate();
  CHECK(graph.run() == 0);
  CHECK(value.values()[0] == 0);
  CHECK(machine.launches() == 5);
}
