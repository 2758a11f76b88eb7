#pragma once
// The function table of NCCL, NVIDIA's library of collectives, loaded at first use.

#include <cstddef>  // std::size_t
#include <string>   // std::string

#include <sinter/device/host/shared_library.hpp>

namespace sinter::inline SINTER_ABI::detail::nccl {

/// Identifies a new communicator: ncclUniqueId.
struct UniqueId {
  char bytes[128]{};
};

/// The options of a communicator: ncclConfig_t of NCCL 2.18, which later versions accept.
struct Config {
  static constexpr int unset = -2147483647 - 1;

  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21800;
  int blocking = unset;
  int cluster = unset, least_blocks = unset, most_blocks = unset;
  const char* network = nullptr;
  int shares_resources = unset;
};
static_assert(sizeof(Config) == 48);

/// The functions of NCCL that sinter calls, with the types of nccl.h, which is not needed to build.
/// They return 0 on success, and in_progress where the communicator does not block. Communicators
/// are opaque; streams are driver streams.
struct Functions {
  using Handle = void*;

  // The enumerators in use, with the values of nccl.h.
  enum Type : int { i8 = 0, u8 = 1, i32 = 2, i64 = 4, f16 = 6, f32 = 7, f64 = 8, bf16 = 9 };
  enum Reduction : int { sum = 0, max = 2, min = 3, mean = 4 };
  enum Status : int { invalid_argument = 4, invalid_usage = 5, remote_error = 6, in_progress = 7 };

  int (*version)(int* version) = nullptr;
  const char* (*error_string)(int status) = nullptr;
  const char* (*last_error)(Handle comm) = nullptr;
  int (*unique_id)(UniqueId* id) = nullptr;
  int (*create)(Handle* comm, int ranks, UniqueId id, int rank, Config* config) = nullptr;
  int (*destroy)(Handle comm) = nullptr;
  int (*abort)(Handle comm) = nullptr;
  int (*async_error)(Handle comm, int* status) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*all_reduce)(const void* in, void* out, std::size_t count, int type, int reduction,
                    Handle comm, Handle stream) = nullptr;
  int (*reduce)(const void* in, void* out, std::size_t count, int type, int reduction, int root,
                Handle comm, Handle stream) = nullptr;
  int (*broadcast)(const void* in, void* out, std::size_t count, int type, int root, Handle comm,
                   Handle stream) = nullptr;
  int (*reduce_scatter)(const void* in, void* out, std::size_t count_of_result, int type,
                        int reduction, Handle comm, Handle stream) = nullptr;
  int (*all_gather)(const void* in, void* out, std::size_t count_of_operand, int type, Handle comm,
                    Handle stream) = nullptr;
  int (*send)(const void* in, std::size_t count, int type, int to, Handle comm,
              Handle stream) = nullptr;
  int (*receive)(void* out, std::size_t count, int type, int from, Handle comm,
                 Handle stream) = nullptr;
};

/// The table of the library on this machine, or null. The loader's own search comes first, then
/// CUDA_HOME, CUDA_PATH and /usr/local/cuda.
const Functions* library();

/// Why library() is null; empty if it is not.
const std::string& why_no_library();

/// Replaces the library by `table`; null restores it. Returns the previous table. For an emulator
/// in tests.
const Functions* replace_library(const Functions* table);

}  // namespace sinter::inline SINTER_ABI::detail::nccl

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/backend/nccl/table.ipp>
#endif
