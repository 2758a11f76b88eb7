#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/compile/unit/partition.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t result = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++result;
  return result;
}

// So many lines that make a text long.
std::string lines(int number) {
  std::string result;
  for (int i = 0; i < number; ++i) result += "  // a comment as long as a statement may be\n";
  return result;
}

std::string function(const std::string& name, int value) {
  return "static __attribute__((noinline)) int " + name + "(int n,\n    int m) {\n" + lines(60) +
         "  return n + m + " + std::to_string(value) + ";\n}\n";
}

// A kernel that gives the sum of what the functions give.
Source kernel(const std::string& name, const std::string& sum, std::uint64_t key) {
  return {.language = Language::cpp,
          .name = name,
          .text = "extern \"C\" int " + name + "() {\n" + lines(60) + "  return " + sum + ";\n}\n",
          .key = {11, key}};
}

TranslationUnit shared_unit() {
  return {.prelude = "// prelude\n" + function("five", 5) +
                     "static inline int one() { return 1; }\n"
                     "static __attribute__((noinline)) int same(int n) { return n; }\n" +
                     function("nine", 9) + function("unused", 0),
          .kernels = {kernel("first", "five(0, 1)", 1),
                      kernel("second", "(true ? five : nine)(0, nine(same(1), 1))", 2),
                      kernel("first", "nine(one(), 0)", 3), kernel("again", "five(0, 1)", 1)}};
}

}  // namespace

TEST_CASE("partition: short texts, or one compiler, give one run with all functions static") {
  const TranslationUnit unit = shared_unit();

  const auto runs = split_into_runs(unit, 1);

  REQUIRE(runs.size() == 1);
  CHECK(runs[0].text == assemble(unit).text);
  CHECK(runs[0].members.size() == 3);
  CHECK(split_into_runs({.kernels = {kernel("f", "1", 1), kernel("g", "2", 2)}}, 8).size() == 1);
}

TEST_CASE("partition: each long function is defined in one run and declared in the others") {
  const auto runs = split_into_runs(shared_unit(), 2);

  REQUIRE(runs.size() == 2);
  const std::string hidden = "__attribute__((noinline, visibility(\"hidden\"))) int ";
  std::string all;
  for (const UnitText& run : runs) {
    CHECK(count(run.text, hidden + "five(int n,\n    int m)") == 1);
    CHECK(count(run.text, "inline int one()") == 1);
    CHECK(count(run.text, "static __attribute__((noinline)) int same(") == 1);
    CHECK(count(run.text, "static __attribute__((noinline)) int unused(") == 1);
    all += run.text;
  }
  CHECK(count(all, "return n + m + 5;") == 1);
  CHECK(count(all, "return n + m + 9;") == 1);
  CHECK(count(all, hidden + "nine(int n,\n    int m);\n") == 1);
}

TEST_CASE("partition: runs have similar lengths, and every kernel once, under a unique name") {
  const auto runs = split_into_runs(shared_unit(), 2);

  REQUIRE(runs.size() == 2);
  CHECK(runs[0].text.size() < 2 * runs[1].text.size());
  CHECK(runs[1].text.size() < 2 * runs[0].text.size());
  CHECK(runs[0].members.size() + runs[1].members.size() == 3);
  std::string symbols;
  for (const UnitText& run : runs) {
    for (const Member& member : run.members) symbols += member.symbol + ";";
  }
  CHECK(count(symbols, "first;") == 1);
  CHECK(count(symbols, "first_2;") == 1);
  CHECK(count(symbols, "second;") == 1);
}

TEST_CASE("partition: outputs of several compilers are linked to one library") {
  for (const char* const compiler : {"g++", "clang++-16"}) {
    setenv("SINTER_CXX", compiler, 1);
    const FreshCache fresh;
    const TranslationUnit unit = shared_unit();
    const auto parts = static_cast<std::int64_t>(
        split_into_runs(unit, std::max(std::thread::hardware_concurrency(), 1u)).size());

    const auto module = load_or_compile(unit);

    if (!module) continue;  // that compiler is not here
    CHECK(module->work().compiler_runs == parts);
    CHECK(module->work().kernels_compiled == 3);
    const auto call = [&](std::size_t i) {
      return reinterpret_cast<int (*)()>(module->function(i))();
    };
    CHECK(call(0) == 6);
    CHECK(call(1) == 16);
    CHECK(call(2) == 10);
    CHECK(call(3) == 6);
    forget_kernels();
    CHECK(load_or_compile(unit)->work().disk_hits == 3);
  }
  unsetenv("SINTER_CXX");
}
