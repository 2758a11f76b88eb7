// The functions of NVRTC: kernels are compiled for the host, and a cubin is a shared object.

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host_compiler.hpp"
#include "kernel_text.hpp"
#include "machine.hpp"
#include "nvrtc.hpp"
#include "ptx.hpp"
#include "saved_kernels.hpp"

namespace emulator {

namespace {

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

// Cache of compiled texts of this process.
std::map<std::string, std::string>& images() {
  static auto& instance = *new std::map<std::string, std::string>;
  return instance;
}

// Compiles the program; the log says why it fails.
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
  if (!compile_for_host(text.text, contract, program.image, program.log)) return false;
  const std::scoped_lock lock(machine().mutex);
  images()[key] = program.image;
  return true;
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
  keep(program->source, contract);
  if (!compile(*program, contract)) return failed;
  if (relocatable) program->image = relocatable_mark + program->image;
  return 0;
}

// Sizes of texts include the terminating zero.
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

const sinter::detail::Nvrtc& nvrtc_table() {
  // A version that no NVRTC has, so that its cubins are never cached for a real GPU.
  static const sinter::detail::Nvrtc instance{
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
