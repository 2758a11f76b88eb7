// test: emulator
#include <doctest/doctest.h>
#include <sinter/jit/lower/dump.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cuda_emulator/gpus.hpp"
#include "jit/support.hpp"

using namespace testing;

namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("dump: the result of every stage is a file") {
  const fs::path directory = fs::path(SINTER_TEST_DIR) / "dump_test";
  fs::remove_all(directory);
  fs::create_directories(directory.parent_path());
  const ScopedVariable dump("SINTER_DUMP", directory.c_str());
  const auto f = compile([](const Tensor& x) { return sin(sin(x)); });
  f(zeros({10}));
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    files[entry.path().filename().string().substr(4)] = content(entry.path());
  }
  CHECK(files.size() == 11);  // one of them the library of its kernel
  for (const char* stage : {"rewritten", "facts", "groups", "kernels", "tiled", "launches"})
    CHECK_FALSE(files[std::string(stage) + ".txt"].empty());
  CHECK(count(files["graph.txt"], "sin") >= 2);
  CHECK(count(files["optimized.txt"], "sin") >= 2);
  CHECK(contains(files["plan.txt"], "sin"));
  CHECK(contains(files["kernels.cpp"], f.explain().kernels.at(0).source.substr(0, 40)));
  fs::remove_all(directory);
}

TEST_CASE("dump: GPU kernels are written to a .cu file") {
  SINTER_GPUS(machine, 1);
  const fs::path directory = fs::path(SINTER_TEST_DIR) / "dump_gpu";
  fs::remove_all(directory);
  const ScopedVariable dump("SINTER_DUMP", directory.c_str());
  const Tensor x = zeros({10}).to(cuda());
  const auto f = compile([](const Tensor& a) { return sin(sin(a)); });
  f(x);
  std::string found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    CHECK(entry.path().extension() != ".cpp");
    if (entry.path().extension() == ".cu") found += content(entry.path());
  }
  CHECK(contains(found, f.explain().kernels.at(0).source.substr(0, 40)));
  fs::remove_all(directory);
}

TEST_CASE("dump: nothing is written unless SINTER_DUMP is set") {
  const ScopedVariable dump("SINTER_DUMP", nullptr);
  const fs::path before = fs::current_path();
  const fs::path directory = fs::path(SINTER_TEST_DIR) / "dump_nothing";
  fs::create_directories(directory);
  fs::current_path(directory);
  compile([](const Tensor& x) { return cos(cos(x)); })(zeros({10}));
  fs::current_path(before);
  CHECK(fs::is_empty(directory));
  fs::remove_all(directory);
}

TEST_CASE("dump: a directory that cannot be written is reported, and the call goes on") {
  const ScopedVariable dump("SINTER_DUMP", "/nonexistent/directory");
  const auto f = compile([](const Tensor& x) { return cos(sin(x)); });
  Tensor result;
  const std::string told = said([&] { result = f(zeros({11})); });
  CHECK(near_tensor(result, ones({11})));
  CHECK(contains(told, "SINTER_DUMP: cannot write /nonexistent/directory"));
}
