#pragma once
// Tuning records: the fastest candidate for each kernel, stored in the disk cache so that other
// processes on this machine need not tune again.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/optional.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/compile/cache/kernel_store.hpp>
#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// The tuning records of kernels that are compiled like `unit` on this machine. save_cache writes
/// the records that this process has read or added.
class TuningRecords {
 public:
  /// `circumstances` is the rest of the key: the number of threads, or the GPU.
  TuningRecords(const TranslationUnit& unit, std::string_view circumstances);

  /// The choice recorded for `key`; nullopt if there is none.
  Optional<std::string> find(const Hash& key) const;
  /// Records `choice`, in memory and, if possible, on disk.
  void add(const Hash& key, std::string_view choice) const;

 private:
  std::string machine_{}, environment_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/tuning_records.ipp>
#endif
