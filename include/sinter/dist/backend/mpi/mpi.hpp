#pragma once
// The transport over MPI: ranks agree before each collective.

#include <cstddef>      // std::size_t
#include <string_view>  // std::string_view

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/dist/backend/mpi/engine.hpp>
#include <sinter/dist/collective/transport.hpp>

namespace sinter::inline SINTER_ABI::detail::mpi {

/// Starts MPI, unless the program did, and the engine's thread. Once in a process. That thread
/// calls MPI at any time: a program that calls MPI itself starts it with MPI_THREAD_MULTIPLE.
///
/// Throws ValueError if MPI has ended, does not allow calls from several threads, or does not know
/// the launcher of several processes.
SharedPtr<collective::Transport> begin(const Limits& limits, Where where);

/// The number of this rank among the ranks on its machine. Needs begin().
int local_rank();

/// The largest message, in bytes: MPI counts are ints. Tests lower it.
std::size_t& largest_message();

/// Waits until all ranks call it, then finalizes MPI if begin() started it. If this rank has
/// failed, for the reason `failed`, or another one has, it tells the others and does not wait.
/// Never throws.
void end(std::string_view failed) noexcept;

}  // namespace sinter::inline SINTER_ABI::detail::mpi

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/backend/mpi/mpi.ipp>
#endif
