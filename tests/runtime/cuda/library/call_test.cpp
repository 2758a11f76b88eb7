// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/runtime/cuda/library/call.hpp>

#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "cuda_emulator/emulator.hpp"

using namespace sinter;
using namespace sinter::detail;
using runtime::CudaLibraryCall;
using runtime::CudaLibraryRun;

namespace {

const Extent s0 = Extent::symbol(0), s1 = Extent::symbol(1), s2 = Extent::symbol(2);

// (s0 x s2) by (s2 x s1), each row after row.
CudaLibraryCall product() {
  CudaLibraryCall call;
  call.operands = call.stored = f32;
  call.rows = s0, call.columns = s1, call.depth = s2;
  call.left = {.buffer = 0, .pitch = s2, .by_depth = true};
  call.right = {.buffer = 1, .pitch = s1};
  call.result = {.buffer = 2, .pitch = s1};
  return call;
}

struct Matrices {
  Matrices(std::int64_t m, std::int64_t n, std::int64_t k)
      : symbols{m, n, k}, left(numbers(m * k, 13)), right(numbers(k * n, 17)) {
    memory = {there(left), there(right),
              Storage::allocate(static_cast<std::size_t>(4 * m * n), cuda())};
  }

  static std::vector<float> numbers(std::int64_t count, std::int64_t period) {
    std::vector<float> result;
    for (std::int64_t i = 0; i < count; ++i) result.push_back(static_cast<float>(i % period) - 6);
    return result;
  }
  static Storage there(const std::vector<float>& values) {
    const Storage here = Storage::allocate(values.size() * sizeof(float));
    std::memcpy(here.data(), values.data(), here.bytes());
    return copied_to(here, cuda());
  }
  Vector<void*> pointers() const { return {memory[0].data(), memory[1].data(), memory[2].data()}; }
  // The largest difference of the result to the plain loops.
  float error() const {
    const auto [m, n, k] = std::tuple(symbols[0], symbols[1], symbols[2]);
    const auto* const got = static_cast<const float*>(host_bytes(memory[2]));
    float worst = 0;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::int64_t p = 0; p < k; ++p) {
          sum += left[static_cast<std::size_t>(i * k + p)] *
                 right[static_cast<std::size_t>(p * n + j)];
        }
        worst = std::max(worst, std::abs(sum - got[i * n + j]));
      }
    }
    return worst;
  }

  std::vector<std::int64_t> symbols;
  std::vector<float> left, right;
  Vector<Storage> memory{};
};

Optional<CudaLibraryRun> resolve(const CudaLibraryCall& call, Vector<void*> pointers,
                                 const std::vector<std::int64_t>& symbols) {
  return call.resolve(CudaContext::of(cuda()), pointers, symbols);
}

void* far_address(std::size_t bytes) {
  return reinterpret_cast<void*>((std::size_t{1} << 20) + bytes);
}

}  // namespace

TEST_CASE("cuda_library_call: computes products of any size, but not small ones") {
  const emulator::Emulator machine;
  for (const std::int64_t rows : {136, 150, 7}) {
    const Matrices matrices(rows, 130, 144);
    CudaSubmission work(cuda());
    const bool done = product().run(work, matrices.pointers(), matrices.symbols, Where::current());
    CHECK(done == (rows != 7));
    if (done) CHECK(matrices.error() < 1e-3f);
  }
  CHECK(machine.products() == 2);
  CHECK(machine.heuristics() == 2);
  CHECK(machine.launches() == 0);
}

TEST_CASE("cuda_library_call: pays off for large products that are not skinny") {
  CHECK(CudaLibraryCall::pays(128, 128, 128));
  CHECK_FALSE(CudaLibraryCall::pays(128, 128, 127));
  CHECK_FALSE(CudaLibraryCall::pays(8, 4096, 4096));
  CHECK_FALSE(CudaLibraryCall::pays(4096, 8, 4096));
  CHECK_FALSE(CudaLibraryCall::pays(4096, 4096, 0));
  CudaLibraryCall call = product();
  CHECK(call.may_pay());
  CHECK_FALSE(call.always_pays());  // the sizes may be small
  CHECK_FALSE(call.hides_launches());
  call.rows = call.columns = call.depth = 1024;
  CHECK(call.hides_launches());
  call.depth = 1023;
  CHECK_FALSE(call.hides_launches());
  CHECK(call.always_pays());
  call.rows = 8;
  CHECK_FALSE(call.may_pay());
}

TEST_CASE("cuda_library_call: describes the product in column-major terms, with its alignments") {
  const emulator::Emulator machine;
  CudaLibraryCall call = product();
  call.left = {.buffer = 0, .start = 3, .pitch = s0 + 5, .by_depth = false};
  call.right = {.buffer = 1, .start = 0, .pitch = s2, .by_depth = true};
  const auto run =
      resolve(call, {far_address(0), far_address(1 << 21), far_address(16)}, {136, 130, 144});
  REQUIRE(run);
  CHECK(to_string(run->problem) == "f32 136 x 144 by 144 x 130");
  CHECK(run->problem.transposes_a);
  CHECK(run->problem.transposes_b);
  CHECK(run->problem.a.length == 144);
  CHECK(run->problem.a.lines == 130);
  CHECK(run->problem.a.pitch == 144);
  CHECK(run->problem.b.length == 136);
  CHECK(run->problem.b.pitch == 141);
  CHECK(run->problem.a.alignment == 256);
  CHECK(run->problem.b.alignment == 4);
  CHECK(run->problem.d.alignment == 16);
  CHECK(run->addresses[1] == (1 << 20) + 12);
}

