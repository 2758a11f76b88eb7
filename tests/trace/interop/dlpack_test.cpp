// test: moved
#include "testing.hpp"

#include <sinter/device/host/storage.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/interop/dlpack.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "dlpack_owner.hpp"

using namespace testing;
using sinter_test::owned;

namespace {

// Memory of another library, which counts how often it gets it back.
template <class Managed>
struct Foreign {
  std::vector<float> memory{0, 1, 2, 3, 4, 5};
  std::vector<std::int64_t> shape{2, 3}, strides{3, 1};
  int returned = 0;
  Managed managed{};

  Foreign() {
    managed.dl_tensor.data = memory.data();
    managed.dl_tensor.dtype = {2, 32, 1};
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Foreign*>(self->manager_ctx)->returned; };
    look();
  }
  void look() {
    managed.dl_tensor.ndim = static_cast<std::int32_t>(shape.size());
    managed.dl_tensor.shape = shape.data(), managed.dl_tensor.strides = strides.data();
  }
};
using Old = Foreign<dlpack::ManagedTensor>;
using New = Foreign<dlpack::ManagedTensorVersioned>;

// What dlpack.h calls it.
struct DLManagedTensor {
  dlpack::View dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};

}  // namespace

TEST_CASE("from_dlpack: reads dense memory in place, and gives it back once") {
  Old old;
  New versioned;
  {
    Tensor x = from_dlpack(&old.managed), y = from_dlpack(&versioned.managed);
    CHECK(x.data<float>() == old.memory.data());
    CHECK(y.data<float>() == versioned.memory.data());
    CHECK(near(x + y, {0, 2, 4, 6, 8, 10}));
    x += 1;  // another value: the memory stays as it is
    CHECK(near(x, {1, 2, 3, 4, 5, 6}));
    CHECK(old.memory[0] == 0);
    const Tensor part = y[1];
    y = Tensor();
    CHECK(near(part, {3, 4, 5}));
  }
  CHECK(old.returned == 1);
  CHECK(versioned.returned == 1);
}

TEST_CASE("from_dlpack: takes the structs of dlpack.h, and a deleter that is null") {
  Old old;
  DLManagedTensor same{};
  std::memcpy(static_cast<void*>(&same), &old.managed, sizeof(same));
  same.deleter = nullptr;
  CHECK(near(from_dlpack(&same), {0, 1, 2, 3, 4, 5}));
}

TEST_CASE("from_dlpack: copies what is not dense, and gives it back at once") {
  Old turned, every_second, repeated, reversed;
  turned.shape = {3, 2}, turned.strides = {1, 3}, turned.look();
  every_second.shape = {3}, every_second.strides = {2}, every_second.look();
  repeated.shape = {2, 2}, repeated.strides = {0, 1}, repeated.look();
  reversed.shape = {3}, reversed.strides = {-1}, reversed.look();
  reversed.managed.dl_tensor.byte_offset = 2 * sizeof(float);
  CHECK(near(from_dlpack(&turned.managed), {0, 3, 1, 4, 2, 5}));
  CHECK(near(from_dlpack(&every_second.managed), {0, 2, 4}));
  CHECK(near(from_dlpack(&repeated.managed), {0, 1, 0, 1}));
  CHECK(near(from_dlpack(&reversed.managed), {2, 1, 0}));
  for (const Old* one : {&turned, &every_second, &repeated, &reversed}) CHECK(one->returned == 1);
}

TEST_CASE("from_dlpack: knows offsets, axes of extent 1, no elements, and no axes") {
  Old offset, one, none, scalar, dense;
  offset.shape = {2}, offset.strides = {1}, offset.look();
  offset.managed.dl_tensor.byte_offset = 4 * sizeof(float);
  one.shape = {6, 1}, one.strides = {1, 77}, one.look();
  none.shape = {0, 3}, none.look(), none.managed.dl_tensor.data = nullptr;
  scalar.shape.clear(), scalar.strides.clear(), scalar.look();
  dense.managed.dl_tensor.strides = nullptr;
  CHECK(near(from_dlpack(&offset.managed), {4, 5}));
  CHECK(from_dlpack(&one.managed).data<float>() == one.memory.data());
  CHECK(to_string(from_dlpack(&none.managed)) == "f32[0, 3]");
  CHECK(from_dlpack(&scalar.managed).item<float>() == 0);
  CHECK(near(from_dlpack(&dense.managed), {0, 1, 2, 3, 4, 5}));
}

TEST_CASE("from_dlpack: copies what is not aligned, and booleans, whose bytes may be any") {
  Old old, truth;
  std::vector<char> bytes(6 * sizeof(float) + 1);
  std::memcpy(bytes.data() + 1, old.memory.data(), 6 * sizeof(float));
  old.managed.dl_tensor.data = bytes.data() + 1;
  CHECK(near(from_dlpack(&old.managed), {0, 1, 2, 3, 4, 5}));

  const std::uint8_t any[]{0, 1, 2, 255, 0, 7};
  std::memcpy(truth.memory.data(), any, sizeof(any));
  truth.managed.dl_tensor.dtype = {6, 8, 1};
  CHECK(near(from_dlpack(&truth.managed), {0, 1, 1, 1, 0, 1}));
}

