#pragma once
// What decides how a kernel is written as C++: the machine, the rounding, the tuning.

#include <sinter/codegen/text/tuning.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

struct CppOptions {
  int vector_bits = 512;  ///< 512, 256 or 128; 0 for one number at a time.
  bool strict = false;    ///< Round at every operation, keep the order of sums.
  /// Whether the machine multiplies pairs of bf16 in one instruction; texts that do so run on all.
  bool multiplies_pairs = false;
  bool multiplies_squares = false;  ///< The same of squares of 16 by 16 sums; with pairs only.
  Tuning tuning{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
