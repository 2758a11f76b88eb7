#include <doctest/doctest.h>

#include <sinter/graph/custom/custom_code.hpp>

using namespace sinter;

TEST_CASE("custom code: texts have a name of their own in kernels") {
  detail::CustomCode a{.name = "a::f"}, b{.name = "a::f"};
  a.text_hash = detail::Hasher().add("one").result();
  b.text_hash = detail::Hasher().add("another").result();
  CHECK(detail::user_function_name(a) != detail::user_function_name(b));
  CHECK(detail::user_function_name(a).substr(0, 5) == "user_");
}