TEST_CASE("to_dlpack: what somebody else has is copied, in every dtype") {
  for (const DType dtype : {boolean, u8, i8, i16, i32, i64, f16, bf16, f32, f64}) {
    const Tensor x = counting({2, 3}).to(dtype);
    const auto copy = owned(to_dlpack(x));
    CHECK(copy->dl_tensor.data != elements_of(x).data());
    CHECK(copy->dl_tensor.strides[0] == 3);
    const Tensor back = from_dlpack(to_dlpack(x));
    CHECK(to_string(back) == to_string(x));
    CHECK(near(back, numbers(x)));
  }
}

TEST_CASE("to_dlpack: what nobody else has is given away without a copy") {
  Tensor last = counting({4});
  const void* const memory = elements_of(last).data();
  const auto given = owned(to_dlpack(std::move(last)));
  CHECK(given->dl_tensor.data == memory);
}

TEST_CASE("to_dlpack_versioned: shares memory that is marked as read-only, but none from outside") {
  const Tensor x = counting({2, 0, 3}), y = counting({3});
  const auto none = owned(to_dlpack_versioned(x));
  CHECK(none->dl_tensor.ndim == 3);
  const auto shared = owned(to_dlpack_versioned(y));
  CHECK(shared->dl_tensor.data == elements_of(y).data());
  CHECK(shared->flags == dlpack::read_only);
  CHECK(shared->version.major == 1);

  const std::vector<float> outside{1, 2};
  const auto copy = owned(to_dlpack_versioned(view(outside.data(), {2})));
  CHECK(copy->dl_tensor.data != outside.data());
  CHECK(copy->flags == dlpack::is_copied);
}

TEST_CASE("to_dlpack: the memory lives until the deleter is called" *
          doctest::test_suite("host: end_to_end/gpu/dlpack_test.cpp reads memory of a GPU")) {
  const std::int64_t before = memory_stats().live_bytes;
  auto managed = owned(to_dlpack(counting({1000, 1000}) + 1));
  CHECK(memory_stats().live_bytes > before);
  CHECK(static_cast<const float*>(managed->dl_tensor.data)[999999] == 1000000);
  managed.reset();
  CHECK(memory_stats().live_bytes == before);
}

TEST_CASE("from_dlpack: mistakes name the line, the values, the rule and the way out") {
  dlpack::ManagedTensor* const null = nullptr;
  MISTAKE(ValueError, from_dlpack(null), "from_dlpack: there is no tensor");
  const auto refuses = [](auto kind, auto change, std::string part) {
    using Error = typename decltype(kind)::type;
    New one;
    change(one.managed);
    MISTAKE(Error, from_dlpack(&one.managed), part);
    CHECK(one.returned == 1);
  };
  using M = dlpack::ManagedTensorVersioned;
  const std::type_identity<ValueError> value;
  refuses(
      value, [](M& m) { m.version.major = 2; }, "another version of DLPack");
  refuses(
      value, [](M& m) { m.dl_tensor.ndim = -1; }, "there is no shape");
  refuses(
      value, [](M& m) { m.dl_tensor.shape = nullptr; }, "there is no shape");
  refuses(
      value, [](M& m) { m.dl_tensor.shape[1] = -3; }, "an extent is negative");
  refuses(
      value, [](M& m) { m.dl_tensor.shape[0] = INT64_MAX; }, "the extents are too large");
  refuses(
      value, [](M& m) { m.dl_tensor.strides[0] = INT64_MIN; }, "a stride is too large");
  refuses(
      value, [](M& m) { m.dl_tensor.data = nullptr; }, "there is no memory");
  refuses(
      value, [](M& m) { m.dl_tensor.byte_offset = UINT64_MAX; }, "there is no memory");
  refuses(
      std::type_identity<DTypeError>(), [](M& m) { m.dl_tensor.dtype.lanes = 4; }, "lanes 4");
  refuses(
      std::type_identity<DTypeError>(),
      [](M& m) {
        m.dl_tensor.dtype = {5, 64, 1};
      },
      "code  5");
  refuses(
      std::type_identity<DeviceError>(), [](M& m) { m.dl_tensor.device.type = 10; },
      "neither the host nor a GPU");
  refuses(
      std::type_identity<DeviceError>(),
      [](M& m) {
        m.dl_tensor.device = {2, 99};
      },
      "the memory is on cuda:99, where nothing can run");
  New many;
  many.shape.assign(11, 1), many.strides.assign(11, 1), many.look();
  MISTAKE(ShapeError, from_dlpack(&many.managed), "11");
  CHECK(many.returned == 1);
}
