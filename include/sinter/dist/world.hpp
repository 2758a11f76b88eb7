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
  /// How long a collective waits for ranks that are alive: they may compile or read files.
  double timeout = 600;
  /// How long a rank may not answer before it counts as dead. Ranks answer while they compute.
  double answer_timeout = 5;
};

/// The ranks of this program. One for each process: begin main() with dist::World world; it ends
/// when all ranks end theirs.
class World {
 public:
  /// Throws ValueError if there is one, was one, MPI cannot be started, or another launcher started
  /// several processes that do not know each other.
  explicit World(WorldOptions options = {}, Where where = Where::current());
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }  ///< This process, from 0 on.
  int size() const { return size_; }  ///< The number of processes.
  /// Where this rank computes: its GPU among those of the machine, where NCCL is; else the host.
  Device device() const;

  /// The ranks that give the same color, in their order. All ranks call it.
  Group split(int color, Where where = Where::current()) const;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace sinter::inline SINTER_ABI::dist

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/world.ipp>
#endif
