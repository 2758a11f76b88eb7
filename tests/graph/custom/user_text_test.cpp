#include <doctest/doctest.h>

#include <string>

#include <sinter/graph/custom/user_text.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

// "void(float*, long)"
std::string signature(std::string_view text) {
  const UserFunction function = user_function(text, "f");
  if (function.name.empty()) return "";
  std::string result = function.result + "(";
  for (const UserParameter& one : function.parameters) {
    result += (result.back() == '(' ? "" : ", ") + one.type + (one.is_pointer ? "*" : "");
  }
  return result + ")";
}

}  // namespace

TEST_CASE("user text: the function of the name of the operation is found") {
  CHECK(signature("void f(const float* x, float* y, long n) { f(x); }") ==
        "void(float*, float*, long)");
  CHECK(signature("#include <cmath>\ntemplate <class T> static inline T f(T x, const T) { }") ==
        "T(T, T)");
  CHECK(signature("auto f(auto x) { return x; }") == "auto(auto)");
  CHECK(signature("void f() {}") == "void()");
  CHECK(signature("void f(void* x, unsigned char y[], unsigned n = 3);") ==
        "void(void*, unsigned char*, unsigned)");
  CHECK(signature("extern \"C\" __global__ void __launch_bounds__(256)\n"
                  "f(const float *__restrict__ x, std::int64_t m) {}") ==
        "void(float*, std::int64_t)");
  CHECK(signature("namespace a { float f(float x) { return x; } }") == "float(float)");
}

TEST_CASE("user text: calls, members and comments are no functions") {
  CHECK(signature("// void f(int x)\n/* f(1) */ const char* g = \"void f(int)\";").empty());
  CHECK(signature("struct A { float f(float); };").empty());
  CHECK(signature("float g(float f) { return f(1); }").empty());
  CHECK(signature("float g(float x) { return f(x); }\nfloat f(float x) { return x; }") ==
        "float(float)");
}

TEST_CASE("user text: types of C++ are those of dtypes") {
  CHECK(may_be("float", f32));
  CHECK_FALSE(may_be("float", f64));
  CHECK(may_be("std::int64_t", i64));
  CHECK(may_be("T", f64));
  CHECK(is_known_type("void"));
  CHECK_FALSE(is_known_type("T"));
  CHECK(dtype_of_type("double", f32) == f64);
  CHECK(dtype_of_type("auto", i32) == i32);
  CHECK(local_name("shop::discount") == "discount");
}

TEST_CASE("user text: includes go in front, and macros end with the text") {
  const UserText parts = split_user_text("#include <cmath>\n# define N 4\nfloat f();");
  CHECK(parts.includes == "#include <cmath>\n");
  CHECK(parts.body == "\n# define N 4\nfloat f();\n");
  CHECK(parts.undefines == "#undef N\n");
  CHECK(with_word("a ab \"a\" // a", "a", "b") == "b ab \"a\" // a");
}
