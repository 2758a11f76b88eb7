#pragma once
// Compiles CUDA with NVRTC, where there is one.

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sinter/device/cuda/nvrtc_table.hpp>

#include "texts.hpp"

namespace kernels {

/// Adds "sm_90 46 softmax_f32_2d" for each function of a log to registers.txt in the build folder.
inline void list_registers(const std::string& log, const std::string& architecture) {
  static const std::string compiling = "Compiling entry function '", used = ": Used ";
  std::ofstream list(SINTER_TEST_DIR "/registers.txt", std::ios::app);
  for (std::size_t at = 0; (at = log.find(compiling, at)) != std::string::npos;) {
    at += compiling.size();
    const std::string function = log.substr(at, log.find('\'', at) - at);
    const std::size_t found = log.find(used, at);
    if (found == std::string::npos) return;
    const std::size_t number = found + used.size();
    list << architecture + " " + log.substr(number, log.find(' ', number) - number) + " " +
                function + "\n";
  }
}

/// The log of NVRTC for `source`, which lists the registers and spills of each function.
inline std::string nvrtc_log(const std::string& source, const std::string& architecture,
                             bool& succeeded) {
  const sinter::detail::Nvrtc& functions = *sinter::detail::nvrtc();
  sinter::detail::Nvrtc::Program program = nullptr;
  functions.create_program(&program, source.c_str(), "kernels.cu", 0, nullptr, nullptr);
  const std::string target = "--gpu-architecture=" + architecture;
  const char* options[] = {target.c_str(), "--std=c++17", "--ptxas-options=-v", "--minimal"};
  succeeded = functions.compile_program(program, 4, options) == 0;
  std::size_t size = 0;
  functions.log_size(program, &size);
  std::string log(size, ' ');
  functions.log(program, log.data());
  functions.destroy_program(&program);
  list_registers(log, architecture);
  return log;
}

/// The lines of a log that report spills, each with its function.
inline std::string spills(const std::string& log) {
  std::string result, function;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    at = end + 1;
    if (line.find("Function properties for") != std::string::npos) function = line;
    if (line.find("bytes spill") == std::string::npos) continue;
    const bool none = line.find(" 0 bytes spill stores") != std::string::npos;
    if (!none) result += function + "\n" + line + "\n";
  }
  return result;
}

/// Compiles `program` with NVRTC for both supported architectures.
inline void check_no_spills(const std::string& program) {
  for (const char* const architecture : {"sm_80", "sm_90"}) {
    INFO(architecture);
    bool succeeded = false;
    const std::string log = nvrtc_log(program, architecture, succeeded);
    REQUIRE_MESSAGE(succeeded, log.substr(0, 4000));
    CHECK(spills(log) == "");
  }
}

/// Compiles every helper of `table` with NVRTC, for each type and number of lanes.
template <class Table>
void check_helpers(const Table& table, const std::vector<int>& lanes = {1}) {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const Source source{Language::cuda, "", calls_of(table, lanes, false), {}};
  bool succeeded = false;
  const std::string log = nvrtc_log(codegen::cuda_prelude({&source, 1}), "sm_80", succeeded);
  CHECK_MESSAGE(succeeded, log.substr(0, 2000));
}

}  // namespace kernels
