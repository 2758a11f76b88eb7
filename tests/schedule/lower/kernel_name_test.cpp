#include <doctest/doctest.h>
#include <sinter/schedule/lower/kernel_name.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using namespace handwritten_kernels;

TEST_CASE("kernel_name: a kernel is named after its operations, dtype and loops") {
  CHECK(name_of(sine(8, 4, 4, 1), false) == "sin_f32");
  Kernel rows = row_sum(8, 4);
  CHECK(name_of(rows, false) == "sum_f32_columns");
  rows.vector_axis = VectorAxis::stage;
  CHECK(name_of(rows, false) == "sum_f32_rows");
}

TEST_CASE("kernel_name: a kernel that computes nothing is a copy") {
  Kernel kernel = sine(8, 4, 4, 1);
  kernel.instructions = {kernel.instructions[0], store(1, 0, 0)};
  CHECK(name_of(kernel, false) == "copy_f32");
}

TEST_CASE("kernel_name: long names are cut") {
  Kernel kernel = sine(8, 4, 4, 1);
  for (int i = 0; i < 40; ++i) kernel.instructions.push_back(compute(Op::maximum, {1, 1}));
  kernel.instructions.push_back(store(1, 0, 1));
  const std::string name = name_of(kernel, false);
  CHECK(name.size() <= 60);
  CHECK(name.find("_etc_f32") != std::string::npos);
}
