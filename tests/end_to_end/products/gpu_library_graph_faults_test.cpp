// test: deep emulator
// Planted faults in library products inside CUDA Graphs are reported.

#include <doctest/doctest.h>

#include "library_cuda_graph.hpp"

using namespace gpu_library_graph;

namespace {

// The installed driver, with one function replaced while is_faulty() is true.
class FaultyDriver {
 public:
  explicit FaultyDriver(void (*spoil)(CudaDriver&)) {
    before() = sinter::detail::cuda_driver();
    is_faulty() = false;
    table_ = *before();
    spoil(table_);
    sinter::detail::replace_cuda_driver(&table_);
  }
  FaultyDriver(const FaultyDriver&) = delete;
  FaultyDriver& operator=(const FaultyDriver&) = delete;
  ~FaultyDriver() { sinter::detail::replace_cuda_driver(before()); }

  static const CudaDriver*& before() {
    static const CudaDriver* instance = nullptr;
    return instance;
  }
  static bool& is_faulty() {
    static bool instance = false;
    return instance;
  }

 private:
  CudaDriver table_{};
};

bool reported(emulator::Emulator& machine, const std::string& part) {
  bool result = false;
  for (const std::string& report : machine.reports()) result = result || has(report, part);
  return result;
}

}  // namespace

TEST_CASE("gpu_library_graph_faults: a child graph that refers to freed memory is reported") {
  const compiler::FreshCache fresh;
  emulator::Emulator machine;
  const FaultyDriver faulty([](CudaDriver& table) {
    table.set_child_node = [](void* executable, void* node, void* child) {
      if (FaultyDriver::is_faulty()) return 0;
      return FaultyDriver::before()->set_child_node(executable, node, child);
    };
  });
  auto f = compile(early, replayed);
  const Tensor x = numbers({m, k}), there = numbers({k, n}).to(cuda());
  Tensor place = x.to(cuda());
  f(place, there).to_vector<float>();
  place = Tensor();
  release_idle_memory(cuda());
  const Tensor between = numbers({7, 31}).to(cuda()), other = x.to(cuda());
  other.data<float>();
  FaultyDriver::is_faulty() = true;
  CHECK_THROWS_AS(f(other, there).to_vector<float>(), DeviceError);
  CHECK(reported(machine, "use after free: cuBLASLt"));
}

TEST_CASE(
    "gpu_library_graph_faults: an invalidated capture is reported, and the launches run without a "
    "graph") {
  const compiler::FreshCache fresh;
  emulator::Emulator machine;
  const FaultyDriver faulty([](CudaDriver& table) {
    table.begin_capture = [](void* stream, int) {
      constexpr int thread_local_mode = 1;
      return FaultyDriver::before()->begin_capture(stream, thread_local_mode);
    };
  });
  auto f = compile(early, replayed);
  const Tensor x = numbers({m, k}), w = numbers({k, n});
  CHECK(error(f(x.to(cuda()), w.to(cuda())), early(x, w)) < tolerance(f32));
  CHECK(machine.graph_launches() == 0);
  CHECK(reported(machine, "cuBLASLt loads a kernel while a stream captures"));
}

TEST_CASE("gpu_library_graph_faults: work on a stream other than the capturing one is reported") {
  EMULATED_TEST(machine, driver);
  static const CublasLt* real = nullptr;
  static CublasLt table;  // used until the emulated machine is destroyed
  real = cublaslt();
  table = *real;
  table.multiply = [](void* handle, void* description, const void* alpha, const void* a, void* la,
                      const void* b, void* lb, const void* beta, const void* c, void* lc, void* d,
                      void* ld, const void* algorithm, void* workspace, std::size_t bytes, void*) {
    return real->multiply(handle, description, alpha, a, la, b, lb, beta, c, lc, d, ld, algorithm,
                          workspace, bytes, nullptr);
  };
  replace_cublaslt(&table);
  auto f = compile(early, replayed);
  f(numbers({m, k}).to(cuda()), numbers({k, n}).to(cuda())).to_vector<float>();
  CHECK(reported(machine, "work of a stream that does not capture, as others do"));
  CHECK(cuda_driver()->synchronize() == 0);  // nothing else waits for that stream
  replace_cublaslt(real);
}
