#include <doctest/doctest.h>

#include <sinter/trace/context/tensor_spec.hpp>

using namespace sinter;

TEST_CASE("tensor spec: a dimension is marked in a copy") {
  const TensorSpec plain{{4, 3}};
  const TensorSpec marked = plain.dynamic(0, {.min = 1, .max = 8});
  CHECK(plain.dtype == f32);
  CHECK(plain.marks.empty());
  REQUIRE(marked.marks.size() == 1);
  CHECK(marked.marks[0].dim == 0);
  CHECK(marked.marks[0].range.max == 8);
}
