#pragma once
// Stages padded inputs of overlapping windows: computes each element and its padding once, into
// memory of the thread, from which windows are read without guards.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A padded value that is staged.
struct StagedWindow {
  PieceKernel piece{};         ///< Computes the value.
  std::int32_t argument = -1;  ///< The argument of the kernel that reads the staged memory.
  /// It is computed inside the first `depth` loops of the grid and `stage`, in this order.
  int stage = 0, depth = 0;
  Vector<int> given{};  ///< The positions of the loops whose indices the piece gets.
  std::int64_t elements = 0;
};

/// A kernel that reads its windows from staged memory, through its last arguments.
struct StagedKernel {
  Kernel kernel{};
  Vector<StagedWindow> windows{};
};

/// `kernel` with staged windows. Nothing if it has no padded windows, if they are too large, or if
/// each element is read too rarely.
Optional<StagedKernel> stage_windows(const Kernel& kernel, const schedule::CppLimits& limits);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/staged_windows.ipp>
#endif
