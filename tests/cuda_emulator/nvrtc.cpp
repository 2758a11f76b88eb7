// The table of NVRTC: kernels are compiled for the host, and a cubin is a shared object.

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>

#include <sinter/base/text.hpp>
#include <sinter/compile/file.hpp>
#include <sinter/compile/process.hpp>

#include "kernel_text.hpp"
#include "machine.hpp"
#include "nvrtc.hpp"
#include "ptx.hpp"

namespace emulator {

namespace {

using sinter::compiler::Outcome;

constexpr int invalid_program = 4, invalid_option = 5, failed = 6;

struct Program {
  std::string source{}, log{}, image{};
};

std::map<void*, std::unique_ptr<Program>>& programs() {
  static auto& instance = *new std::map<void*, std::unique_ptr<Program>>;
  return instance;
}

Program* find(void* handle) {
  const std::scoped_lock lock(machine().mutex);
  const auto found = programs().find(handle);
  return found == programs().end() ? nullptr : found->second.get();
}

constexpr std::int64_t patience = 600'000;  // milliseconds; the machine may have other things to do

// clang takes less time for a long text, but more to start.
bool is_long(const std::string& text) {
  const char* const length = std::getenv("SINTER_TEST_LONG_TEXT");  // for what tests it
  return text.size() >= (length == nullptr ? 30'000 : std::stoul(length));
}

// Each access to memory is to be instrumented: nothing may be moved or merged before, so there is
// no optimization, and a read counts that a write to the same place follows.
std::vector<std::string> compiler_of(const std::string& text) {
  const std::string clang = SINTER_EMULATOR_CLANG;
  if (!clang.empty() && is_long(text)) {
    return {clang, "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm",
            "-tsan-instrument-read-before-write=1"};
  }
  return {"g++", "--param=tsan-instrument-func-entry-exit=0"};
}

Outcome compile(const std::string& stem, const std::string& text, bool contract) {
  std::vector<std::string> command = compiler_of(text);
  command.insert(command.end(), {"-std=c++17",
                                 "-O0",
                                 "-fsanitize=thread",
                                 "-w",
                                 "-g1",
                                 "-fPIC",
                                 "-fwrapv",
                                 "-fno-exceptions",
                                 "-fno-rtti",
                                 "-fno-omit-frame-pointer",
                                 "-fno-threadsafe-statics",
                                 contract ? "-ffp-contract=fast" : "-ffp-contract=off",
                                 "-shared",
                                 "-nodefaultlibs",
                                 stem + ".cpp",
                                 "-o",
                                 stem + ".so",
                                 "-lm",
                                 "-lc",
                                 "-lgcc"});
  return sinter::compiler::run(command, patience);
}

std::string prelude() {
  return sinter::text("#include \"", SINTER_SOURCE_DIR,
                      "/tests/cuda_emulator/kernel/cuda.hpp\"\n#line 1 \"kernels.cu\"\n");
}

// What a text has become before, in this process.
std::map<std::string, std::string>& images() {
  static auto& instance = *new std::map<std::string, std::string>;
  return instance;
}

// What the program becomes; the log says why it does not.
bool compile(Program& program, bool contract) {
  const std::string key = (contract ? "+" : "-") + program.source;
  {
    const std::scoped_lock lock(machine().mutex);
    program.image = images()[key];
  }
  if (!program.image.empty()) return true;
  KernelText text;
  try {
    text = host_text(program.source);
  } catch (const std::runtime_error& error) {
    return program.log = error.what(), false;
  }
  for (const std::string& one : text.assembly) {
    const std::string unknown = unknown_instruction(one);
    if (unknown.empty()) continue;
    return program.log = "error: the emulator does not know the instruction " + unknown, false;
  }
  const sinter::compiler::TemporaryDirectory directory;
  const std::string stem = directory.path() + "/kernels";
  if (!sinter::compiler::write_file(stem + ".cpp", prelude() + text.text)) {
    return program.log = "error: no space for the text", false;
  }
  const Outcome outcome = compile(stem, text.text, contract);
  program.log = outcome.output;
  if (outcome.status != 0) return false;
  const sinter::compiler::File image(open((stem + ".so").c_str(), O_RDONLY | O_CLOEXEC));
  program.image = sinter::compiler::read_all(image).value_or("");
  const std::scoped_lock lock(machine().mutex);
  images()[key] = program.image;
  return !program.image.empty();
}

int create_program(void** handle, const char* source, const char*, int, const char* const*,
                   const char* const*) {
  const std::scoped_lock lock(machine().mutex);
  auto one = std::make_unique<Program>();
  one->source = source;
  *handle = one.get();
  programs()[one.get()] = std::move(one);
  return 0;
}

int destroy_program(void** handle) {
  const std::scoped_lock lock(machine().mutex);
  if (programs().erase(*handle) == 0) return invalid_program;
  *handle = nullptr;
  return 0;
}

int compile_program(void* handle, int count, const char* const* options) {
  Program* program = nullptr;
  bool contract = true, relocatable = false;
  {
    const std::scoped_lock lock(machine().mutex);
    program = find(handle);
    if (program == nullptr) return invalid_program;
    for (int i = 0; i < count; ++i) {
      const std::string option = options[i];
      machine().compile_options.push_back(option);
      if (option.rfind("--", 0) != 0) {
        program->log = "error: unrecognized option " + option;
        return invalid_option;
      }
      if (option == "--fmad=false") contract = false;
      if (option == "--relocatable-device-code=true") relocatable = true;
    }
    ++machine().compilations;
  }
  const bool links = program->source.find("cudaGraphSetConditional(") != std::string::npos;
  if (links && !relocatable) {
    program->log = "ptxas fatal: Unresolved extern function 'cudaGraphSetConditional'";
    return failed;
  }
  if (!compile(*program, contract)) return failed;
  if (relocatable) program->image = relocatable_mark + program->image;
  return 0;
}

// Sizes of texts count the zero at their end.
int log_size(void* handle, std::size_t* size) {
  const Program* const program = find(handle);
  if (program == nullptr) return invalid_program;
  *size = program->log.size() + 1;
  return 0;
}

int log(void* handle, char* to) {
  const Program* const program = find(handle);
  if (program == nullptr) return invalid_program;
  std::memcpy(to, program->log.c_str(), program->log.size() + 1);
  return 0;
}

int cubin_size(void* handle, std::size_t* size) {
  const Program* const program = find(handle);
  if (program == nullptr) return invalid_program;
  *size = program->image.size();
  return 0;
}

int cubin(void* handle, char* to) {
  const Program* const program = find(handle);
  if (program == nullptr) return invalid_program;
  std::memcpy(to, program->image.data(), program->image.size());
  return 0;
}

const char* error_string(int result) {
  return result == 0                 ? "NVRTC_SUCCESS"
         : result == failed          ? "NVRTC_ERROR_COMPILATION"
         : result == invalid_option  ? "NVRTC_ERROR_INVALID_OPTION"
         : result == invalid_program ? "NVRTC_ERROR_INVALID_PROGRAM"
                                     : "NVRTC_ERROR_INTERNAL_ERROR";
}

}  // namespace

const sinter::Nvrtc& nvrtc_table() {
  // No NVRTC has this version: what it makes is nothing for a real GPU.
  static const sinter::Nvrtc instance{
      .version = [](int* major, int* minor) { return *major = 1000, *minor = 0, 0; },
      .error_string = error_string,
      .create_program = create_program,
      .destroy_program = destroy_program,
      .compile_program = compile_program,
      .log_size = log_size,
      .log = log,
      .cubin_size = cubin_size,
      .cubin = cubin};
  return instance;
}

}  // namespace emulator
