#pragma once

#include <algorithm>    // std::min
#include <mutex>        // std::lock_guard
#include <string_view>  // std::string_view

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/text.hpp>
#include <sinter/graph/region.hpp>
#include <sinter/jit/interface/backend_names.hpp>
#include <sinter/jit/lower/options.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Options by name of the region. Entries live as long as the process, as paths do.
struct Regions {
  ProcessMutex mutex;
  SortedMap<std::string, MemberOptions> options;
};

SINTER_INLINE Regions& regions() {
  static auto& all = *new Regions;
  return all;
}

// " [Backend::eager, Numerics::strict]"
SINTER_INLINE std::string region_text(const MemberOptions& options) {
  const char* const backends[] = {"Backend::eager", "Backend::aot_eager", "Backend::fused"};
  const char* const modes[] = {"Mode::standard", "Mode::reduce_overhead", "Mode::max_autotune",
                               "Mode::max_autotune_no_cuda_graphs"};
  std::string result = text(" [", backends[static_cast<int>(options.backend)]);
  if (options.mode != Mode::standard) result += text(", ", modes[static_cast<int>(options.mode)]);
  if (options.numerics == Numerics::strict) result += ", Numerics::strict";
  if (options.fullgraph) result += ", fullgraph";
  if (options.autotune_seconds != 1) result += text(", ", options.autotune_seconds, " s");
  return result + "]";
}

SINTER_INLINE void set_mode(LowerOptions& options, Mode mode, double seconds) {
  options.tunes = mode == Mode::max_autotune || mode == Mode::max_autotune_no_cuda_graphs;
  options.tuning_seconds = seconds;
  options.graphs = mode == Mode::reduce_overhead || mode == Mode::max_autotune;
}

}  // namespace detail

SINTER_INLINE MemberOptions member_options_of(const CompileOptions& options) {
  return {.backend = options.backend,
          .mode = options.mode,
          .numerics = options.numerics,
          .fullgraph = options.fullgraph,
          .autotune_seconds = options.autotune_seconds};
}

SINTER_INLINE std::string region_of_options(const MemberOptions& options) {
  std::string region = detail::region_text(options);
  detail::Regions& regions = detail::regions();
  const std::lock_guard lock(regions.mutex);
  regions.options.emplace(region, options);
  return region;
}

SINTER_INLINE const MemberOptions* member_options(const std::string* path) {
  const std::string_view region = region_of(path);
  if (region.empty()) return nullptr;
  detail::Regions& regions = detail::regions();
  const std::lock_guard lock(regions.mutex);
  const auto known = regions.options.find(std::string(region));
  return known == regions.options.end() ? nullptr : &known->second;
}

SINTER_INLINE Vector<std::string> interpreted_names(std::string_view list) {
  Vector<std::string> result;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of("+, "), list.size());
    if (end != 0) result.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return result;
}

SINTER_INLINE LowerOptions with_member_options(LowerOptions outer, const MemberOptions& member) {
  if (member.backend != outer.backend) outer.custom = nullptr;
  outer.backend = member.backend, outer.numerics = member.numerics;
  detail::set_mode(outer, member.mode, member.autotune_seconds);
  return outer;
}

SINTER_INLINE bool same_code(const LowerOptions& a, const LowerOptions& b) {
  return a.backend == b.backend && a.custom == b.custom && a.numerics == b.numerics &&
         a.tunes == b.tunes && (!a.tunes || a.tuning_seconds == b.tuning_seconds) &&
         (a.device.is_cpu() || a.graphs == b.graphs);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
