#pragma once

#include <algorithm>  // std::replace
#include <atomic>     // std::atomic
#include <exception>  // std::exception
#include <utility>    // std::exchange

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/jit/tune/trial.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Groups that take less than 1/min_share of the total, or less than min_nanoseconds, are not tuned.
inline constexpr std::int64_t min_share = 50, min_nanoseconds = 500;
// This many texts compile within seconds.
inline constexpr std::size_t max_texts = 64;
inline constexpr int max_rounds = 15;

SINTER_INLINE std::atomic<KernelTimes>& kernel_times() {
  static auto& times = *new std::atomic<KernelTimes>(nullptr);
  return times;
}

SINTER_INLINE std::atomic<std::int64_t>& timed_runs_so_far() {
  static auto& runs = *new std::atomic<std::int64_t>(0);
  return runs;
}

}  // namespace detail

SINTER_INLINE Trial::Trial(const compiler::TranslationUnit& unit,
                           const Vector<codegen::Tuning>& tunings, const Vector<bool>& known,
                           const TunerOptions& options, const Graph& graph, const Build& first,
                           const TuningInputs& call)
    : known_(known),
      options_(options),
      plan_(first.plan()),
      unit_(unit),
      program_(options.target->program(graph, first, call)) {
  for (std::size_t i = 0; i < tunings.size(); ++i) texts_.push_back({i, tunings[i]});
  program_->use(first.module(), texts_);
  find_groups();
}

SINTER_INLINE void Trial::find_groups() {
  Vector<std::size_t> leader(unit_.kernels.size());
  for (std::size_t i = 0; i < leader.size(); ++i) leader[i] = i;
  for (const schedule::Launch* const launch : schedule::kernel_launches(plan_)) {
    const Vector<std::int32_t> together = schedule::kernels_of(*launch);
    for (const std::int32_t kernel : together) {
      const std::size_t from = leader[static_cast<std::size_t>(kernel)],
                        to = leader[static_cast<std::size_t>(together[0])];
      std::replace(leader.begin(), leader.end(), from, to);
    }
  }
  for (std::size_t first = 0; first < leader.size(); ++first) {
    TuningGroup group;
    for (std::size_t i = 0; i < leader.size(); ++i) {
      if (leader[i] == first) group.kernels.push_back(i);
    }
    if (!group.kernels.empty()) groups_.push_back(std::move(group));
  }
}

// Measures the default texts, after a run that warms the caches. Keeps the groups that matter and
// are not known, the slowest first.
SINTER_INLINE void Trial::rank_groups() {
  measure(0);
  const std::vector<std::int64_t> times = measure(0);
  std::int64_t total = 0;
  for (TuningGroup& group : groups_) {
    total += group.nanoseconds = time_of(group, 0, times);
  }
  Vector<TuningGroup> all = std::exchange(groups_, {});
  for (TuningGroup& group : all) {
    const bool is_known = all_of(group.kernels, [&](std::size_t kernel) { return known_[kernel]; });
    const bool matters = group.nanoseconds >= detail::min_nanoseconds &&
                         group.nanoseconds * detail::min_share >= total;
    if (!is_known && matters) groups_.push_back(std::move(group));
  }
  stable_sort(groups_, [](const auto& a, const auto& b) { return a.nanoseconds > b.nanoseconds; });
}

// A candidate for one kernel of a group keeps the default text of kernels that do not have it.
SINTER_INLINE void Trial::find_candidates(TuningGroup& group) {
  group.texts = {group.kernels};
  for (std::size_t i = 0; i < group.kernels.size(); ++i) {
    const std::size_t kernel = group.kernels[i];
    if (known_[kernel]) continue;
    for (codegen::Candidate& one : options_.target->candidates(plan_.kernels[kernel])) {
      const auto tuning = find(group.tunings, one.tuning);
      const auto position = static_cast<std::size_t>(tuning - group.tunings.begin());
      if (tuning == group.tunings.end()) {
        group.tunings.push_back(one.tuning);
        group.texts.push_back(group.kernels);
      }
      group.texts[position][i] = unit_.kernels.size();
      unit_.kernels.push_back(std::move(one.source));
      texts_.push_back({kernel, one.tuning});
    }
  }
  group.fastest = FastestCandidate(group.tunings.size());
}

SINTER_INLINE void Trial::drop(TuningGroup& group, std::size_t candidate, const std::string& kernel,
                               const std::string& reason) {
  log(Log::autotune,
      text(kernel, ": ", to_string(group.tunings[candidate]), " is dropped: ", reason));
  group.fastest.drop(candidate);
}

// Replaces a text that does not compile by the default text, and drops its candidates.
SINTER_INLINE void Trial::drop_text(std::size_t number, const std::string& reason) {
  const std::size_t kernel = texts_[number].kernel;
  unit_.kernels[number] = unit_.kernels[kernel];
  for (TuningGroup& group : groups_) {
    for (std::size_t candidate = 1; candidate < group.texts.size(); ++candidate) {
      const Vector<std::size_t>& texts = group.texts[candidate];
      const bool has_text = contains(texts, number);
      if (has_text) drop(group, candidate, unit_.kernels[kernel].name, reason);
    }
  }
}

// Compiles each candidate alone and drops those that do not compile; false if all do.
SINTER_INLINE bool Trial::drop_refused() {
  bool result = false;
  for (std::size_t i = plan_.kernels.size(); i < unit_.kernels.size(); ++i) {
    compiler::TranslationUnit alone = unit_;
    alone.kernels = {unit_.kernels[i]};
    alone.prelude = options_.target->prelude(alone.kernels);
    try {
      compiler::load_or_compile(alone);
    } catch (const std::exception& error) {
      drop_text(i, error.what());
      result = true;
    }
  }
  return result;
}

