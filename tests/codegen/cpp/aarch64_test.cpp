// Kernels as text for a processor that this machine may not have: they compile for it.

#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>

#include "harness.hpp"
#include "operations.hpp"
#include "skip.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

using Command = std::vector<std::string>;

// A compiler for aarch64; empty if there is none.
Command cross_compiler(const std::string& directory) {
  write_file(directory + "/empty.cpp", "int nothing;\n");
  for (Command command :
       {Command{"aarch64-linux-gnu-g++"}, Command{"clang++-16", "--target=aarch64-linux-gnu"},
        Command{"clang++", "--target=aarch64-linux-gnu"}}) {
    const Command chosen = command;
    command.insert(command.end(), {"-c", directory + "/empty.cpp", "-o", directory + "/empty.o"});
    if (run(command, directory + "/log") == 0) return chosen;
  }
  return {};
}

}  // namespace

TEST_CASE(
    "aarch64: kernels of every kind and function compile for 128-bit vectors and for scalars") {
  const std::string directory = scratch_directory();
  Command command = cross_compiler(directory);
  if (command.empty()) {
    run({"rm", "-rf", directory}, "/dev/null");
    SINTER_SKIP("no compiler for aarch64");
  }
  Vector<Source> sources;
  for (const int bits : {128, 0}) {
    for (const Case& one : all_cases()) {
      Sizes sizes(one.sizes.back(), true);
      const Kernel kernel = one.build(one.name, sizes);
      sources.push_back(codegen::emit_cpp(kernel, {.target = {.vectors = {.bits = bits}}}));
    }
  }
  for (const Op op : operations::floating_functions()) {
    for (const DType dtype : {f16, bf16, f32, f64}) {
      for (const int bits : {128, 0}) {
        Sizes sizes({64}, true);
        const std::string name = text(op, "_", dtype, "_", bits);
        const Kernel kernel = unary_chain(name, sizes, op, op, dtype);
        sources.push_back(codegen::emit_cpp(kernel, {.target = {.vectors = {.bits = bits}}}));
      }
    }
  }
  std::string whole = codegen::cpp_prelude(sources);
  for (const Source& source : sources) whole += source.text;
  write_file(directory + "/kernels.cpp", whole);

  command.insert(command.end(), {"-O0", "-fwrapv", "-w", "-S", directory + "/kernels.cpp", "-o",
                                 directory + "/kernels.s"});
  const int status = run(command, directory + "/log");
  INFO(read_file(directory + "/log").substr(0, 4000));
  CHECK(status == 0);
  CHECK(read_file(directory + "/kernels.s").find("fadd") != std::string::npos);
  run({"rm", "-rf", directory}, "/dev/null");
}
