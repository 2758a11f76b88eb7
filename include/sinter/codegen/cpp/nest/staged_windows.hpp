#pragma once
// Finds values that a kernel reads once for each window that they are in, and that padding
// surrounds: a nest computes them once, into memory of the thread, where windows need no guards.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// One value with the padding around it, for each point of the loops outside of `position`.
struct StagedWindow {
  PieceKernel piece{};         ///< Computes it, for the `given` loops.
  std::int32_t argument = -1;  ///< Reads it in the kernel.
  int stage = 0;               ///< The loops up to `depth` are open where it is computed: those of
  int depth = 0;               ///< the grid, and then those of `stage`.
  Vector<int> given{};         ///< Positions of the loops that the piece is called for.
  std::int64_t elements = 0;
};

/// A kernel whose windows are read from staged memory, the last of its arguments.
struct StagedKernel {
  Kernel kernel{};
  Vector<StagedWindow> windows{};
};

/// `kernel` with staged windows; nothing if there are none, or if they are too large, or too few
/// read an element.
Optional<StagedKernel> stage_windows(const Kernel& kernel, const schedule::CppLimits& limits);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/staged_windows.ipp>
#endif
