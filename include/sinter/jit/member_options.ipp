#pragma once

#include <map>       // std::map
#include <mutex>     // std::lock_guard
#include <optional>  // std::optional

#include <sinter/base/process_mutex.hpp>
#include <sinter/graph/region.hpp>
#include <sinter/jit/compile.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/member_options.hpp>
#include <sinter/jit/recording.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// By the text of the region. Entries stay for the life of the process, as paths do.
struct Regions {
  ProcessMutex mutex;
  std::map<std::string, MemberOptions, std::less<>> options;
};

SINTER_INLINE Regions& regions() {
  static auto& all = *new Regions;
  return all;
}

SINTER_INLINE MemberOptions member_options_of(const CompileOptions& options) {
  return {.backend = options.backend,
          .mode = options.mode,
          .numerics = options.numerics,
          .fullgraph = options.fullgraph,
          .autotune_seconds = options.autotune_seconds};
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

// What the recording in progress compiles with, where it is now; nothing if nobody says.
SINTER_INLINE std::optional<MemberOptions> options_around(const Recorder& recorder) {
  if (const MemberOptions* const region = member_options(recorder.path())) return *region;
  const auto* const session = dynamic_cast<const RecordingSession*>(recorder.host());
  if (session == nullptr) return std::nullopt;
  return member_options_of(session->options());
}

SINTER_INLINE void set_mode(LowerOptions& options, Mode mode, double seconds) {
  options.tunes = mode == Mode::max_autotune || mode == Mode::max_autotune_no_cuda_graphs;
  options.tuning_seconds = seconds;
  options.graphs = mode == Mode::reduce_overhead || mode == Mode::max_autotune;
}

}  // namespace detail

SINTER_INLINE const MemberOptions* member_options(const std::string* path) {
  const std::string_view region = region_of(path);
  if (region.empty()) return nullptr;
  detail::Regions& regions = detail::regions();
  const std::lock_guard lock(regions.mutex);
  const auto known = regions.options.find(region);
  return known == regions.options.end() ? nullptr : &known->second;
}

SINTER_INLINE LowerOptions with_member_options(LowerOptions outer, const MemberOptions& member) {
  outer.backend = member.backend, outer.numerics = member.numerics;
  detail::set_mode(outer, member.mode, member.autotune_seconds);
  return outer;
}

SINTER_INLINE bool same_code(const LowerOptions& a, const LowerOptions& b) {
  return a.backend == b.backend && a.numerics == b.numerics && a.tunes == b.tunes &&
         (!a.tunes || a.tuning_seconds == b.tuning_seconds) &&
         (a.device.is_cpu() || a.graphs == b.graphs);
}

SINTER_INLINE OptionsScope::OptionsScope(const State& state) {
  Recorder* const recorder = current_recorder();
  if (recorder == nullptr) return;
  const std::optional<MemberOptions> around = detail::options_around(*recorder);
  if (!around) return;
  MemberOptions own = detail::member_options_of(state.options());
  own.fullgraph = own.fullgraph || around->fullgraph;
  if (own == *around) return;
  const std::string region = detail::region_text(own);
  {
    detail::Regions& regions = detail::regions();
    const std::lock_guard lock(regions.mutex);
    regions.options.emplace(region, own);
  }
  recorder_ = recorder, outer_ = recorder->path();
  const std::string path = outer_ == nullptr ? "" : *outer_;
  const std::size_t length = path.size() - region_of(outer_).size();
  recorder->set_path(intern(text(std::string_view(path).substr(0, length), region)));
  note();
}

SINTER_INLINE OptionsScope::~OptionsScope() {
  if (recorder_ == nullptr) return;
  recorder_->set_path(outer_);
  note();
}

// What is recorded from here on is another program than with other options.
SINTER_INLINE void OptionsScope::note() const {
  const Hash hash = hash_of(region_of(recorder_->path()));
  recorder_->tape().note(hash.high);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
