#pragma once

#include <atomic>  // std::atomic

#include <sinter/device/cuda/cublaslt.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct LoadedCublasLt {
  SharedLibrary library{};
  CublasLt table{};
  std::string reason{};
};

SINTER_INLINE bool find_functions(const SharedLibrary& library, CublasLt& table) {
  return library.find("cublasLtGetVersion", table.version) &&
         library.find("cublasLtGetStatusString", table.status_string) &&
         library.find("cublasLtCreate", table.create) &&
         library.find("cublasLtDestroy", table.destroy) &&
         library.find("cublasLtMatmulDescCreate", table.create_description) &&
         library.find("cublasLtMatmulDescSetAttribute", table.set_description) &&
         library.find("cublasLtMatmulDescDestroy", table.destroy_description) &&
         library.find("cublasLtMatrixLayoutCreate", table.create_layout) &&
         library.find("cublasLtMatrixLayoutSetAttribute", table.set_layout) &&
         library.find("cublasLtMatrixLayoutDestroy", table.destroy_layout) &&
         library.find("cublasLtMatmulPreferenceCreate", table.create_preference) &&
         library.find("cublasLtMatmulPreferenceSetAttribute", table.set_preference) &&
         library.find("cublasLtMatmulPreferenceDestroy", table.destroy_preference) &&
         library.find("cublasLtMatmulAlgoGetHeuristic", table.heuristic) &&
         library.find("cublasLtMatmul", table.multiply);
}

SINTER_INLINE LoadedCublasLt load_cublaslt() {
  LoadedCublasLt result;
  result.library = toolkit_library({"libcublasLt.so", "libcublasLt.so.13", "libcublasLt.so.12"});
  if (!result.library) {
    result.reason = "cuBLASLt was not found: " + result.library.reason();
  } else if (!find_functions(result.library, result.table)) {
    result.reason = "the cuBLASLt on this machine is older than CUDA 11.4";
  }
  return result;
}

SINTER_INLINE const LoadedCublasLt& loaded_cublaslt() {
  static const auto& instance = *new LoadedCublasLt(load_cublaslt());
  return instance;
}

SINTER_INLINE std::atomic<const CublasLt*>& cublaslt_replacement() {
  static auto& instance = *new std::atomic<const CublasLt*>(nullptr);
  return instance;
}

SINTER_INLINE const CublasLt* cublaslt() {
  if (const CublasLt* const table = detail::cublaslt_replacement().load()) return table;
  const detail::LoadedCublasLt& loaded = detail::loaded_cublaslt();
  return loaded.reason.empty() ? &loaded.table : nullptr;
}

SINTER_INLINE const std::string& cublaslt_missing() {
  static const auto& nothing = *new std::string;
  if (detail::cublaslt_replacement().load() != nullptr) return nothing;
  return detail::loaded_cublaslt().reason;
}

SINTER_INLINE const CublasLt* replace_cublaslt(const CublasLt* table) {
  return detail::cublaslt_replacement().exchange(table);
}

}  // namespace sinter::inline SINTER_ABI::detail
