#pragma once
// Options of kernels in C++: the machine, the rounding, the tuning.

#include <sinter/codegen/text/tuning.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

struct CppOptions {
  schedule::Target target{};  ///< Its vectors and limits.
  bool strict = false;        ///< Round after every operation, keep the order of sums.
  Tuning tuning{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
