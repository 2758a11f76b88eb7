#pragma once

#include <vector>  // std::vector

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/nvrtc/compiler.hpp>
#include <sinter/compile/nvrtc/linker.hpp>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/device/cuda/nvrtc_table.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

struct NvrtcProgram {
  NvrtcProgram(const Nvrtc& functions, const std::string& text) : api(functions) {
    result = api.create_program(&value, text.c_str(), "kernels.cu", 0, nullptr, nullptr);
  }
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;
  ~NvrtcProgram() {
    if (value != nullptr) api.destroy_program(&value);
  }

  // Reads a text through a pair of functions, for its size and content.
  std::string read(int (*size)(Nvrtc::Program, std::size_t*),
                   int (*content)(Nvrtc::Program, char*)) const {
    std::size_t bytes = 0;
    if (value == nullptr || size(value, &bytes) != 0) return "";
    std::string text(bytes, '\0');
    return bytes != 0 && content(value, text.data()) != 0 ? "" : text;
  }

  const Nvrtc& api;
  Nvrtc::Program value = nullptr;
  int result = 0;
};

[[noreturn]] SINTER_INLINE void throw_cuda_not_compiled(const NvrtcProgram& program,
                                                        const TranslationUnit& unit,
                                                        const std::string& source) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/kernels.cu";
  if (write_file(path, source)) directory.keep();
  throw InternalError(text("generated CUDA does not compile\n  for   ", unit.architecture,
                           "\n  text  ", path, "\n  error ",
                           program.api.error_string(program.result), "\n  log   ",
                           program.read(program.api.log_size, program.api.log).c_str()));
}

// Every NVRTC knows the other options; only the architecture can be unknown.
[[noreturn]] SINTER_INLINE void throw_unknown_architecture(const TranslationUnit& unit) {
  throw DeviceError({.op = "compile",
                     .what = "the NVRTC on this machine does not know the GPU",
                     .facts = {{"nvrtc", nvrtc_identity()}, {"gpu", unit.architecture}},
                     .fix = "install a newer CUDA toolkit, or set CUDA_HOME to where one is"});
}

}  // namespace detail

SINTER_INLINE std::string nvrtc_identity() {
  const Nvrtc* const api = nvrtc();
  int major = 0, minor = 0;
  if (api == nullptr || api->version(&major, &minor) != 0) return "";
  return text("nvrtc ", major, ".", minor);
}

SINTER_INLINE Cubin compile_cuda(const TranslationUnit& unit, std::string_view source_text,
                                 Resources resources) {
  const Nvrtc* const api = nvrtc();
  if (api == nullptr) {
    throw DeviceError({.op = "compile",
                       .what = "CUDA kernels need NVRTC, which this machine does not have",
                       .facts = {{"reason", nvrtc_missing()}},
                       .fix = "install the CUDA toolkit, or set CUDA_HOME to where it is"});
  }
  const std::string source(source_text);
  const std::string architecture = text("--gpu-architecture=", unit.architecture);
  std::vector<const char*> options{architecture.c_str(), "--std=c++17", "--minimal",
                                   "--no-source-include"};
  options.push_back(unit.contraction == Contraction::off ? "--fmad=false" : "--fmad=true");
  if (resources == Resources::listed) options.push_back("--ptxas-options=-v");
  const bool links = needs_device_runtime(source);
  if (links) options.push_back("--relocatable-device-code=true");

  detail::NvrtcProgram program(*api, source);
  if (program.result == 0) {
    program.result =
        api->compile_program(program.value, static_cast<int>(options.size()), options.data());
  }
  if (program.result == Nvrtc::invalid_option) detail::throw_unknown_architecture(unit);
  if (program.result != 0) detail::throw_cuda_not_compiled(program, unit, source);
  Cubin cubin{.bytes = program.read(api->cubin_size, api->cubin),
              .log = program.read(api->log_size, api->log)};
  while (!cubin.log.empty() && cubin.log.back() == '\0') cubin.log.pop_back();
  if (cubin.bytes.empty()) detail::throw_cuda_not_compiled(program, unit, source);
  if (links) cubin.bytes = link_cuda(unit.architecture, cubin.bytes);
  return cubin;
}

namespace detail {

class NvrtcCompiler final : public GpuCompiler {
 public:
  std::string identity() const override { return nvrtc_identity(); }
  std::string compile(const TranslationUnit& unit, std::string_view text) const override {
    return compile_cuda(unit, text).bytes;
  }
};

}  // namespace detail

SINTER_INLINE const GpuCompiler& nvrtc_compiler() {
  static const auto& compiler = *new detail::NvrtcCompiler;
  return compiler;
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
