#include <doctest/doctest.h>

#include <cstdint>

#include <sinter/graph/custom/raw_tensor.hpp>

using namespace sinter;

TEST_CASE("raw tensor: tensors are dense and row-major") {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  const std::int64_t shape[] = {2, 3};
  const RawTensor x(memory, f32, shape);
  CHECK(x.data<float>()[4] == 4);
  CHECK(x.data() == memory);
  CHECK(x.dtype() == f32);
  CHECK(x.numel() == 6);
  CHECK(x.ndim() == 2);
  CHECK(x.size(-1) == 3);
  CHECK(x.stride(0) == 3);
  CHECK(x.stride(-1) == 1);
  CHECK(RawTensor(memory, f32, {}).numel() == 1);
}
