#pragma once
// Source text to functions: from the memory cache, else the disk cache, else the compiler.

#include <string>  // std::string

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/compile/cache/kernel_store.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/compile/unit/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// The kernels of `unit`. Each kernel is compiled once per process, and once per machine while the
/// disk cache holds it. Thread-safe. Without a compiler, kernels of the last compiler come from
/// disk; null, with one warning, if a C++ kernel is not there. InternalError if the text does not
/// compile.
SharedPtr<const Module> load_or_compile(const TranslationUnit& unit);

/// The sum over all calls of load_or_compile in this process.
CompileStats total_compile_stats();

/// Clears the memory cache; existing modules keep their kernels.
void forget_kernels();

/// Sets the directory of the disk cache, "" for the default; returns the previous one.
std::string set_cache_directory(std::string directory);

/// A scope with empty memory and disk caches; the destructor restores the previous ones.
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
