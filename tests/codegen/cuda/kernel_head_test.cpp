#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/codegen/cuda/kernel_head.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("kernel_head: parameters are found by type and name, after other functions") {
  const std::string before = "static int f() { return 1; }\n";
  const std::string text = before +
                           "extern \"C\" __global__ void __launch_bounds__(128, 1) "
                           "k(const float* in0,\n    long n0) {\n  body();\n}\n";
  const codegen::detail::CudaHead head = codegen::detail::head_of(text);
  CHECK(head.start == before.size());
  CHECK(text.substr(head.open, 7) == "(const ");
  CHECK(text.substr(head.close, 4) == ") {\n");
  REQUIRE(head.parameters.size() == 2);
  CHECK(head.parameters[0].type == "const float*");
  CHECK(head.parameters[0].name == "in0");
  CHECK(head.parameters[1].type == "long");
  CHECK(head.parameters[1].name == "n0");
}

TEST_CASE("kernel_head: a text without a kernel is refused") {
  CHECK_THROWS_AS(codegen::detail::head_of("void f() {\n}\n"), InternalError);
}
