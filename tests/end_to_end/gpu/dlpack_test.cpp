// test: deep emulator gpu
// Exchange of GPU tensors with other libraries of the process: without copies, both ways.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/device/cuda/context.hpp>
#include <sinter/sinter.hpp>
#include <sinter/trace/interop/dlpack.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cuda_emulator/gpus.hpp"
#include "dlpack_owner.hpp"
#include "gpu.hpp"

using namespace gpu;
using sinter_test::owned;

namespace {

// A GPU tensor of another library, which overwrites the tensor as soon as it is released.
struct Foreign {
  explicit Foreign(std::vector<float> numbers, Device gpu = cuda())
      : device(gpu), values(std::move(numbers)) {
    const CudaDriver& driver = CudaContext::of(device).driver();
    bytes = values.size() * sizeof(float);
    REQUIRE(driver.allocate(&address, bytes) == 0);
    write();
    shape = {static_cast<std::int64_t>(values.size())};
    managed.dl_tensor.data = reinterpret_cast<void*>(address);
    managed.dl_tensor.device = {2, device.index()};
    managed.dl_tensor.dtype = {2, 32, 1};
    managed.manager_ctx = this;
    managed.deleter = [](dlpack::ManagedTensor* self) {
      auto& all = *static_cast<Foreign*>(self->manager_ctx);
      ++all.returned;
      all.values.assign(all.values.size(), -1);
      all.write();
    };
    look();
  }
  void look() {
    managed.dl_tensor.ndim = static_cast<std::int32_t>(shape.size());
    managed.dl_tensor.shape = shape.data();
    managed.dl_tensor.strides = strides.empty() ? nullptr : strides.data();
  }
  void write() const {
    const CudaDriver& driver = CudaContext::of(device).driver();
    CHECK(driver.copy_to_device(address, values.data(), bytes) == 0);
  }
  std::vector<float> read() const {
    std::vector<float> result(values.size());
    const CudaDriver& driver = CudaContext::of(device).driver();
    CHECK(driver.copy_to_host(result.data(), address, bytes) == 0);
    return result;
  }

  Device device;
  std::vector<float> values;
  std::size_t bytes = 0;
  CudaDriver::Address address = 0;
  std::vector<std::int64_t> shape{}, strides{};
  int returned = 0;
  dlpack::ManagedTensor managed{};
};

// Reads as another library does, which does not know our streams.
template <class T>
std::vector<T> read(const dlpack::View& view, std::size_t count) {
  std::vector<T> result(count);
  const CudaDriver& driver = CudaContext::of(cuda(view.device.id)).driver();
  const auto address = reinterpret_cast<CudaDriver::Address>(view.data);
  CHECK(driver.copy_to_host(result.data(), address, count * sizeof(T)) == 0);
  return result;
}

const void* address_of(const Tensor& x) { return elements_of(x).data(); }

using Floats = std::vector<float>;

}  // namespace

TEST_CASE(
    "gpu dlpack: an imported tensor is read in place, in each mode, and released after the work") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  for (const Mode mode : {Mode::standard, Mode::reduce_overhead}) {
    const auto f = compile([](const Tensor& t) { return t * 2.0f + 1.0f; }, {.mode = mode});
    for (int call = 0; call < 4; ++call) {
      const float first = static_cast<float>(call);
      Foreign foreign({first, 2, 3, 4});
      Tensor x = from_dlpack(&foreign.managed);
      CHECK(x.device() == cuda());
      CHECK(address_of(x) == foreign.managed.dl_tensor.data);
      const Tensor y = f(x);
      CHECK(foreign.returned == 0);
      x = Tensor();
      CHECK(foreign.returned == 1);
      CHECK(y.to_vector<float>() == Floats{2 * first + 1, 5, 7, 9});
    }
    CHECK(f.stats().recompiles == 0);
  }
  if (!emulator::uses_real_gpus()) CHECK(machine.graph_launches() > 0);
}

TEST_CASE(
    "gpu dlpack: an imported tensor is not updated in place, by operators or compiled functions") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  for (const Mode mode : {Mode::standard, Mode::reduce_overhead}) {
    const auto step = compile([](Tensor& t) { t += 1.0f; }, {.mode = mode});
    Foreign foreign({1, 2, 3, 4});
    Tensor x = from_dlpack(&foreign.managed), y = x;
    y += 5.0f;
    CHECK(y.to_vector<float>() == Floats{6, 7, 8, 9});
    y = Tensor();
    for (int i = 0; i < 3; ++i) step(x);
    CHECK(x.to_vector<float>() == Floats{4, 5, 6, 7});
    CHECK(foreign.returned == 1);
    Foreign kept({1, 2, 3, 4});
    const Tensor original = from_dlpack(&kept.managed);
    Tensor state = original;
    step(state);
    CHECK(kept.read() == Floats{1, 2, 3, 4});
  }
}

