#pragma once
// The loaded kernels of a translation unit.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/compile/unit/binary.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Statistics of loading or compiling kernels. Kernels that were in memory already do not count.
struct CompileStats {
  std::int64_t compiler_runs = 0;  ///< Parallel runs count each.
  std::int64_t kernels_compiled = 0;
  std::int64_t disk_hits = 0;  ///< Kernels from the disk cache or a file of load_cache.
  double seconds = 0;          ///< Compiling, loading, and waiting for other threads.
};

/// One loaded kernel.
struct LoadedKernel {
  SharedPtr<const Binary> binary{};
  std::string symbol{};
  void* function = nullptr;  ///< Null for CUDA, whose driver has to load binary->bytes().
};

/// The kernels of one unit. Their functions live as long as the Module.
class Module {
 public:
  Module(Vector<LoadedKernel> kernels, std::vector<std::string> names, const CompileStats& work)
      : kernels_(std::move(kernels)), names_(std::move(names)), work_(work) {}

  /// The address of the function of `unit.kernels[index]`.
  void* function(std::size_t index) const { return kernels_.at(index).function; }
  /// The address of the first kernel whose Source has this name; null if there is none.
  void* symbol(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return kernels_[i].function;
    }
    return nullptr;
  }

  /// The name of its Source.
  const std::string& name(std::size_t index) const { return names_.at(index); }

  std::size_t size() const { return kernels_.size(); }
  const LoadedKernel& kernel(std::size_t index) const { return kernels_.at(index); }
  /// Statistics of the call of load_or_compile that returned this module.
  const CompileStats& work() const { return work_; }

 private:
  Vector<LoadedKernel> kernels_;
  std::vector<std::string> names_;
  CompileStats work_;
};

}  // namespace sinter::inline SINTER_ABI::detail::compiler
