#pragma once
// Background jobs: a queue served by up to four threads of this process.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// A background job. run() must not throw.
class BackgroundJob {
 public:
  virtual ~BackgroundJob() = default;
  virtual void run() noexcept = 0;
};

/// Queues `job` for another thread. Process exit waits for running jobs and drops queued ones.
/// After fork, the child runs the parent's unfinished jobs once it queues a job of its own.
void run_in_background(SharedPtr<BackgroundJob> job);

/// Starts threads for queued jobs if there are none, as after fork.
void keep_background_running();

/// Waits until the queue is empty.
void wait_for_background();

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/background.ipp>
#endif
