#pragma once
// What concerns the whole process: caches and threads.

#include <string>  // std::string

#include <sinter/base/where.hpp>
#include <sinter/compile/cache.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/lower.hpp>

namespace sinter::inline SINTER_ABI {

/// Writes every kernel that this process has loaded into one file. IoError if that fails.
inline void save_cache(const std::string& path, Where where = Where::current()) {
  compiler::save_cache(path, where);
}

/// Makes the kernels of such a file available. IoError if it cannot be read.
inline void load_cache(const std::string& path, Where where = Where::current()) {
  compiler::load_cache(path, where);
}

/// Forgets what was compiled, in memory. Compiled functions that are in use keep what they have.
inline void reset() {
  jit::forget_programs();
  compiler::forget_kernels();
}

/// Starts with empty caches, in memory and on disk; the disk cache is put back at the end.
class ScopedFreshCache {
 public:
  ScopedFreshCache() { jit::forget_programs(); }
  ~ScopedFreshCache() { jit::forget_programs(); }

 private:
  compiler::FreshCache fresh_;
};

/// How many threads run kernels, 1 to 1024; 0 is the default: SINTER_NUM_THREADS, else the cores.
void set_num_threads(int threads);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/process.ipp>
#endif