TEST_CASE(
    "gpu dlpack: the same memory may be imported several times, with equal and different sizes") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const auto pass = compile([](const Tensor& t) { return std::pair(t, t + 1.0f); });
  Foreign foreign({1, 2, 3, 4});
  Tensor x = from_dlpack(&foreign.managed), y = from_dlpack(&foreign.managed);
  CHECK(address_of(x) == address_of(y));
  foreign.shape = {2};
  const Tensor part = from_dlpack(&foreign.managed);
  CHECK(address_of(part) != address_of(x));
  CHECK(foreign.returned == 1);
  foreign.values = {1, 2, 3, 4}, foreign.write();
  CHECK(pass(part).first.to_vector<float>() == Floats{1, 2});
  const Tensor sum = x + y;
  CHECK(pass(x).second.to_vector<float>() == Floats{2, 3, 4, 5});
  x = Tensor();
  CHECK(foreign.returned == 1);
  CHECK(pass(y).first.to_vector<float>() == Floats{1, 2, 3, 4});
  CHECK(sum.to_vector<float>() == Floats{2, 4, 6, 8});
  y = Tensor();
  CHECK(foreign.returned == 3);
}

TEST_CASE(
    "gpu dlpack: booleans, and tensors that are not dense or not aligned, are imported as copies") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const auto taken = [](std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                        std::uint64_t offset) {
    Foreign one({0, 1, 2, 3, 4, 5});
    one.shape = std::move(shape), one.strides = std::move(strides), one.look();
    one.managed.dl_tensor.byte_offset = offset;
    const Tensor x = from_dlpack(&one.managed);
    CHECK(x.device() == cuda());
    CHECK(one.returned == 1);
    return x.to_vector<float>();
  };
  CHECK(taken({3, 2}, {1, 3}, 0) == Floats{0, 3, 1, 4, 2, 5});
  CHECK(taken({3}, {2}, 0) == Floats{0, 2, 4});
  CHECK(taken({2, 2}, {0, 1}, 0) == Floats{0, 1, 0, 1});
  CHECK(taken({3}, {-1}, 8) == Floats{2, 1, 0});
  CHECK(taken({4}, {}, 4) == Floats{1, 2, 3, 4});
  CHECK(taken({0, 3}, {}, 0).empty());

  Foreign truth({0, 0});
  const std::uint8_t any[]{0, 1, 2, 255, 0, 7};
  CHECK(CudaContext::of(cuda()).driver().copy_to_device(truth.address, any, 6) == 0);
  truth.shape = {6}, truth.look(), truth.managed.dl_tensor.dtype = {6, 8, 1};
  CHECK(from_dlpack(&truth.managed).to(f32).to_vector<float>() == Floats{0, 1, 1, 1, 0, 1});
}

TEST_CASE(
    "gpu dlpack: an exported tensor is complete GPU memory, and is not reused until it is "
    "released") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const auto f = compile([](const Tensor& t) { return exp(t) * 0.0f + t; });
  const std::int64_t before = memory_stats(cuda()).live_bytes;
  {
    const Tensor x = list<float>({1, 2, 3, 4}).to(cuda());
    const Tensor lazy = x + 1.0f, compiled = f(x);
    auto shared = owned(to_dlpack_versioned(lazy));
    CHECK(shared->dl_tensor.device.type == 2);
    CHECK(shared->dl_tensor.device.id == 0);
    CHECK(shared->dl_tensor.data == address_of(lazy));
    CHECK(shared->flags == dlpack::read_only);
    CHECK(read<float>(shared->dl_tensor, 4) == Floats{2, 3, 4, 5});
    const auto copy = owned(to_dlpack(compiled));
    CHECK(copy->dl_tensor.data != address_of(compiled));
    CHECK(read<float>(copy->dl_tensor, 4) == Floats{1, 2, 3, 4});
  }
  Tensor last = list<float>({1, 2, 3, 4}).to(cuda()) * 2.0f;
  const void* const address = address_of(last);
  const Tensor reader = last + 1.0f;
  evaluate(reader);
  auto given = owned(to_dlpack(std::move(last)));
  CHECK(given->dl_tensor.data == address);
  CHECK(read<float>(given->dl_tensor, 4) == Floats{2, 4, 6, 8});
  // The new owner may overwrite it: earlier readers have the old values.
  const Floats zeros(4);
  const CudaDriver& driver = CudaContext::of(cuda()).driver();
  driver.copy_to_device(reinterpret_cast<CudaDriver::Address>(address), zeros.data(), 16);
  CHECK(reader.to_vector<float>() == Floats{3, 5, 7, 9});
  CHECK(memory_stats(cuda()).live_bytes > before);
}

