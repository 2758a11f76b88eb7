#pragma once

#include <cstdio>  // std::fopen

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/cache/compiler_search.hpp>
#include <sinter/compile/cache/environment.hpp>
#include <sinter/compile/cache/tuning_records.hpp>
#include <sinter/compile/host/compiler.hpp>
#include <sinter/compile/unit/gpu_compiler.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// "AMD EPYC 9B45 128-Core Processor": processors with the same instructions differ in speed.
SINTER_INLINE std::string processor_model() {
  std::string result;
  std::FILE* const file = std::fopen("/proc/cpuinfo", "re");
  if (file == nullptr) return result;
  char line[256];
  while (result.empty() && std::fgets(line, sizeof(line), file) != nullptr) {
    const std::string_view words = line;
    const std::size_t colon = words.find(": ");
    if (words.substr(0, 10) != "model name" || colon == std::string_view::npos) continue;
    result = words.substr(colon + 2, words.find('\n') - colon - 2);
  }
  std::fclose(file);
  return result;
}

}  // namespace detail

SINTER_INLINE TuningRecords::TuningRecords(const TranslationUnit& unit,
                                           std::string_view circumstances) {
  machine_ = text("fastest texts\n", detail::machine_of(unit), "\n");
  if (unit.language == Language::cuda) {
    machine_ += circumstances;
    environment_ = text(machine_, detail::compiler_line, gpu_compiler().identity());
    return;
  }
  static const auto& processor = *new std::string(detail::processor_model());
  machine_ += text("processor ", processor, "\n", circumstances);
  const auto compiler = host_compiler(*KernelStore::instance().disk());
  environment_ = machine_ + std::string(detail::compiler_line);
  if (compiler != nullptr) {
    environment_ += text(compiler->identity, " ", host_flags(*compiler, unit));
  }
}

SINTER_INLINE Optional<std::string> TuningRecords::find(const Hash& key) const {
  KernelStore& store = KernelStore::instance();
  SharedPtr<const CacheEntry> entry = store.record(full_key(environment_, key));
  if (entry == nullptr) entry = store.imported(full_key(machine_, key));
  if (entry == nullptr) {
    auto stored = store.disk()->load(environment_, key);
    if (!stored) return std::nullopt;
    entry = make_shared_ptr<const CacheEntry>(std::move(*stored));
    store.add_record(entry);
  }
  return entry->payload;
}

SINTER_INLINE void TuningRecords::add(const Hash& key, std::string_view choice) const {
  const auto entry = make_shared_ptr<const CacheEntry>(
      CacheEntry{.environment = environment_, .keys = {key}, .payload = std::string(choice)});
  KernelStore::instance().add_record(entry);
  KernelStore::instance().disk()->store(*entry);
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
