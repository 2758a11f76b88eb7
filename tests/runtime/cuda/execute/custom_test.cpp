// test: deep emulator gpu
#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/runtime/cuda/execute/custom.hpp>

#include <cstring>
#include <string>
#include <vector>

#include "cuda_emulator/gpus.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

// Adds the two operands, elements of f32.
class Add : public HostKernel {
 public:
  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
    for (std::int64_t i = 0; i < out[0].numel(); ++i) {
      out[0].data<float>()[i] = in[0].data<float>()[i] + in[1].data<float>()[i];
    }
  }
};

Storage on_gpu(const std::vector<float>& values) {
  return copied_to(Storage::borrow(values.data(), values.size() * sizeof(float)), cuda(), {});
}

std::vector<float> numbers(const Storage& memory) {
  const Storage host = copied_to(memory, cpu(), {});
  std::vector<float> result(host.bytes() / sizeof(float));
  std::memcpy(result.data(), host.data(), host.bytes());
  return result;
}

CustomCode code() { return {.name = "test::add", .call = make_shared_ptr<const Add>()}; }

// What a kernel of an operand and a result is, and what its "launch" does to guarded memory.
template <class Write>
std::string guarded(const std::vector<Storage>& memory, Write write) {
  schedule::Kernel kernel;
  kernel.custom = make_shared_ptr<const CustomCode>(code());
  kernel.arguments = {{f32, schedule::Access::read}, {f32, schedule::Access::write}};
  CudaSubmission work(cuda(), {});
  const Vector<void*> pointers{memory[0].data(), memory[1].data()};
  const std::vector<std::int64_t> bytes{8, 8};
  runtime::GuardedMemory guards(work, kernel, pointers, bytes, {});
  write(work, guards.guarded());
  try {
    guards.finish();
  } catch (const ValueError& error) {
    return error.what();
  }
  return "";
}

// Writes a float behind an address of the GPU.
void put(CudaSubmission& work, void* at, int index, float value) {
  const auto address = reinterpret_cast<CudaDriver::Address>(static_cast<float*>(at) + index);
  work.check(work.driver().copy_to_device_async(address, &value, 4, work.stream().handle), "copy");
  work.wait();
}

}  // namespace

TEST_CASE("cuda custom: a host function gets copies of operands, and its results are copied back") {
  SINTER_GPUS(machine, 1);
  const Extent n = Extent::symbol(0);
  schedule::Control control{.op = Op::custom, .inputs = 2, .results = 1};
  control.code = make_shared_ptr<const CustomCode>(code());
  control.types = {{f32, {n}}, {f32, {n}}, {f32, {n}}};
  const Storage a = on_gpu({1, 2, 3}), b = on_gpu({10, 20, 30}), c = on_gpu({0, 0, 0});
  const Vector<void*> pointers{a.data(), b.data(), c.data()};
  const std::vector<std::int64_t> symbols{3};
  {
    CudaSubmission work(cuda(), {});
    work.writes(c);
    runtime::call_on_host(work, control, pointers, symbols, {});
  }
  CHECK(numbers(c) == std::vector<float>{11, 22, 33});
}

TEST_CASE("cuda custom: guards find writes around operands and results, and to operands") {
  SINTER_GPUS(machine, 1);
  const std::vector<Storage> memory{on_gpu({1, 2}), on_gpu({0, 0})};
  CHECK(guarded(memory, [](CudaSubmission& work, const Vector<void*>& at) {
          put(work, at[1], 0, 5);
          put(work, at[1], 1, 6);
        }) == "");
  CHECK(numbers(memory[1]) == std::vector<float>{5, 6});
  const auto after = [&](std::size_t argument, int index) {
    return guarded(memory, [=](CudaSubmission& work, const Vector<void*>& at) {
      put(work, at[argument], index, 7);
    });
  };
  CHECK(after(1, 2).find("around") != std::string::npos);
  CHECK(after(1, -1).find("result 0") != std::string::npos);
  CHECK(after(0, 2).find("operand 0") != std::string::npos);
  CHECK(after(0, 1).find("writes to an operand") != std::string::npos);
  CHECK(numbers(memory[0]) == std::vector<float>{1, 2});
}
