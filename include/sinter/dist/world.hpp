#pragma once
// World: this process among those that mpirun or srun started.

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/device.hpp>
#include <sinter/dist/collective/operations.hpp>
#if defined(SINTER_CUDA) && SINTER_CUDA
#include <sinter/dist/backend/nccl/nccl.hpp>
#endif

namespace sinter::inline SINTER_ABI::dist {

/// How long to wait for other ranks, in seconds.
struct WorldOptions {
  /// How long a collective waits for ranks that are alive but compile, read files or compute.
  double timeout = 600;
  /// How long a rank may stay silent before it counts as dead. Ranks answer while they compute.
  double answer_timeout = 5;
};

/// The ranks of this program. Each process has one, at the start of main(): dist::World world; its
/// destructor waits until all ranks end theirs.
class World {
 public:
  /// Throws ValueError if this process has or had a World, if MPI has been finalized or does not
  /// support threads, or if the launcher started several processes that MPI does not connect.
  explicit World(WorldOptions options = {}, Where where = Where::current());
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }  ///< This process, from 0 on.
  int size() const { return size_; }  ///< The number of processes.
  /// The GPU of this rank if this machine has GPUs and NCCL, otherwise the host.
  Device device() const;

  /// The group of the ranks that pass the same `color`, in rank order. All ranks call it.
  ///
  /// Throws ValueError for a negative color, RankError if a rank fails
  Group split(int color, Where where = Where::current()) const;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace sinter::inline SINTER_ABI::dist

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/world.ipp>
#endif
