#pragma once
// Options of kernels in C++: the machine, the rounding, the tuning.

#include <sinter/codegen/text/tuning.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

struct CppOptions {
  int vector_bits = 512;  ///< 512, 256 or 128; 0 for scalar code.
  bool strict = false;    ///< Round after every operation, keep the order of sums.
  /// Whether the machine has bf16 dot products (AVX512-BF16). Texts that use them run on any
  /// machine.
  bool has_bf16_dot = false;
  bool has_amx = false;  ///< Whether it has AMX tiles of 16 x 16 sums; needs has_bf16_dot.
  Tuning tuning{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
