#include <doctest/doctest.h>
#include <sinter/codegen/text/kernel_writer.hpp>

#include <array>
#include <string>

#include "texts.hpp"

using namespace kernels;
using codegen::KernelContext;
using codegen::Names;

TEST_CASE("kernel_writer: it has the names of its kernel and an empty text") {
  Sizes sizes({8, 64}, false);
  const Kernel kernel = bias_relu("b", sizes, f32);
  const KernelContext context{Names(kernel, 16), codegen::apply};
  CHECK(context.names.argument_name(0) == "in0");
  CHECK(context.names.loop_name(0, 0) == "i0");
  CHECK(context.out.str().empty());
  CHECK_FALSE(context.strict);
  CHECK(context.tuning == codegen::Tuning{});
}

TEST_CASE("kernel_writer: it writes operations in the language of its text") {
  Sizes sizes({64}, false);
  const Kernel kernel = binary("a", sizes, Op::add, i32);
  const KernelContext cpp{Names(kernel, 1), codegen::apply};
  const KernelContext cuda{Names(kernel, 1), codegen::apply_in_cuda};
  const std::array<std::string, 2> operands{"v0", "v1"};
  CHECK(cpp.apply(Op::add, operands, {i32}, {i32}) == "v0 + v1");
  CHECK(cuda.apply(Op::add, operands, {i32}, {i32}) == "add_i32(v0, v1)");
}
