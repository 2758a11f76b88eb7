// CMake lists files by hand, one a line, so that a build does not depend on what lies about. Here
// is who notices that a file was forgotten.

#include <doctest/doctest.h>

#include <map>
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

Names names_of(const fs::path& folder, const std::string& extension) {
  Names result;
  for (const auto& file : files(folder, {extension})) result.insert(name_of(file));
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

// Folders of tests/ that are not one program of one folder each.
const Names other_folders{"compile_fail", "compile_pass", "fuzz", "golden", "install", "link"};

// The sources in each of the other folders of tests/, without the folder.
std::map<std::string, Names> test_sources() {
  std::map<std::string, Names> result;
  for (const auto& file : files("tests", {".cpp"})) {
    const fs::path relative = fs::relative(file, root / "tests");
    const std::string folder = relative.begin()->string();
    if (!relative.has_parent_path() || other_folders.count(folder) == 1) continue;
    result[folder].insert(fs::relative(file, root / "tests" / folder).string());
  }
  return result;
}

}  // namespace

TEST_CASE("project: CMakeLists.txt lists every header and every file of definitions") {
  const std::string text = read(root / "CMakeLists.txt");
  const std::string start = "BASE_DIRS include FILES\n";
  CHECK(difference(list_after(text, "FILE_SET HEADERS " + start), names_of("include", ".hpp")) ==
        "");
  CHECK(difference(list_after(text, "definitions TYPE HEADERS " + start),
                   names_of("include", ".ipp")) == "");
}

TEST_CASE("project: tests/CMakeLists.txt lists every test, by folder") {
  const std::string text = read(root / "tests" / "CMakeLists.txt");
  for (const auto& [folder, sources] : test_sources()) {
    INFO("sinter_test(" << folder << ")");
    Names listed = list_after(text, "\nsinter_test(" + folder + "\n");
    if (folder == "cuda_emulator") listed.merge(list_after(text, "\nsinter_emulator(\n"));
    CHECK(difference(listed, sources) == "");
  }
}

TEST_CASE("project: tests/CMakeLists.txt lists every program that must not compile") {
  Names existing;
  for (const auto& file : files("tests/compile_fail", {".cpp"})) {
    existing.insert(file.stem().string());
    INFO(name_of(file) << " has to begin with // expect: and what the compilers say");
    CHECK(starts_with(read(file), "// expect: "));
  }
  const std::string text = read(root / "tests" / "CMakeLists.txt");
  CHECK(difference(list_after(text, "\nsinter_compile_fail(\n"), existing) == "");
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
