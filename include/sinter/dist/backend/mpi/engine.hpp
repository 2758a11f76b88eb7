#pragma once
// The MPI engine: makes one MPI call at a time, runs started collectives on its own thread, and
// tells the other ranks when one has failed.

#include <sinter/config.hpp>
#include <sinter/dist/collective/transport.hpp>

namespace sinter::inline SINTER_ABI::detail::mpi {

/// Seconds.
struct Limits {
  double timeout = 600;  ///< How long a collective waits for ranks that are alive.
  double answer = 5;     ///< How long a rank may not answer before it counts as dead.
};

/// Only definitions see it, and with it mpi.h.
class Engine;

}  // namespace sinter::inline SINTER_ABI::detail::mpi

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/backend/mpi/engine.ipp>
#endif
