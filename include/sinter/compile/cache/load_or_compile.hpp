#pragma once
// From text to functions: kernels from memory, else from disk, else from a compiler, once each.

#include <memory>  // std::shared_ptr
#include <string>  // std::string

#include <sinter/compile/cache/kernel_store.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/compile/unit/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// The kernels of `unit`. Each kernel is compiled once per process, and, while the disk cache keeps
/// it, once per machine; many threads may ask at once. Where there is no compiler, what the last
/// one left on disk serves; null if C++ is missing there, which is said once. InternalError if the
/// text does not compile.
std::shared_ptr<const Module> load_or_compile(const TranslationUnit& unit);

/// All that load_or_compile did in this process.
CompileStats total_compile_stats();

/// Forgets the kernels in memory; modules that are in use keep theirs.
void forget_kernels();

/// Uses `directory` for the disk cache from now on, "" for the default; gives the one before.
std::string set_cache_directory(std::string directory);

/// Starts with no kernels, in memory and on disk, and puts back what there was at the end.
class FreshCache {
 public:
  FreshCache();
  FreshCache(const FreshCache&) = delete;
  FreshCache& operator=(const FreshCache&) = delete;
  ~FreshCache();

  const std::string& directory() const { return directory_.path(); }

 private:
  TemporaryDirectory directory_{};
  KernelStore::Content before_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/load_or_compile.ipp>
#endif
