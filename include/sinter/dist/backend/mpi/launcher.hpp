#pragma once
// Launchers that do not work with this MPI, which takes each process that they start for a program
// of its own.

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::mpi {

struct ForeignLauncher {
  const char* name;      ///< "torchrun"
  const char* variable;  ///< "WORLD_SIZE": how many processes it started.
  const char* fix;       ///< How to start the program instead.
  long processes = 0;    ///< The value of the variable.
};

/// The launcher whose environment variables say that this process is one of several, although MPI
/// counts only `size` = 1. Nothing if there is no such variable or `size` is more than 1.
Optional<ForeignLauncher> foreign_launcher(int size);

}  // namespace sinter::inline SINTER_ABI::detail::mpi

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/backend/mpi/launcher.ipp>
#endif
