#pragma once

#include <atomic>  // std::atomic

#include <sinter/device/cuda/nvjitlink.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct LoadedNvJitLink {
  SharedLibrary library{};
  NvJitLink table{};
  std::string reason{};
};

SINTER_INLINE bool find_functions(const SharedLibrary& library, NvJitLink& table) {
  return library.find("nvJitLinkCreate", table.create) &&
         library.find("nvJitLinkDestroy", table.destroy) &&
         library.find("nvJitLinkAddData", table.add_data) &&
         library.find("nvJitLinkAddFile", table.add_file) &&
         library.find("nvJitLinkComplete", table.complete) &&
         library.find("nvJitLinkGetLinkedCubinSize", table.cubin_size) &&
         library.find("nvJitLinkGetLinkedCubin", table.cubin) &&
         library.find("nvJitLinkGetErrorLogSize", table.log_size) &&
         library.find("nvJitLinkGetErrorLog", table.log);
}

SINTER_INLINE LoadedNvJitLink load_nvjitlink() {
  LoadedNvJitLink result;
  result.library = toolkit_library({"libnvJitLink.so", "libnvJitLink.so.13", "libnvJitLink.so.12"});
  if (!result.library) {
    result.reason = "nvJitLink was not found: " + result.library.reason();
  } else if (!find_functions(result.library, result.table)) {
    result.reason = "the nvJitLink on this machine lacks functions";
  }
  return result;
}

SINTER_INLINE const LoadedNvJitLink& loaded_nvjitlink() {
  static const auto& instance = *new LoadedNvJitLink(load_nvjitlink());
  return instance;
}

SINTER_INLINE std::atomic<const NvJitLink*>& nvjitlink_replacement() {
  static auto& instance = *new std::atomic<const NvJitLink*>(nullptr);
  return instance;
}

SINTER_INLINE const NvJitLink* nvjitlink() {
  if (const NvJitLink* const table = detail::nvjitlink_replacement().load()) return table;
  const detail::LoadedNvJitLink& loaded = detail::loaded_nvjitlink();
  return loaded.reason.empty() ? &loaded.table : nullptr;
}

SINTER_INLINE const std::string& nvjitlink_missing() {
  static const auto& nothing = *new std::string;
  if (detail::nvjitlink_replacement().load() != nullptr) return nothing;
  return detail::loaded_nvjitlink().reason;
}

SINTER_INLINE std::string device_runtime_library() {
  if (detail::nvjitlink_replacement().load() != nullptr) return "libcudadevrt.a";
  return toolkit_file("libcudadevrt.a");
}

SINTER_INLINE const NvJitLink* replace_nvjitlink(const NvJitLink* table) {
  return detail::nvjitlink_replacement().exchange(table);
}

}  // namespace sinter::inline SINTER_ABI::detail
