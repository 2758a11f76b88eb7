// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/runtime/cuda/graph/library_node.hpp>

#include <vector>

#include "cuda_emulator/emulator.hpp"

using namespace sinter;
using namespace sinter::detail;
using runtime::CudaGraph;
using runtime::CudaLibraryCall;
using runtime::CudaLibraryNode;

namespace {

constexpr std::int64_t size = 272;  // large enough for the library to use a workspace

CudaLibraryCall product() {
  CudaLibraryCall call;
  call.operands = call.stored = f32;
  call.rows = call.columns = call.depth = size;
  call.left = {.buffer = 0, .pitch = size, .by_depth = true};
  call.right = {.buffer = 1, .pitch = size};
  call.result = {.buffer = 2, .pitch = size};
  return call;
}

struct Example {
  // The graph of the call with these three buffers.
  const CudaGraph& graph(std::size_t a, std::size_t b, std::size_t c,
                         runtime::Workspace workspace = runtime::Workspace::allowed) {
    void* const buffers[]{memory[a].data(), memory[b].data(), memory[c].data()};
    child.bind(context, buffers, {}, workspace);
    return child.graph(
        context, work.data(), [&](CudaDriver::Handle) { ++kernels; }, Where::current());
  }

  CudaContext& context = CudaContext::of(cuda());
  const CudaLibraryCall call = product();
  CudaLibraryNode child{call};
  Vector<Storage> memory = Vector<Storage>(12);
  Storage work = Storage::allocate(std::size_t{1} << 20, cuda());
  int kernels = 0;

  Example() {
    for (Storage& one : memory) {
      one = Storage::allocate(static_cast<std::size_t>(4 * size * size), cuda());
    }
  }
};

}  // namespace

TEST_CASE("library_node: captures are cached by address") {
  const emulator::Emulator machine;
  Example example;
  const CudaGraph* const first = &example.graph(0, 1, 2);
  CHECK(example.child.workspace_bytes() == std::size_t{1} << 20);
  const CudaGraph* const second = &example.graph(1, 0, 2);
  CHECK(first != second);
  CHECK(&example.graph(0, 1, 2) == first);
  CHECK(&example.graph(1, 0, 2) == second);
  CHECK(example.child.captures() == 2);
  CHECK(machine.heuristics() == 1);
  CHECK(machine.products() == 0);  // nothing of it runs
}

TEST_CASE("library_node: the least recently used capture is evicted") {
  const emulator::Emulator machine;
  Example example;
  for (std::size_t i = 1; i <= CudaLibraryNode::max_cached; ++i) example.graph(0, i, 11);
  example.graph(0, 1, 11);
  CHECK(example.child.captures() == CudaLibraryNode::max_cached);
  example.graph(0, 10, 11);  // replaces 2
  example.graph(0, 1, 11);
  CHECK(example.child.captures() == CudaLibraryNode::max_cached + 1);
  example.graph(0, 2, 11);
  CHECK(example.child.captures() == CudaLibraryNode::max_cached + 2);
}

TEST_CASE("library_node: captures with and without a workspace are distinct") {
  const emulator::Emulator machine;
  Example example;
  example.graph(0, 1, 2);
  example.graph(0, 1, 2, runtime::Workspace::none);
  CHECK(example.child.workspace_bytes() == 0);
  CHECK(example.child.captures() == 2);
  CHECK(machine.heuristics() == 2);
}

TEST_CASE("library_node: if the library refuses, the kernel is captured") {
  const emulator::Emulator machine;
  Example example;
  example.graph(0, 1, 1);  // in place
  CHECK(example.kernels == 1);
  CHECK(example.child.workspace_bytes() == 0);
}
