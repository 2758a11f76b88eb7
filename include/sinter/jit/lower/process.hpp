#pragma once
// What concerns the whole process: caches and threads.

#include <memory>  // std::unique_ptr
#include <string>  // std::string

#include <sinter/base/where.hpp>
#include <sinter/compile/cache/environment.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

namespace compiler {
class FreshCache;
}  // namespace compiler

}  // namespace detail

/// Writes every kernel that this process has loaded into one file, with those of files that were
/// loaded, of whatever machines, and the sizes that varied. IoError if that fails.
void save_cache(const std::string& path, Where where = Where::current());

/// Makes the kernels of such a file available that run on this machine, and says which do not, and
/// why. Kernels run where all instruction sets are that they were compiled for, or anywhere if
/// SINTER_VECTOR_BITS was 128. Sizes that varied there are dynamic from the first call on. IoError
/// if the file cannot be read.
detail::CacheContents load_cache(const std::string& path, Where where = Where::current());

/// Forgets what was compiled, in memory. Compiled functions that are in use keep what they have.
void reset();

/// Starts with empty caches, in memory and on disk; the disk cache is put back at the end.
class ScopedFreshCache {
 public:
  ScopedFreshCache();
  ScopedFreshCache(const ScopedFreshCache&) = delete;
  ScopedFreshCache& operator=(const ScopedFreshCache&) = delete;
  ~ScopedFreshCache();

 private:
  std::unique_ptr<detail::compiler::FreshCache> fresh_;
};

/// Returns when nothing is being compiled for CompileOptions::background any more.
void wait_for_background();

/// How many threads run kernels, 1 to 1024; 0 is the default: SINTER_NUM_THREADS, else the cores.
void set_num_threads(int threads, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/process.ipp>
#endif
