// test: emulator
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <sinter/base/error.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

TEST_CASE("nvrtc: text becomes an image that the driver loads, once for each text") {
  const Emulator machine;
  use_device(0);
  const char* const text = "extern \"C\" __global__ void one(int* p) { *p = 1; }";
  const Program first(text);
  use_device(1);
  const Program second(text);
  Buffer<int> out(1);
  CHECK(second.run("one", {1, 1}, out) == 0);
  CHECK(out.values()[0] == 1);
  CHECK(machine.compilations() == 2);
  const std::vector<std::string>& options = machine.compile_options();
  REQUIRE(!options.empty());
  CHECK(options[0] == "--gpu-architecture=sm_90");
}

TEST_CASE("nvrtc: text that does not compile is an error with the compiler's words and line") {
  const Emulator machine;
  CHECK_THROWS_WITH_AS(Program("\n__global__ void f() { not_declared(); }"),
                       doctest::Contains("kernels.cu:2:23: error: "), sinter::InternalError);
}

TEST_CASE("nvrtc: an image that it did not make is refused, and a name that is not there") {
  const Emulator machine;
  use_device(0);
  void* handle = nullptr;
  CHECK(driver().load_module(&handle,
                             "no image, which is 64 bytes long, as the head of one is ...") == 200);
  const Program program("extern \"C\" __global__ void one() {}");
  CHECK(driver().function(&handle, program.module(), "two") == 500);
  CHECK(driver().function(&handle, nullptr, "one") == 400);
}

TEST_CASE("nvrtc: variables of a module have an address, which copies and kernels share") {
  const Emulator machine;
  use_device(0);
  const Program program(
      "__device__ int counts[2] = {3, 4};\n"
      "extern \"C\" __global__ void add(int* out) { out[0] = counts[0] += counts[1]; }");
  Buffer<int> out(1);
  CHECK(program.run("add", {1, 1}, out) == 0);
  CHECK(program.run("add", {1, 1}, out) == 0);
  CHECK(out.values()[0] == 11);
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  CHECK(driver().global(&address, &bytes, program.module(), "counts") == 0);
  CHECK(bytes == 8);
  const int fresh[]{100, 1};
  CHECK(driver().copy_to_device(address, fresh, 8) == 0);
  CHECK(program.run("add", {1, 1}, out) == 0);
  CHECK(out.values()[0] == 101);
  CHECK(driver().global(&address, &bytes, program.module(), "other") == 500);
}

TEST_CASE("nvrtc: kernels of a module that is gone cannot be launched") {
  const Emulator machine;
  use_device(0);
  void* function = nullptr;
  {
    const Program program("extern \"C\" __global__ void one() {}");
    function = program.function("one");
    CHECK(driver().launch(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == 0);
    CHECK(driver().synchronize() == 0);
  }
  CHECK(driver().launch(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == 400);
}

TEST_CASE("nvrtc: what the library's compiler wrote is kept for the real one, each text once") {
  const Emulator machine;
  use_device(0);
  const sinter::detail::compiler::TemporaryDirectory folder;
  const char* const before = std::getenv("SINTER_TEST_SPILLS");
  const std::string saved = before == nullptr ? "" : before;
  setenv("SINTER_TEST_SPILLS", folder.path().c_str(), 1);
  const std::string kernel = "extern \"C\" __global__ void one_01234567() {}";
  const std::string written = sinter::detail::codegen::cuda_prelude({}) + kernel;
  const std::string renamed = sinter::detail::codegen::cuda_prelude({}) + "// as the other\n" +
                              "extern \"C\" __global__ void one_89abcdef() {}";
  for (const std::string& text : {written, renamed, kernel}) const Program program(text);
  before == nullptr ? unsetenv("SINTER_TEST_SPILLS")
                    : setenv("SINTER_TEST_SPILLS", saved.c_str(), 1);
  const std::filesystem::directory_iterator files(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 1);
}
