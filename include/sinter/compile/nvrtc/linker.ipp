#pragma once

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/nvrtc/linker.hpp>
#include <sinter/device/cuda/nvjitlink.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

struct CudaLinker {
  CudaLinker(const NvJitLink& functions, const std::string& architecture) : api(functions) {
    const std::string option = "-arch=" + architecture;
    const char* options[] = {option.c_str()};
    result = api.create(&value, 1, options);
  }
  CudaLinker(const CudaLinker&) = delete;
  CudaLinker& operator=(const CudaLinker&) = delete;
  ~CudaLinker() {
    if (value != nullptr) api.destroy(&value);
  }

  std::string log() const {
    std::size_t bytes = 0;
    if (value == nullptr || api.log_size(value, &bytes) != 0 || bytes == 0) return "";
    std::string text(bytes, '\0');
    return api.log(value, text.data()) != 0 ? "" : text.c_str();
  }

  const NvJitLink& api;
  NvJitLink::Linker value = nullptr;
  int result = 0;
};

}  // namespace detail

SINTER_INLINE bool needs_device_runtime(std::string_view text) {
  return text.find("cudaGraphSetConditional(") != std::string_view::npos;
}

SINTER_INLINE std::string device_runtime_missing() {
  if (nvjitlink() == nullptr) return nvjitlink_missing();
  return device_runtime_library().empty() ? "the CUDA toolkit has no libcudadevrt.a" : "";
}

SINTER_INLINE std::string link_cuda(const std::string& architecture,
                                    const std::string& relocatable) {
  if (const std::string reason = device_runtime_missing(); !reason.empty()) {
    throw DeviceError({.op = "compile",
                       .what = "kernels that set conditions of CUDA Graphs cannot be linked",
                       .facts = {{"reason", reason}},
                       .fix = "install the complete CUDA toolkit, or set CUDA_HOME to it"});
  }
  detail::CudaLinker linker(*nvjitlink(), architecture);
  const NvJitLink& api = linker.api;
  const auto step = [&](auto function, auto... arguments) {
    if (linker.result == 0) linker.result = function(linker.value, arguments...);
  };
  std::size_t bytes = 0;
  step(api.add_data, int{NvJitLink::cubin_input}, static_cast<const void*>(relocatable.data()),
       relocatable.size(), "kernels.cu");
  const std::string library = device_runtime_library();
  step(api.add_file, int{NvJitLink::library_input}, library.c_str());
  step(api.complete);
  step(api.cubin_size, &bytes);
  std::string result(bytes, '\0');
  step(api.cubin, static_cast<void*>(result.data()));
  if (linker.result == 0 && bytes != 0) return result;
  throw DeviceError(
      {.op = "compile",
       .what = "nvJitLink cannot link the output of NVRTC on this machine",
       .facts = {{"gpu", architecture}, {"error", text(linker.result)}, {"log", linker.log()}},
       .fix = "install one CUDA toolkit, or set CUDA_HOME to where it is"});
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
