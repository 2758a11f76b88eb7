// Checks that code and facts in the documentation are correct, and that no file has forbidden text.

#include <doctest/doctest.h>
#include <sinter/base/env.hpp>
#include <sinter/base/text.hpp>

#include <set>
#include <string>
#include <vector>

#include "repository.hpp"

using namespace repository;

namespace {

std::vector<fs::path> pages() {
  std::vector<fs::path> result = files("docs", {".md"});
  if (fs::exists(root / "README.md")) result.push_back(root / "README.md");
  return result;
}

// The blocks of a page that start with ```cpp, without the fences.
std::vector<std::string> cpp_blocks(const std::string& page) {
  std::vector<std::string> result;
  const std::string open = "```cpp\n";
  for (auto at = page.find(open); at != std::string::npos; at = page.find(open, at + 1)) {
    const auto start = at + open.size();
    result.push_back(page.substr(start, page.find("```", start) - start));
  }
  return result;
}

// The page without its blocks of code, where a lambda looks like a link.
std::string prose(const std::string& page) {
  std::string result;
  for (std::size_t at = 0; at < page.size();) {
    const auto open = page.find("```", at);
    result += page.substr(at, open - at);
    if (open == std::string::npos) break;
    const auto close = page.find("```", open + 3);
    at = close == std::string::npos ? page.size() : close + 3;
  }
  return result;
}

// The table of docs/environment.md.
std::string environment_table() {
  using sinter::detail::text;
  std::string result = "| variable | values | meaning |\n|---|---|---|\n";
  for (const auto& [name, values, meaning] : sinter::detail::env_table) {
    result += text("| `", name, "` | ", values, " | ", meaning, " |\n");
  }
  return result;
}

// Whether `line` has a path that starts with `part`.
bool names_path(const std::string& line, const std::string& part) {
  for (auto at = line.find(part); at != std::string::npos; at = line.find(part, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    const char after = at + part.size() < line.size() ? line[at + part.size()] : ' ';
    const bool starts = std::string(" \t\"'`(=:,").find(before) != std::string::npos;
    if (starts && after >= 'a' && after <= 'z') return true;
  }
  return false;
}

// Written in two parts, so that this file does not name them.
const std::vector<std::string> places_of_one_machine{
    std::string("/wo") + "rk/", std::string("/tm") + "p/", std::string("/ro") + "ot/"};

bool generated(const fs::path& path) {
  const fs::path relative = fs::relative(path, root);
  return *relative.begin() == "build" || *relative.begin() == ".git";
}

// Every text that the repository keeps.
std::vector<fs::path> all_files() {
  std::vector<fs::path> result;
  fs::recursive_directory_iterator entries(root), end;
  for (; entries != end; ++entries) {
    if (generated(entries->path())) entries.disable_recursion_pending();
    if (entries->is_regular_file() && !generated(entries->path())) result.push_back(*entries);
  }
  return result;
}

}  // namespace

TEST_CASE("project: code in the documentation is copied from a compiled example") {
  for (const auto& page : pages()) {
    for (const std::string& block : cpp_blocks(read(page))) {
      INFO(name_of(page) << ":\n" << block);
      const bool named = starts_with(block, "// examples/");
      CHECK(named);  // the first line names the example
      if (!named) continue;
      const auto line_end = block.find('\n');
      const std::string example = read(root / block.substr(3, line_end - 3));
      CHECK(contains(example, block.substr(line_end + 1)));
    }
  }
}

TEST_CASE("project: docs/environment.md has the table of base/env.hpp") {
  INFO("docs/environment.md has to contain\n" << environment_table());
  CHECK(contains(read(root / "docs" / "environment.md"), environment_table()));
}

TEST_CASE("project: links within the documentation lead to files that exist") {
  for (const auto& page : pages()) {
    const std::string text = prose(read(page));
    for (auto at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      const std::string link = text.substr(at + 2, text.find(')', at) - at - 2);
      if (link.empty() || link[0] == '#' || contains(link, "://")) continue;
      INFO(name_of(page) << ": " << link);
      CHECK(fs::exists(page.parent_path() / link.substr(0, link.find('#'))));
    }
  }
}

TEST_CASE("project: no file names a path of the machine it was written on") {
  for (const auto& file : all_files()) {
    for (const Line& line : lines_of(file)) {
      for (const std::string& place : places_of_one_machine) {
        INFO(line.place << ": " << line.text);
        CHECK_FALSE(names_path(line.text, place));
      }
    }
  }
}

TEST_CASE("project: the top level has the files it is meant to have, and dot files") {
  const std::set<std::string> expected{"CMakeLists.txt",
                                       "CMakePresets.json",
                                       "LICENSE",
                                       "README.md",
                                       "include",
                                       "examples",
                                       "tests",
                                       "bench",
                                       "tools",
                                       "docs"};
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    CHECK((name[0] == '.' || name == "build" || expected.count(name) == 1));
  }
}
