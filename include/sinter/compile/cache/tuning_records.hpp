#pragma once
// Tuning records: which text of a kernel was the fastest, kept with the disk cache.
//
// Other processes on this machine need not find out again.

#include <memory>       // std::shared_ptr
#include <optional>     // std::optional
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/hash.hpp>
#include <sinter/compile/cache/kernel_store.hpp>
#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// The choices for the kernels that are compiled as one unit is, on this machine. save_cache writes
/// what this process knows of them.
class TuningRecords {
 public:
  /// `circumstances` is what else decides: the number of threads, or the GPU.
  TuningRecords(const TranslationUnit& unit, std::string_view circumstances);

  /// What was chosen for `key`; nothing if nobody tried, or cannot be asked.
  std::optional<std::string> find(const Hash& key) const;
  /// Remembers `choice`, on disk where that can be written.
  void add(const Hash& key, std::string_view choice) const;

 private:
  std::string machine_{}, environment_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/tuning_records.ipp>
#endif
