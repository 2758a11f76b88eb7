// Runs the compiler and the linker. Tests compile many thousands of short texts, so the CUDA
// declarations are a precompiled header for g++ (cuda_emulator.cmake), and ld is called directly.

#include "host_compiler.hpp"

#include <cstdlib>
#include <vector>

#include <fcntl.h>

#include <sinter/base/text.hpp>
#include <sinter/compile/host/process.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

namespace emulator {

namespace {

using sinter::detail::compiler::ProcessResult;

constexpr std::int64_t patience = 600'000;  // milliseconds; the machine may be busy

// clang compiles long texts faster, but starts more slowly.
bool is_long(const std::string& text) {
  const char* const length = std::getenv("SINTER_TEST_LONG_TEXT");  // for its own test
  return text.size() >= (length == nullptr ? 30'000 : std::stoul(length));
}

// Instruments reads even if a write to the same location follows.
std::vector<std::string> compiler_of(const std::string& text) {
  const std::string clang = SINTER_EMULATOR_CLANG;
  if (!clang.empty() && is_long(text)) {
    return {clang, "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm",
            "-tsan-instrument-read-before-write=1"};
  }
  return {"g++", "--param=tsan-instrument-func-entry-exit=0"};
}

// Builds kernels.so in `directory`.
ProcessResult build(const std::string& directory, const std::string& text,
                    const std::string& words) {
  const std::string source = directory + "/kernels.cpp", object = directory + "/kernels.o";
  const std::string first = sinter::detail::text("#include \"", words, "/cuda.hpp\"\n");
  if (!sinter::detail::compiler::write_file(source, first + "#line 1 \"kernels.cu\"\n" + text)) {
    return {1, "error: no space for the text"};
  }
  std::vector<std::string> compile = compiler_of(text);
  compile.insert(compile.end(), {"@" + words + "/options", "-c", source, "-o", object});
  ProcessResult outcome = sinter::detail::compiler::run(compile, patience);
  if (outcome.status != 0) return outcome;
  return sinter::detail::compiler::run(
      {"ld", "-shared", object, SINTER_EMULATOR_LIBGCC, "-o", directory + "/kernels.so"}, patience);
}

}  // namespace

bool compile_for_host(const std::string& text, bool contract, std::string& image,
                      std::string& log) {
  const sinter::detail::compiler::TemporaryDirectory directory;
  const std::string words =
      sinter::detail::text(SINTER_EMULATOR_WORDS "/", contract ? "fast" : "off");
  const ProcessResult outcome = build(directory.path(), text, words);
  log = outcome.output;
  if (outcome.status != 0) return false;
  const std::string object = directory.path() + "/kernels.so";
  const sinter::detail::compiler::File file(open(object.c_str(), O_RDONLY | O_CLOEXEC));
  image = sinter::detail::compiler::read_all(file).value_or("");
  return !image.empty();
}

}  // namespace emulator