TEST_CASE("cuda_library_call: products that the library cannot express stay kernels") {
  const emulator::Emulator machine;
  const Vector<void*> pointers{far_address(0), far_address(1 << 22), far_address(1 << 24)};
  const std::vector<std::int64_t> sizes{136, 130, 144};
  CHECK(resolve(product(), pointers, sizes));
  CudaLibraryCall call = product();
  call.left.pitch = s2 - 1;  // rows that overlap
  CHECK_FALSE(resolve(call, pointers, sizes));
  call = product();
  call.repeats = {{.count = 70, .result = s0 * s1 * 70}, {.count = 70, .result = s0 * s1}};
  CHECK_FALSE(resolve(call, pointers, sizes));
  call.repeats[0].count = 7;
  CHECK(resolve(call, pointers, sizes));
  call.repeats[0].count = 0;
  CHECK_FALSE(resolve(call, pointers, sizes));
  call = product();
  call.added = {.buffer = 2, .pitch = s1};
  CHECK(resolve(call, pointers, sizes));
  call.added.pitch = s1 + 1;  // in the place of the result, but not alike
  CHECK_FALSE(resolve(call, pointers, sizes));
  CHECK_FALSE(resolve(product(), {pointers[0], pointers[1], pointers[0]}, sizes));
}

TEST_CASE("cuda_library_call: the longest batch axis is the batch, others are separate calls") {
  const emulator::Emulator machine;
  CudaLibraryCall call = product();
  call.repeats = {{.count = 2, .left = 1000, .result = 5 * s0 * s1},
                  {.count = 5, .right = 10, .result = s0 * s1},
                  {.count = 1, .left = 77}};
  const Vector<void*> pointers{far_address(0), far_address(1 << 22), far_address(1 << 24)};
  const auto run = resolve(call, pointers, {136, 130, 144});
  REQUIRE(run);
  CHECK(run->problem.batch == 5);
  CHECK(run->problem.a.step == 10);
  CHECK(run->problem.b.step == 0);
  CHECK(run->problem.d.step == 136 * 130);
  REQUIRE(run->outer_loops.size() == 1);
  CHECK(run->outer_loops[0].count == 2);
  CHECK(run->outer_loops[0].steps[1] == 4000);
  CHECK(run->problem.b.alignment == 32);  // also in the second call
}

TEST_CASE("cuda_library_call: the library is asked once for a shape, an alignment and a bias") {
  const emulator::Emulator machine;
  const std::vector<std::int64_t> sizes{136, 130, 144};
  const Vector<void*> pointers{far_address(0), far_address(1 << 22), far_address(1 << 24)};
  const auto first = resolve(product(), pointers, sizes);
  const auto again = resolve(product(), {far_address(1 << 25), pointers[1], pointers[2]}, sizes);
  CHECK(first->choice == again->choice);
  CHECK(machine.heuristics() == 1);
  resolve(product(), {far_address(4), pointers[1], pointers[2]}, sizes);
  CHECK(machine.heuristics() == 2);
  CudaLibraryCall biased = product();
  biased.bias = {.buffer = 0};
  resolve(biased, pointers, sizes);
  CHECK(machine.heuristics() == 3);
  resolve(product(), pointers, {137, 130, 144});
  CHECK(machine.heuristics() == 4);
}

TEST_CASE("cuda_library_call: allocates a temporary workspace") {
  const emulator::Emulator machine;
  const Matrices matrices(136, 130, 256);
  const auto run = resolve(product(), matrices.pointers(), matrices.symbols);
  REQUIRE(run);
  CHECK(run->workspace_bytes == 1 << 20);
  const std::int64_t before = memory_stats(cuda()).live_bytes;
  CudaSubmission work(cuda());
  CHECK(product().run(work, matrices.pointers(), matrices.symbols, Where::current()));
  CHECK(product().run(work, matrices.pointers(), matrices.symbols, Where::current()));
  CHECK(memory_stats(cuda()).live_bytes == before);
  CHECK(matrices.error() < 1e-3f);
  CHECK(machine.heuristics() == 1);
}

TEST_CASE("cuda_library_call: a resolved call can be captured, and runs with the graph") {
  const emulator::Emulator machine;
  const Matrices matrices(136, 130, 144);
  CudaSubmission work(cuda());
  const CudaDriver& driver = work.driver();
  const auto run = resolve(product(), matrices.pointers(), matrices.symbols);
  REQUIRE(run);
  CudaDriver::Handle graph = nullptr, child = nullptr, node = nullptr, executable = nullptr;
  REQUIRE(driver.begin_capture(work.stream().handle, CudaDriver::capture_relaxed) == 0);
  CHECK(product().enqueue(work.context(), work.stream().handle, *run, nullptr, Where::current()));
  REQUIRE(driver.end_capture(work.stream().handle, &child) == 0);
  REQUIRE(driver.create_graph(&graph, 0) == 0);
  REQUIRE(driver.add_child_node(&node, graph, nullptr, 0, child) == 0);
  REQUIRE(driver.instantiate_graph(&executable, graph, 0) == 0);
  CHECK(machine.products() == 0);
  for (int i = 0; i < 2; ++i) CHECK(driver.launch_graph(executable, work.stream().handle) == 0);
  CHECK(matrices.error() < 1e-3f);
  CHECK(machine.products() == 2);
  driver.destroy_executable(executable);
  driver.destroy_graph(graph);
  driver.destroy_graph(child);
}
