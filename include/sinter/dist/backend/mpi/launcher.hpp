#pragma once
// Launchers that MPI does not know: what they start as one program, MPI takes for several of one
// process each.

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::mpi {

struct ForeignLauncher {
  const char* name;      ///< "torchrun"
  const char* variable;  ///< "WORLD_SIZE": how many processes it started.
  const char* fix;       ///< How to start the program instead.
  long processes = 0;    ///< The value of the variable.
};

/// The launcher that, by its environment variables, started this process as one of several, though
/// MPI counts `size` processes in all. Nothing if `size` is more than 1, or there is none.
Optional<ForeignLauncher> foreign_launcher(int size);

}  // namespace sinter::inline SINTER_ABI::detail::mpi

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/backend/mpi/launcher.ipp>
#endif
