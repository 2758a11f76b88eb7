// test: deep alone cost=200
// Each planted fault: bisect() names its stage and operation, and the program that minify() writes
// has at most five operations and fails alone, and not without the fault.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sinter/debug/fault/replay.hpp>

#include "planted_cases.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace fs = std::filesystem;

namespace {

const fs::path tests = fs::path(SINTER_SOURCE_DIR) / "tests";

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream result;
  result << file.rdbuf();
  return result.str();
}

int operations_in(const std::string& program) {
  int result = 0;
  for (std::size_t at = 0; (at = program.find("\n  const Value v", at)) != std::string::npos;
       ++at) {
    const std::string line = program.substr(at, program.find('\n', at + 1) - at);
    result += line.find("build.constant(") == std::string::npos ? 1 : 0;
  }
  return result;
}

// The status of `command`: its exit code, or 128 and more if it ended by a signal.
int status_of(const std::string& command) {
  const int status = std::system((command + " > /dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// The program that `source` is, with planted faults; in the compiled form of sinter.
fs::path built(const fs::path& source) {
  const fs::path program = fs::path(source).replace_extension("");
  const std::string include = (tests.parent_path() / "include").string();
  const std::string command =
      std::string(SINTER_TEST_CXX) + " -std=c++20 -O0 -pthread -DSINTER_COMPILED -I" + include +
      " -include " + (tests / "debug/planted_faults.hpp").string() + " " + source.string() + " " +
      SINTER_TEST_LIBRARY + " -ldl -o " + program.string();
  REQUIRE(status_of(command) == 0);
  return program;
}

}  // namespace

TEST_CASE("planted: bisect names stage and operation, and minified programs fail alone") {
  const fs::path folder = fs::temp_directory_path() / "sinter_planted";
  fs::create_directories(folder);
  int number = 0;
  for (const planted::Case& one : planted::all_cases()) {
    CAPTURE(std::string(one.fault));
    const fs::path source = folder / ("bug" + std::to_string(number++) + ".cpp");
    {
      const planted::Plant plant(planted::fault_of(one.fault));
      const Bisection found = one.bisect();
      CAPTURE(to_string(found));
      CHECK(found.found);
      CHECK(found.stage == one.stage);
      CHECK((found.culprit + found.operation).find(one.operation) != std::string::npos);
      one.minify(source.string());
    }
    CHECK(operations_in(contents(source)) <= 5);
    const fs::path program = built(source);
    CHECK(status_of(program.string()) == 0);
    CHECK(status_of("PLANT='" + std::string(one.fault) + "' " + program.string()) != 0);
  }
  fs::remove_all(folder);
}

TEST_CASE("planted: a minified program needs the headers alone") {
  const auto compiled = compile([](const Tensor& x) { return log(x - 1) * 2 + tanh(x); });
  const fs::path folder = fs::temp_directory_path() / "sinter_minified";
  fs::create_directories(folder);
  minify(compiled, ones({3}), (folder / "bug.cpp").string());
  const std::string program = (folder / "bug").string();
  const std::string include = (tests.parent_path() / "include").string();
  REQUIRE(status_of(std::string(SINTER_TEST_CXX) + " -std=c++20 -O0 -pthread -I" + include + " " +
                    program + ".cpp -ldl -o " + program) == 0);
  CHECK(status_of(program) == 1);
  fs::remove_all(folder);
}
