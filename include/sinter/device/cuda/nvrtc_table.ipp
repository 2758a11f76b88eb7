#pragma once

#include <atomic>  // std::atomic

#include <sinter/device/cuda/nvrtc_table.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct LoadedNvrtc {
  SharedLibrary library{};
  Nvrtc table{};
  std::string reason{};
};

SINTER_INLINE bool find_functions(const SharedLibrary& library, Nvrtc& table) {
  return library.find("nvrtcVersion", table.version) &&
         library.find("nvrtcGetErrorString", table.error_string) &&
         library.find("nvrtcCreateProgram", table.create_program) &&
         library.find("nvrtcDestroyProgram", table.destroy_program) &&
         library.find("nvrtcCompileProgram", table.compile_program) &&
         library.find("nvrtcGetProgramLogSize", table.log_size) &&
         library.find("nvrtcGetProgramLog", table.log) &&
         library.find("nvrtcGetCUBINSize", table.cubin_size) &&
         library.find("nvrtcGetCUBIN", table.cubin);
}

SINTER_INLINE LoadedNvrtc load_nvrtc() {
  LoadedNvrtc result;
  result.library = toolkit_library({"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"});
  if (!result.library) {
    result.reason = "NVRTC was not found: " + result.library.reason();
  } else if (!find_functions(result.library, result.table)) {
    result.reason = "the NVRTC on this machine is too old: it lacks nvrtcGetCUBIN";
  }
  return result;
}

SINTER_INLINE const LoadedNvrtc& loaded_nvrtc() {
  static const auto& instance = *new LoadedNvrtc(load_nvrtc());
  return instance;
}

SINTER_INLINE std::atomic<const Nvrtc*>& nvrtc_replacement() {
  static auto& instance = *new std::atomic<const Nvrtc*>(nullptr);
  return instance;
}

SINTER_INLINE const Nvrtc* nvrtc() {
  if (const Nvrtc* const table = detail::nvrtc_replacement().load()) return table;
  const detail::LoadedNvrtc& loaded = detail::loaded_nvrtc();
  return loaded.reason.empty() ? &loaded.table : nullptr;
}

SINTER_INLINE const std::string& nvrtc_missing() {
  static const auto& nothing = *new std::string;
  if (detail::nvrtc_replacement().load() != nullptr) return nothing;
  return detail::loaded_nvrtc().reason;
}

SINTER_INLINE const Nvrtc* replace_nvrtc(const Nvrtc* table) {
  return detail::nvrtc_replacement().exchange(table);
}

}  // namespace sinter::inline SINTER_ABI::detail
