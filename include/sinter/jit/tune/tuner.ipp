#pragma once

#include <exception>  // std::exception

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/log.hpp>
#include <sinter/compile/cache/tuning_records.hpp>
#include <sinter/jit/tune/tuner.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE compiler::TuningRecords winners_of(const compiler::TranslationUnit& unit,
                                                 const TunerOptions& options) {
  return {unit, options.target->environment()};
}

SINTER_INLINE std::string in_microseconds(std::int64_t nanoseconds) {
  return text(static_cast<double>(nanoseconds / 10) / 100, " us");
}

// "softmax_f32_2d: default 12.1 us, unroll 2 10.4 us: unroll 2"
SINTER_INLINE void log_group(const TuningGroup& group, const compiler::TranslationUnit& unit) {
  std::string line = unit.kernels[group.kernels[0]].name;
  if (group.kernels.size() > 1) line += text(" and ", group.kernels.size() - 1, " others");
  for (std::size_t i = 0; i < group.tunings.size(); ++i) {
    const std::int64_t best = group.fastest.best(i);
    line += text(i == 0 ? ": " : "; ", to_string(group.tunings[i]), " ",
                 best < 0 ? "not run" : in_microseconds(best));
  }
  log(Log::autotune, text(line, "; chosen: ", to_string(group.tunings[group.fastest.winner()])));
}

}  // namespace detail

SINTER_INLINE Tuner::Tuner(const schedule::Plan& plan, compiler::TranslationUnit& unit,
                           const TunerOptions& options)
    : options_(options) {
  const compiler::TuningRecords winners = detail::winners_of(unit, options);
  Hasher program;
  for (std::size_t i = 0; i < unit.kernels.size(); ++i) {
    Source& source = unit.kernels[i];
    keys_.push_back(source.key);
    program.add(source.key);
    const Optional<std::string> known = winners.find(source.key);
    const auto tuning = known ? codegen::parse_tuning(*known) : std::nullopt;
    known_.push_back(tuning.has_value());
    tunings_.push_back(tuning.value_or(codegen::Tuning{}));
    if (!tuning || *tuning == codegen::Tuning{}) continue;
    source = options.target->emit(plan.kernels[i], *tuning);
  }
  unit.prelude = options.target->prelude(unit.kernels);
  unit_ = unit;
  program_ = program.add("program").result();
  const bool all = all_of(known_, [](bool known) { return known; });
  is_due_ = !all && options.seconds > 0 && !winners.find(program_);
}

SINTER_INLINE bool Tuner::take_ticket() {
  return is_due_.load(std::memory_order_relaxed) && is_due_.exchange(false);
}

SINTER_INLINE Optional<Build> Tuner::tune(const Graph& graph, const Build& first,
                                          const TuningInputs& call) const noexcept {
  try {
    Trial trial(unit_, tunings_, known_, options_, graph, first, call);
    trial.run();
    const compiler::TuningRecords winners = detail::winners_of(unit_, options_);
    bool changes = false;
    for (const TuningGroup& group : trial.groups()) {
      const std::size_t winner = group.fastest.winner();
      changes = changes || winner != 0;
      detail::log_group(group, unit_);
      for (std::size_t i = 0; i < group.kernels.size(); ++i) {
        const std::size_t kernel = group.kernels[i];
        const bool tuned = group.texts[winner][i] != kernel;
        if (known_[kernel]) continue;
        winners.add(keys_[kernel], tuned ? to_string(group.tunings[winner]) : "default");
      }
    }
    winners.add(program_, "");
    if (changes) return trial.build();
  } catch (const std::exception& error) {
    log(Log::autotune, text("nothing was tuned: ", error.what()));
  }
  return std::nullopt;
}

SINTER_INLINE KernelTimes exchange_kernel_times(KernelTimes times) {
  return detail::kernel_times().exchange(times);
}

SINTER_INLINE std::int64_t timed_runs() { return detail::timed_runs_so_far().load(); }

}  // namespace sinter::inline SINTER_ABI::detail::jit
