#pragma once
// Options of kernels in CUDA: the machine, the rounding, the tuning.

#include <sinter/codegen/text/tuning.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class HelperSet;

/// The threads of a warp, on all GPUs: texts are written for it.
inline constexpr int warp_threads = 32;

struct CudaOptions {
  schedule::Target target{};  ///< Its multiprocessors and limits.
  bool strict = false;        ///< Round after every operation and keep the order of sums.
  bool tf32 = false;          ///< Allow TF32 tensor cores for f32 products; ignored when `strict`.
  Tuning tuning{};  ///< Fields that do not concern code, e.g. library or generated, are ignored.
  /// For the body of a branch or loop in a CUDA graph: the function reads its arguments from memory
  /// (see cuda/control.hpp).
  bool in_body = false;
  /// The helpers of another language whose kernels look like CUDA, such as HIP; null: those of
  /// CUDA.
  HelperSet& (*helpers)() = nullptr;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
