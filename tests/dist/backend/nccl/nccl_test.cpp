// test: emulator
// Collectives on GPUs: nodes of CUDA Graphs, their order, and what is missing.

#include <doctest/doctest.h>

#include <span>
#include <utility>

#include <sinter/dist/collective/gpu_transport.hpp>

#include "../../../message_of.hpp"
#include "../../gpu_world.hpp"

using namespace sinter;
using namespace ranks;

TEST_SUITE_BEGIN("host: it has a GPU of its own");

namespace {

const CompileOptions as_graph{.mode = Mode::reduce_overhead, .fullgraph = true};

Tensor sum_of_ranks(const Shape& shape) {
  Tensor result = elements(shape, 0);
  for (int i = 1; i < size(); ++i) result = result + elements(shape, i);
  return result;
}

// A machine without NCCL.
struct Missing : detail::collective::GpuTransport {
  std::string why_not() const override { return "libnccl.so.2: cannot open shared object file"; }
  void prepare(const detail::collective::Call&, int, int) override {}
  void enqueue(const detail::collective::Collective&, const detail::collective::Call&,
               std::span<const RawTensor>, std::span<const RawTensor>, int, void*) override {}
  void end(bool) noexcept override {}
};

}  // namespace

TEST_CASE("nccl: eager collectives go to the stream") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  const Tensor y = dist::all_reduce(elements({5}));
  CHECK(y.device() == cuda());
  CHECK(difference(y, sum_of_ranks({5})) < 1e-5);
  CHECK(emulator::nccl_work().enqueued == 1);
  CHECK(emulator::nccl_work().captured == 0);
  CHECK(emulator::nccl_work().communicators == 1);
}

TEST_CASE("nccl: in a graph they are nodes, which each replay runs") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  const auto run = compile([](const Tensor& x) { return dist::all_reduce(x * 2) + 1; }, as_graph);
  const Tensor x = elements({6});
  const Tensor expected = sum_of_ranks({6}) * 2 + 1;
  for (int i = 0; i < 4; ++i) CHECK(difference(run(x), expected) < 1e-5);
  CHECK(emulator::nccl_work().enqueued == 0);
  CHECK(emulator::nccl_work().captured == 1);
  CHECK(emulator::nccl_work().ran == 4);
  CHECK(gpu.machine().graph_launches() >= 4);
}

TEST_CASE("nccl: World::device is a GPU of this machine") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  CHECK(world().device().is_cuda());
  CHECK(world().device().index() == rank() % 2);
}

TEST_CASE("nccl: without the library the error says how to install it") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  Missing missing;
  auto*& transport = detail::collective::gpu_transport();
  auto* const before = std::exchange(transport, &missing);
  CHECK(world().device() == cpu());
  const auto reduce = [] { dist::all_reduce(ones({2})); };
  const std::string message = errors::message_of<DeviceError>(reduce);
  CHECK(message.find("there is no NCCL") != std::string::npos);
  CHECK(message.find("libnccl.so.2: cannot open") != std::string::npos);
  CHECK(message.find("libnccl2") != std::string::npos);
  CHECK(message.find("nvidia-nccl-cu12") != std::string::npos);
  CHECK(message.find("nccl_test.cpp") != std::string::npos);
  transport = before;
}

TEST_CASE("nccl: elements of i16 are reduced, those of booleans too") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  const Tensor x = full({3}, rank() + 1).to(i16);
  const Tensor y = dist::all_reduce(x);
  CHECK(y.dtype() == i16);
  CHECK(y.to(f32).to_vector<float>()[0] == static_cast<float>(size() * (size() + 1) / 2));
  const Tensor first = dist::all_reduce(full({2}, rank()) == 0, dist::Reduce::max);
  CHECK(first.to(f32).to_vector<float>()[1] == 1);
}

TEST_CASE("nccl: groups have communicators of their own") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  const dist::Group half = world().split(rank() % 2);
  const Tensor members = dist::all_gather(full({1}, number()), 0, half);
  CHECK(difference(members, arange(half.size()).to(f32) * 2 + rank() % 2) == 0);
  CHECK(difference(dist::all_reduce(ones({2})), full({2}, static_cast<float>(size()))) == 0);
  CHECK(emulator::nccl_work().communicators == 2);
}

TEST_CASE("nccl: messages go through the host") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size();
  dist::send(elements({3}), next);
  CHECK(difference(dist::recv({{3}, f32}, previous), elements({3}, previous)) == 0);
  CHECK(emulator::nccl_work().enqueued == 0);
}

TEST_SUITE_END();