// One text with an error makes the compilation of all texts fail; then retries without it.
SINTER_INLINE SharedPtr<const compiler::Module> Trial::compile_texts() {
  unit_.prelude = options_.target->prelude(unit_.kernels);
  try {
    return compiler::load_or_compile(unit_);
  } catch (const std::exception&) {
    if (!drop_refused()) throw;
  }
  unit_.prelude = options_.target->prelude(unit_.kernels);
  return compiler::load_or_compile(unit_);
}

// Compiles the texts of all candidates; false if there is nothing to compare.
SINTER_INLINE bool Trial::compile_candidates() {
  const std::size_t kernels = unit_.kernels.size();
  Vector<TuningGroup> all = std::exchange(groups_, {});
  for (TuningGroup& group : all) {
    const std::size_t before = unit_.kernels.size();
    find_candidates(group);
    const std::size_t texts = unit_.kernels.size() - kernels;
    if (texts > detail::max_texts || group.tunings.size() == 1) {
      unit_.kernels.resize(before);
      texts_.resize(before);
      continue;
    }
    groups_.push_back(std::move(group));
  }
  if (groups_.empty()) return false;
  auto module = compile_texts();
  if (module == nullptr) return false;
  program_->use(std::move(module), texts_);
  return true;
}

// The text of each kernel of the plan in this slot of a round.
SINTER_INLINE Vector<std::size_t> Trial::texts(std::size_t slot) const {
  Vector<std::size_t> result(plan_.kernels.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = i;
  for (const TuningGroup& group : groups_) {
    if (group.texts.empty()) continue;
    for (std::size_t i = 0; i < group.kernels.size(); ++i) {
      result[group.kernels[i]] = group.texts[group.fastest.at(slot)][i];
    }
  }
  return result;
}

SINTER_INLINE std::int64_t Trial::time_of(const TuningGroup& group, std::size_t slot,
                                          const std::vector<std::int64_t>& times) const {
  const KernelTimes given = detail::kernel_times().load();
  std::int64_t result = 0;
  for (const std::size_t kernel : group.kernels) {
    const std::string tuning = to_string(group.tunings[group.fastest.at(slot)]);
    result += given == nullptr ? times[kernel] : given(plan_.kernels[kernel].name, tuning);
  }
  return result;
}

// Runs the program with the texts of `slot` and returns the time of each kernel.
SINTER_INLINE std::vector<std::int64_t> Trial::measure(std::size_t slot) {
  std::vector<std::int64_t> result = program_->run(texts(slot));
  std::int64_t passed = program_->passed();
  if (detail::kernel_times().load() != nullptr) {
    passed = 0;
    for (const TuningGroup& group : groups_) passed += time_of(group, slot, result);
  }
  seconds_ += 1e-9 * static_cast<double>(passed);
  detail::timed_runs_so_far().fetch_add(1);
  return result;
}

// Drops the candidate that could not be launched in this slot; false if it was a default text.
SINTER_INLINE bool Trial::drop_failed(std::size_t slot, const std::string& reason) {
  const std::int64_t failed = program_->take_failed();
  if (failed < 0) return false;
  for (TuningGroup& group : groups_) {
    const auto kernel = static_cast<std::size_t>(failed);
    const auto found = find(group.kernels, kernel);
    const std::size_t candidate = group.fastest.at(slot);
    if (found == group.kernels.end() || candidate == 0) continue;
    drop(group, candidate, unit_.kernels[kernel].name, reason);
    return true;
  }
  return false;
}

// Empty if a candidate failed; the next candidate then has its slot.
SINTER_INLINE std::vector<std::int64_t> Trial::measure_or_drop(std::size_t slot) {
  try {
    return measure(slot);
  } catch (const DeviceError& error) {
    if (!drop_failed(slot, error.what())) throw;
    return {};
  }
}

SINTER_INLINE bool Trial::has_choice() const {
  return any_of(groups_, [](const TuningGroup& group) { return group.fastest.size() > 1; });
}

// False if the budget is used up.
SINTER_INLINE bool Trial::run_round() {
  std::size_t slots = 1;
  for (const TuningGroup& group : groups_) slots = std::max(slots, group.fastest.size());
  for (std::size_t slot = 0; slot < slots;) {
    if (seconds_ >= options_.seconds) return false;
    const std::vector<std::int64_t> times = measure_or_drop(slot);
    if (times.empty()) continue;
    for (TuningGroup& group : groups_) {
      if (slot >= group.fastest.size()) continue;
      group.fastest.note(group.fastest.at(slot), time_of(group, slot, times));
    }
    ++slot;
  }
  for (TuningGroup& group : groups_) group.fastest.end_round();
  return true;
}

SINTER_INLINE void Trial::run() {
  rank_groups();
  if (groups_.empty() || !compile_candidates()) return groups_.clear();
  for (int round = 0; round < detail::max_rounds && has_choice(); ++round) {
    if (!run_round()) return;
  }
}

SINTER_INLINE Build Trial::build() const {
  Vector<std::size_t> winners(plan_.kernels.size());
  for (std::size_t i = 0; i < winners.size(); ++i) winners[i] = i;
  for (const TuningGroup& group : groups_) {
    for (std::size_t i = 0; i < group.kernels.size(); ++i) {
      winners[group.kernels[i]] = group.texts[group.fastest.winner()][i];
    }
  }
  Build result = program_->build(winners);
  for (const std::size_t text : winners) result.sources.push_back(unit_.kernels[text]);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
