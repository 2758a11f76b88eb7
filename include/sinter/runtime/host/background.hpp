#pragma once
// Work that need not be done at once: threads of this process take it, one piece after the other.

#include <memory>  // std::shared_ptr

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// A piece of work. It must not throw.
class BackgroundJob {
 public:
  virtual ~BackgroundJob() = default;
  virtual void run() noexcept = 0;
};

/// Has `job` run by another thread, soon. At the end of the process what is being run is waited
/// for, and what was not begun is dropped. After fork, the child does what the parent had not done,
/// once it asks for something itself.
void run_in_background(std::shared_ptr<BackgroundJob> job);

/// Sees to it that there are threads for the work that there is; after fork there are none.
void keep_background_running();

/// Returns when all jobs that were there are done.
void wait_for_background();

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/background.ipp>
#endif
