#pragma once
// The function table of NVRTC, NVIDIA's runtime compiler, loaded at first use.

#include <cstddef>  // std::size_t
#include <string>   // std::string

#include <sinter/device/host/shared_library.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The functions of NVRTC that sinter calls, with the types of nvrtc.h, which is not needed to
/// build. They return 0 on success. A program is an opaque pointer.
struct Nvrtc {
  using Program = void*;

  static constexpr int invalid_option = 5;  // the only result that is handled

  int (*version)(int* major, int* minor) = nullptr;
  const char* (*error_string)(int result) = nullptr;
  int (*create_program)(Program*, const char* source, const char* name, int headers,
                        const char* const* header_texts, const char* const* header_names) = nullptr;
  int (*destroy_program)(Program*) = nullptr;
  int (*compile_program)(Program, int options, const char* const* option_texts) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
};

/// The table of the library on this machine, or null. The loader's own search comes first, then
/// CUDA_HOME, CUDA_PATH and /usr/local/cuda.
const Nvrtc* nvrtc();

/// Why nvrtc() is null; empty if it is not.
const std::string& nvrtc_missing();

/// Replaces the library by `table`; null restores it. Returns the previous table. For an emulator
/// in tests.
const Nvrtc* replace_nvrtc(const Nvrtc* table);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/nvrtc_table.ipp>
#endif