TEST_CASE("gpu dlpack: memory lives until the deleter is called") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const std::int64_t before = memory_stats(cuda()).live_bytes;
  auto shared = owned(to_dlpack_versioned(full({100}, 3.0f).to(cuda())));
  CHECK(memory_stats(cuda()).live_bytes > before);
  CHECK(read<float>(shared->dl_tensor, 100) == Floats(100, 3.0f));
  shared.reset();
  CHECK(memory_stats(cuda()).live_bytes == before);
}

TEST_CASE("gpu dlpack: export and import give the same memory, in every dtype but bool") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const auto twice = compile([](const Tensor& t) { return t + t; });
  for (const DType dtype : {boolean, u8, i8, i16, i32, i64, f16, bf16, f32, f64}) {
    const Tensor x = list<float>({0, 1, 2, 3}).to(dtype).to(cuda());
    const Tensor back = from_dlpack(to_dlpack_versioned(x));
    CHECK(back.dtype() == dtype);
    CHECK((address_of(back) == address_of(x)) == (dtype != boolean));
    CHECK(elements(back) == elements(x));
    if (dtype == bf16) CHECK(elements(twice(back)) == std::vector<double>{0, 2, 4, 6});
    Tensor only = list<float>({1, 0}).to(cuda()).to(dtype);
    const void* const address = address_of(only);
    const Tensor moved = from_dlpack(to_dlpack(std::move(only)));
    CHECK((address_of(moved) == address) == (dtype != boolean));
    CHECK(elements(moved) == std::vector<double>{1, 0});
    // Imported memory is exported as a copy.
    const auto copy = owned(to_dlpack_versioned(moved));
    if (dtype != boolean) CHECK(copy->dl_tensor.data != address);
  }
}

TEST_CASE("gpu dlpack: tensors of each GPU") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 2);
  const auto f = compile([](const Tensor& t) { return t * 3.0f; });
  Foreign first({1, 2}, cuda(0)), second({3, 4}, cuda(1));
  first.managed.dl_tensor.device.type = 13;
  Tensor x = from_dlpack(&first.managed), y = from_dlpack(&second.managed);
  CHECK(y.device() == cuda(1));
  const Tensor a = f(x), b = f(y), moved = y.to(cuda(0)) + x;
  evaluate(moved);
  x = Tensor(), y = Tensor();
  CHECK(first.returned + second.returned == 2);
  CHECK(a.to_vector<float>() == Floats{3, 6});
  CHECK(b.to_vector<float>() == Floats{9, 12});
  CHECK(moved.to_vector<float>() == Floats{4, 6});
  const auto out = owned(to_dlpack(b));
  CHECK(out->dl_tensor.device.id == 1);
  CHECK(read<float>(out->dl_tensor, 2) == Floats{9, 12});
}

TEST_CASE("gpu dlpack: a missing GPU and unsupported devices are errors that say so") {
  SINTER_GPUS(machine, 1);
  const auto refused = [](std::int32_t type, std::int32_t id) {
    Foreign one({1, 2});
    one.managed.dl_tensor.device = {type, id};
    const std::string message = message_of([&] { from_dlpack(&one.managed); });
    CHECK(one.returned == 1);
    CHECK(has(message, "dlpack_test.cpp:"));
    CHECK(has(message, "fix   copy it to the host"));
    return message;
  };
  CHECK(has(refused(2, 77), "the memory is on cuda:77, where nothing can run"));
  CHECK(has(refused(2, 77), "this machine has "));
  CHECK(has(refused(2, -1), "this machine has "));
  CHECK(has(refused(10, 0), "of neither the host nor a GPU of NVIDIA"));
}
