// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/error.hpp>
#include <sinter/compile/nvrtc/compiler.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/runtime/cuda/graph/graph.hpp>
#include <sinter/runtime/cuda/modules.hpp>

#include <vector>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/emulator.hpp"

using namespace sinter;
using namespace sinter::detail;
using runtime::CudaGraph;

namespace {

const char* const kernels = R"(
extern "C" __global__ void put(long* out, long value) { out[threadIdx.x] = value + threadIdx.x; }
extern "C" __global__ void sum(const long* a, const long* b, long* out) {
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
)";

// Three buffers of 4 numbers, and a graph that writes 10 and 20 to two of them and their sum to the
// third.
struct Sums {
  Sums() {
    compiler::TranslationUnit unit;
    unit.language = Language::cuda;
    unit.architecture = "sm_90";
    const auto binary =
        compiler::Binary::load(Language::cuda, compiler::compile_cuda(unit, kernels).bytes);
    const auto put = runtime::load_function(context, binary, "put", {});
    const auto sum = runtime::load_function(context, binary, "sum", {});
    for (Storage& one : memory) one = Storage::allocate(32, cuda());
    const CudaGraph::Node both[]{
        graph->add({.function = put, .threads = 4, .arguments = {at(0), 10}}, {}),
        graph->add({.function = put, .threads = 4, .arguments = {at(1), 20}}, {})};
    last = graph->add({.function = sum, .threads = 4, .arguments = {at(0), at(1), at(2)}}, both);
    graph->instantiate();
  }
  std::uint64_t at(std::size_t i) const { return device_address(memory[i]); }
  void launch() {
    CudaSubmission work(cuda());
    for (const Storage& one : memory) work.writes(one);
    graph->launch(work);
  }
  long result(std::size_t i = 2) const {
    return static_cast<const long*>(host_bytes(memory[i]))[3];
  }

  CudaContext& context = CudaContext::of(cuda());
  UniquePtr<CudaGraph> graph = make_unique_ptr<CudaGraph>(context);
  Storage memory[3]{};
  CudaGraph::Node last = 0;
};

}  // namespace

TEST_CASE("cuda_graph: nodes run in the order of their dependencies, at every launch") {
  const emulator::Emulator machine;
  Sums sums;
  sums.launch();
  CHECK(sums.result() == 36);
  sums.launch();
  CHECK(sums.result() == 36);
  CHECK(machine.graph_launches() == 2);
  CHECK(machine.launches() == 6);
}

TEST_CASE("cuda_graph: a launch patches each changed node once, and no other") {
  emulator::Emulator machine;
  emulator::CountedDriver driver;
  Sums sums;
  const auto patches = [&] { return driver.calls<&CudaDriver::set_kernel_node>(); };
  sums.launch();
  CHECK(patches() == 0);
  sums.graph->set_argument(0, 1, 10);
  sums.graph->set_grid(0, 1, 0);
  sums.launch();
  CHECK(patches() == 0);
  sums.graph->set_argument(0, 1, 11);
  sums.graph->set_argument(0, 0, sums.at(1));
  sums.graph->set_argument(0, 0, sums.at(0));
  sums.launch();
  CHECK(patches() == 1);
  CHECK(sums.result() == 37);
  sums.launch();
  CHECK(patches() == 1);
  sums.graph->set_grid(sums.last, 2, 60 << 10);  // more than the default limit of shared memory
  sums.launch();
  CHECK(patches() == 2);
}

TEST_CASE("cuda_graph: a queued launch keeps the arguments that it was submitted with") {
  const emulator::Emulator machine;
  Sums sums;
  sums.launch();
  const Storage other = Storage::allocate(32, cuda());
  sums.graph->set_argument(sums.last, 2, device_address(other));
  sums.graph->set_argument(0, 1, 100);
  {
    CudaSubmission work(cuda());
    work.writes(other);
    sums.graph->launch(work);
  }
  CHECK(sums.result() == 36);
  CHECK(static_cast<const long*>(host_bytes(other))[0] == 120);
}

TEST_CASE("cuda_graph: a node whose patch failed is patched before the next launch") {
  emulator::Emulator machine;
  emulator::CountedDriver driver;
  Sums sums;
  sums.graph->set_argument(0, 1, 30);
  sums.graph->set_argument(1, 1, 40);
  driver.fail<&CudaDriver::set_kernel_node>(1);
  CHECK_THROWS_AS(sums.launch(), DeviceError);
  CHECK(machine.graph_launches() == 0);
  driver.fail<&CudaDriver::set_kernel_node>(0);
  sums.launch();
  CHECK(sums.result() == 76);
}

TEST_CASE("cuda_graph: zeros are written before the nodes that depend on them") {
  const emulator::Emulator machine;
  Sums sums;
  sums.launch();
  CHECK(sums.result() == 36);
  CudaGraph graph(sums.context);
  graph.add_zeros(sums.at(2), 8);
  graph.instantiate();
  CHECK(graph.nodes() == 1);
  {
    CudaSubmission work(cuda());
    work.writes(sums.memory[2]);
    graph.launch(work);
  }
  CHECK(sums.result() == 0);
}

TEST_CASE("cuda_graph: is destroyed with its owner, or when its GPU is closed") {
  UniquePtr<CudaGraph> left;
  {
    emulator::Emulator machine;
    emulator::CountedDriver driver;
    Sums sums;
    sums.launch();
    sums.graph = nullptr;  // while it is in flight
    CHECK(driver.calls<&CudaDriver::destroy_executable>() == 1);
    CHECK(driver.calls<&CudaDriver::destroy_graph>() == 1);
    CHECK(sums.result() == 36);
    CHECK(sums.context.state<runtime::CudaGraphs>().all.empty());
    left = make_unique_ptr<CudaGraph>(sums.context);
    CHECK(sums.context.state<runtime::CudaGraphs>().all.size() == 1);
  }
  left = nullptr;  // must not call the driver
  CHECK(cuda_device_count() == 0);
}
