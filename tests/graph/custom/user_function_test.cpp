#include <doctest/doctest.h>
#include <sinter/graph/custom/user_function.hpp>

using namespace sinter::detail;

TEST_CASE("user_function: a function of values is elementwise, one of pointers is not") {
  CHECK(UserFunction{.name = "f", .result = "float"}.is_elementwise());
  CHECK_FALSE(UserFunction{.name = "f", .result = "void"}.is_elementwise());
  CHECK_FALSE(UserFunction{}.is_elementwise());
}

TEST_CASE("user_function: the local name has no namespace") {
  CHECK(local_name("shop::discount") == "discount");
  CHECK(local_name("discount") == "discount");
}
