// test: deep cost=30
// tools/sinter_gdb.py under gdb, on a program with a value of each kind; and
// tools/sinter.natvis, whose expressions name members that there are.

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "skip.hpp"

namespace {

const std::string source = SINTER_SOURCE_DIR, folder = SINTER_TEST_DIR "/gdb";

std::string output_of(const std::string& command) {
  std::string result;
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) result += static_cast<char>(c);
  pclose(pipe);
  return result;
}

bool has(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

std::string content_of(const std::string& path) {
  std::ostringstream result;
  result << std::ifstream(path).rdbuf();
  return result.str();
}

}  // namespace

TEST_CASE("gdb: each kind of value is printed") {
  if (std::system("gdb --version > /dev/null 2>&1") != 0) SINTER_SKIP("there is no gdb");
  const std::string program = folder + "/program";
  const std::string build = "mkdir -p " + folder + " && c++ -std=c++20 -g -O0 -w -I" + source +
                            "/include " + source + "/tests/data/gdb_program.cpp -o " + program +
                            " -pthread -ldl";
  REQUIRE(std::system(build.c_str()) == 0);
  const std::string seen = output_of(
      "gdb -q -batch -nx -ex 'set width 0' -ex 'source " + source +
      "/tools/sinter_gdb.py' -ex 'break stop' -ex run -ex up -ex 'info locals' " + program);
  INFO(seen);
  for (const char* const line :
       {"none = undefined Tensor", "lazy = Tensor f32[2, 3], not computed: add",
        "ready = Tensor f32[2, 3] {1, 2.5, -3, 4, 5, 6}",
        "many = Tensor i64[100] {0, 1, 2, 3, 4, 5, 6, 7, ...}",
        "halves = Tensor bf16[2, 3] {1, 2.5, -3, 4, 5, 6}",
        "typed = Tensor f32[2, 3] {1, 2.5, -3, 4, 5, 6}", "scalar = Tensor f64[] {3.5}",
        "size = 12", "negative = -3", "symbol = s0", "sum = 2*s0 + 1", "shape = [64, 2*s0 + 1]",
        "empty = []", "node = f32[64, 2] = exp %0"}) {
    INFO(line);
    CHECK(has(seen, line));
  }
  CHECK(seen.find("graph of 2 nodes, 1 inputs, return %1") != std::string::npos);
  CHECK(seen.find("%1 = f32[64, 2] = exp %0") != std::string::npos);
  CHECK(seen.find("Python Exception") == std::string::npos);
}

TEST_CASE("natvis: names of members are those of the headers") {
  const std::string text = content_of(source + "/tools/sinter.natvis");
  REQUIRE(text.find("<AutoVisualizer") != std::string::npos);
  std::string headers;
  for (const char* const header :
       {"symbol/extent/expression.hpp", "symbol/shape.hpp", "trace/core/handle.hpp",
        "trace/value/lazy.hpp", "graph/graph.hpp", "base/container/vector.hpp",
        "base/container/small_vector.hpp"}) {
    headers += content_of(source + "/include/sinter/" + header);
  }
  std::set<std::string> names;
  std::string word;
  for (const char c : text + " ") {
    if ((c >= 'a' && c <= 'z') || c == '_') {
      word += c;
      continue;
    }
    if (word.size() > 1 && word.back() == '_') names.insert(word);
    word.clear();
  }
  CHECK(names.size() >= 7);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(headers.find(" " + name) != std::string::npos);
  }
}
