#include <doctest/doctest.h>
#include <sinter/codegen/text/prelude.hpp>

#include <array>

#include "texts.hpp"

using namespace kernels;
using codegen::Helper;
using codegen::Lanes;
using codegen::VectorType;

namespace {

constexpr std::array<Helper, 2> table{
    {{"twice", "f32", Lanes::any, "INLINE $T twice_$S($T a) { return plus_$S(a, a); }"},
     {"plus", "f32", Lanes::any, "INLINE $T plus_$S($T a, $T b) { return a + b; }"}}};

std::string numbered(std::string_view name, const VectorType&) {
  return name == "third" ? "int third_f32() { return 3; }" : "";
}

std::string prelude_of(const std::string& words) {
  codegen::HelperSet set({.opening = "// opening\n", .tables = {table}, .families = {numbered}});
  const Source source{Language::cpp, "", words, {}};
  return set.prelude({&source, 1});
}

}  // namespace

TEST_CASE("text_prelude: a helper comes after those that it calls, each of them once") {
  const std::string text = prelude_of("twice_f32 plus_f32");
  CHECK(text.starts_with("// opening\n"));
  CHECK(in_order(text, " plus_f32(float a", " twice_f32(float a"));
  CHECK(count(text, " plus_f32(float a") == 1);
}

TEST_CASE("text_prelude: families write helpers from their names") {
  CHECK(contains(prelude_of("third_f32"), "int third_f32() { return 3; }"));
  CHECK(prelude_of("fourth_f32") == "// opening\n");
}

TEST_CASE("text_prelude: a word in a comment names no helper") {
  CHECK(prelude_of("a;  // plus_f32, third_f32") == "// opening\n");
  CHECK(contains(prelude_of("// plus_f32\nthird_f32"), "third_f32"));
}

TEST_CASE(
    "text_prelude: the hash of code depends on the helpers, not on the name or on lines of the "
    "user") {
  const auto hash = [](const std::string& name, const std::string& text, bool rounds = false) {
    const std::array<Helper, 1> plus{
        {{"plus", "f32", Lanes::any, rounds ? "int plus_$S() { return 1; }" : "int plus_$S();"}}};
    codegen::HelperSet set({.opening = "", .tables = {plus}});
    return set.code_hash({Language::cpp, name, text, {}});
  };
  const Hash code = hash("add", "void add(int a) {\n  a += plus_f32();  // x.cpp:3\n}");
  CHECK(hash("sum", "// head\nvoid sum(int a) {\n  a += plus_f32();\n}\n") == code);
  CHECK(hash("add", "void add(int a) {\n  a += 2;\n}") != code);
  CHECK(hash("add", "void add(int a) {\n  a += plus_f32(); a++;\n}") != code);
  CHECK(hash("add", "void add(int a) {\n  a += plus_f32();  // x.cpp:3\n}", true) != code);
  CHECK(hash("add", "// plus_f32\nint add();", true) == hash("add", "int add();"));
}

TEST_CASE("text_prelude: the hash of a helper includes those that it calls") {
  const auto hash = [](const char* inner) {
    const std::array<Helper, 2> tables{
        {{"twice", "f32", Lanes::any, "int twice_$S() { return 2 * once_$S(); }"},
         {"once", "f32", Lanes::any, inner}}};
    codegen::HelperSet set({.opening = "", .tables = {tables}});
    return set.code_hash({Language::cpp, "f", "int f() { return twice_f32(); }", {}});
  };
  CHECK(hash("int once_$S() { return 1; }") == hash("int once_$S() { return 1; }"));
  CHECK(hash("int once_$S() { return 1; }") != hash("int once_$S() { return 3; }"));
}
