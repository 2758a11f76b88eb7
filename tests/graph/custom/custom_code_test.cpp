#include <doctest/doctest.h>

#include <cstdint>

#include <sinter/graph/custom/custom_code.hpp>

using namespace sinter;

TEST_CASE("custom code: raw tensors are dense and row-major") {
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

TEST_CASE("custom code: texts have a name of their own in kernels") {
  detail::CustomCode a{.name = "a::f"}, b{.name = "a::f"};
  a.text_hash = detail::Hasher().add("one").result();
  b.text_hash = detail::Hasher().add("another").result();
  CHECK(detail::user_function_name(a) != detail::user_function_name(b));
  CHECK(detail::user_function_name(a).substr(0, 5) == "user_");
}
