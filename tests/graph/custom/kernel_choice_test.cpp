#include <doctest/doctest.h>

#include <sinter/graph/custom/kernel_choice.hpp>

using namespace sinter::detail;

TEST_CASE("kernel choice: the text of the device defines the function") {
  CustomCode code{.name = "test::f"};
  code.cpp_function.name = "f", code.cpp_function.result = "float";
  code.cuda_function.name = "f", code.cuda_function.result = "void";
  CHECK(chosen_function(code, "cpp").result == "float");
  CHECK(chosen_function(code, "cuda").result == "void");
  CHECK(is_cpp("cpp"));
  CHECK_FALSE(is_cpp("cuda"));
  CHECK_FALSE(is_cpp("call"));
}
