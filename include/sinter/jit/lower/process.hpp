#pragma once
// Functions that affect the whole process: caches and threads.

#include <string>  // std::string

#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/where.hpp>
#include <sinter/compile/cache/environment.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

namespace compiler {
class FreshCache;
}  // namespace compiler

/// Makes reset() call `drop_recordings` as well.
void on_reset(void (*drop_recordings)());

}  // namespace detail

/// Writes every kernel that this process has loaded into one file, with the kernels of loaded cache
/// files, for whatever machines, and the sizes that varied. Throws IoError on failure.
void save_cache(const std::string& path, Where where = Where::current());

/// Loads the kernels of such a file that run on this machine, and reports which do not and why. A
/// kernel runs on machines with all instruction sets that it was compiled for, or anywhere if
/// SINTER_VECTOR_BITS was 128. Sizes that varied are dynamic from the first call on. Throws IoError
/// if the file cannot be read.
detail::CacheContents load_cache(const std::string& path, Where where = Where::current());

/// Clears the caches in memory, and drops the recordings and limits of every compiled function, so
/// that its next call is like its first. Frozen functions keep theirs; caches on disk stay.
void reset();

/// Empties the caches in memory and on disk during its lifetime; restores the disk cache at the
/// end.
class ScopedFreshCache {
 public:
  ScopedFreshCache();
  ScopedFreshCache(const ScopedFreshCache&) = delete;
  ScopedFreshCache& operator=(const ScopedFreshCache&) = delete;
  ~ScopedFreshCache();

 private:
  detail::UniquePtr<detail::compiler::FreshCache> fresh_;
};

/// Waits until all background compilations are done.
void wait_for_background();

/// Sets the number of threads that run kernels, 1 to 1024; 0 is the default: SINTER_NUM_THREADS,
/// else the number of cores.
void set_num_threads(int threads, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/process.ipp>
#endif
