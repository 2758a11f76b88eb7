// The build time of a user: g++ -O0 on a file that only includes sinter, on a program with a model,
// typed tensors and a training step, and on the first program of the README. CPU seconds, the least
// of three.

#include <cstdlib>
#include <string>

#include "child.hpp"
#include "measure.hpp"
#include "report.hpp"

namespace {

double seconds_to_build(const std::string& source, bool compiled) {
  std::vector<std::string> command{"g++", "-std=c++20", "-O0",
                                   "-c",  "-I",         SINTER_INCLUDE_DIR,
                                   "-o",  "/dev/null",  SINTER_BENCH_DIR "/" + source};
  if (compiled) command.push_back("-DSINTER_COMPILED");
  return bench::fastest_of(
      [&] {
        const bench::Finished built = bench::run_child(command);
        if (!built.ok) std::exit(1);  // the compiler has said why
        return built.processor_seconds;
      },
      3);
}

}  // namespace

int main() {
  const bench::Report report("user_build");
  report.add_bound("the include", 1, seconds_to_build("user_build/include.cpp", true), 0.7);
  report.add_bound("a program", 1, seconds_to_build("user_build/program.cpp", true), 2.5);
  report.add_bound("the first program, header-only", 1,
                   seconds_to_build("../examples/01_first_kernel.cpp", false), 20);
  report.add_bound("a program, header-only", 1, seconds_to_build("user_build/program.cpp", false),
                   20);
}
