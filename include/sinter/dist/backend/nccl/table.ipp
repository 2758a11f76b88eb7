#pragma once

#include <cstdlib>  // setenv

#include <atomic>  // std::atomic

#include <sinter/dist/backend/nccl/table.hpp>

namespace sinter::inline SINTER_ABI::detail::nccl {

struct LoadedLibrary {
  SharedLibrary library{};
  Functions table{};
  std::string reason{};
};

SINTER_INLINE bool find_functions(const SharedLibrary& library, Functions& table) {
  return library.find("ncclGetVersion", table.version) &&
         library.find("ncclGetErrorString", table.error_string) &&
         library.find("ncclGetLastError", table.last_error) &&
         library.find("ncclGetUniqueId", table.unique_id) &&
         library.find("ncclCommInitRankConfig", table.create) &&
         library.find("ncclCommDestroy", table.destroy) &&
         library.find("ncclCommAbort", table.abort) &&
         library.find("ncclCommGetAsyncError", table.async_error) &&
         library.find("ncclGroupStart", table.group_start) &&
         library.find("ncclGroupEnd", table.group_end) &&
         library.find("ncclAllReduce", table.all_reduce) &&
         library.find("ncclReduce", table.reduce) &&
         library.find("ncclBroadcast", table.broadcast) &&
         library.find("ncclReduceScatter", table.reduce_scatter) &&
         library.find("ncclAllGather", table.all_gather) && library.find("ncclSend", table.send) &&
         library.find("ncclRecv", table.receive);
}

// NCCL must not register the memory of captured collectives, which takes all ranks: a rank captures
// a collective again when its memory has moved, and then other ranks may not.
SINTER_INLINE LoadedLibrary load_library() {
  setenv("NCCL_GRAPH_REGISTER", "0", 0);
  LoadedLibrary result;
  result.library = toolkit_library({"libnccl.so.2", "libnccl.so"});
  int version = 0;
  if (!result.library) {
    result.reason = "NCCL was not found: " + result.library.reason();
  } else if (!find_functions(result.library, result.table) || result.table.version(&version) != 0 ||
             version < 21800) {
    result.reason = "the NCCL on this machine is older than 2.18";
  }
  return result;
}

SINTER_INLINE const LoadedLibrary& loaded_library() {
  static const auto& instance = *new LoadedLibrary(load_library());
  return instance;
}

SINTER_INLINE std::atomic<const Functions*>& replacement() {
  static auto& instance = *new std::atomic<const Functions*>(nullptr);
  return instance;
}

SINTER_INLINE const Functions* library() {
  if (const Functions* const table = replacement().load()) return table;
  const LoadedLibrary& loaded = loaded_library();
  return loaded.reason.empty() ? &loaded.table : nullptr;
}

SINTER_INLINE const std::string& why_no_library() {
  static const auto& nothing = *new std::string;
  if (replacement().load() != nullptr) return nothing;
  return loaded_library().reason;
}

SINTER_INLINE const Functions* replace_library(const Functions* table) {
  return replacement().exchange(table);
}

}  // namespace sinter::inline SINTER_ABI::detail::nccl
