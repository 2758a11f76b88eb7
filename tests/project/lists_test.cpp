// CMake lists examples and benchmarks by hand, in reading order. Checks that the lists are
// complete, and that each program that must not compile states the expected error.

#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>

#include "repository.hpp"

using namespace repository;

namespace {

using Names = std::set<std::string>;

// The words of a CMake file that come after `start` and before the next ')'.
Names list_after(const std::string& text, const std::string& start) {
  const auto at = text.find(start);
  if (at == std::string::npos) return {};
  const auto from = at + start.size();
  std::istringstream words(text.substr(from, text.find(')', from) - from));
  Names result;
  for (std::string word; words >> word;) result.insert(word);
  return result;
}

std::string difference(const Names& listed, const Names& existing) {
  std::string result;
  for (const auto& name : existing) {
    if (listed.count(name) == 0) result += name + " is not listed\n";
  }
  for (const auto& name : listed) {
    if (existing.count(name) == 0) result += name + " does not exist\n";
  }
  return result;
}

}  // namespace

TEST_CASE("project: a program that must not compile says what the compiler has to say") {
  for (const auto& file : files("tests/compile_fail", {".cpp"})) {
    INFO(name_of(file) << " has to begin with // expect: and what the compilers say");
    CHECK(starts_with(read(file), "// expect: "));
  }
}

TEST_CASE("project: examples/CMakeLists.txt lists every numbered example") {
  Names existing;
  for (const auto& file : files("examples", {".cpp"})) {
    const std::string name = file.stem().string();
    if (name[0] >= '0' && name[0] <= '9') existing.insert(name);
  }
  const std::string text = read(root / "examples" / "CMakeLists.txt");
  CHECK(difference(list_after(text, "\nsinter_examples(\n"), existing) == "");
}

TEST_CASE("project: bench/CMakeLists.txt lists every problem") {
  Names existing;
  for (const auto& file : files("bench", {".cpp"})) {
    if (file.filename() == "main.cpp") existing.insert(file.parent_path().filename().string());
  }
  const std::string text = read(root / "bench" / "CMakeLists.txt");
  CHECK(difference(list_after(text, "\nsinter_bench(\n"), existing) == "");
}
