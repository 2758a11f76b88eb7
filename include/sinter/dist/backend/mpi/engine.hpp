#pragma once
// The MPI engine: makes one MPI call at a time, runs background collectives on its own thread, and
// tells the other ranks when this one fails.

#include <sinter/config.hpp>
#include <sinter/dist/collective/transport.hpp>

namespace sinter::inline SINTER_ABI::detail::mpi {

/// Time limits, in seconds.
struct Limits {
  double timeout = 600;  ///< How long a collective waits for ranks that are alive.
  double answer = 5;     ///< How long a rank may stay silent before it counts as dead.
};

/// Defined in engine.ipp, so that only definitions include mpi.h.
class Engine;

}  // namespace sinter::inline SINTER_ABI::detail::mpi

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/backend/mpi/engine.ipp>
#endif
