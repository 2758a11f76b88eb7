#pragma once
// The function table of nvJitLink, NVIDIA's device-code linker, loaded at first use.

#include <cstddef>  // std::size_t
#include <string>   // std::string

#include <sinter/device/host/shared_library.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The functions of nvJitLink that sinter calls, with the types of nvJitLink.h, which is not needed
/// to build. They return 0 on success. A linker is an opaque pointer. Text sizes include the final
/// zero.
struct NvJitLink {
  using Linker = void*;

  enum Input : int { cubin_input = 1, library_input = 6 };

  int (*create)(Linker*, unsigned options, const char** option_texts) = nullptr;
  int (*destroy)(Linker*) = nullptr;
  int (*add_data)(Linker, int kind, const void* data, std::size_t bytes,
                  const char* name) = nullptr;
  int (*add_file)(Linker, int kind, const char* path) = nullptr;
  int (*complete)(Linker) = nullptr;
  int (*cubin_size)(Linker, std::size_t*) = nullptr;
  int (*cubin)(Linker, void*) = nullptr;
  int (*log_size)(Linker, std::size_t*) = nullptr;
  int (*log)(Linker, char*) = nullptr;
};

/// The table of the library on this machine, or null. The loader's own search comes first, then
/// CUDA_HOME, CUDA_PATH and /usr/local/cuda.
const NvJitLink* nvjitlink();

/// Why nvjitlink() is null; empty if it is not.
const std::string& nvjitlink_missing();

/// The path of libcudadevrt.a, the CUDA device runtime of the toolkit; empty if it is missing.
std::string device_runtime_library();

/// Replaces the library by `table`; null restores it. Returns the previous table. For an emulator
/// in tests.
const NvJitLink* replace_nvjitlink(const NvJitLink* table);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/nvjitlink.ipp>
#endif
