#pragma once

#include <algorithm>  // std::any_of
#include <exception>  // std::exception
#include <utility>    // std::exchange

#include <sinter/base/log.hpp>
#include <sinter/jit/differentiated.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/member_options.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/runtime/background.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// A variant to be compiled in the background.
class CompileVariant : public runtime::BackgroundJob {
 public:
  CompileVariant(std::weak_ptr<State> state, std::shared_ptr<const Variant> interim)
      : state_(std::move(state)), interim_(std::move(interim)) {}
  void run() noexcept override;

 private:
  std::weak_ptr<State> state_;  // nobody needs it if the function is no more
  std::shared_ptr<const Variant> interim_;
};

/// A segment to be compiled in the background.
class CompileSegment : public runtime::BackgroundJob {
 public:
  CompileSegment(std::weak_ptr<State> state, const Hash& key,
                 std::shared_ptr<const Segment> interim)
      : state_(std::move(state)), key_(key), interim_(std::move(interim)) {}
  void run() noexcept override;

 private:
  std::weak_ptr<State> state_;
  Hash key_;
  std::shared_ptr<const Segment> interim_;
};

SINTER_INLINE void State::refuse(const guard::Failure& failure) {
  const bool frozen = is_frozen_.load(std::memory_order_relaxed);
  const std::string assumed =
      failure.where.line() == 0 ? "" : text(", assumed at ", assumed_at(failure));
  throw RecompileLimitError(
      {.op = name_.empty() ? "compile" : name_,
       .what = "the call fits nothing that was compiled",
       .facts = {{"leaf", failure.leaf},
                 {"expected", failure.expected + assumed},
                 {"found", failure.found}},
       .rule = frozen ? "a frozen function compiles nothing new"
                      : "under Stance::fail_on_recompile only the first call compiles",
       .fix = text(failure.fix, failure.fix.empty() ? "" : "; or ",
                   "call prepare with arguments like these ", frozen ? "before freeze" : "first"),
       .where = where_,
       .see = "recompiles"});
}

SINTER_INLINE void State::refuse_at_limit(Asker asker, std::string reason) const {
  Report report{.op = asker == Asker::prepare ? "prepare"
                      : name_.empty()         ? "compile"
                                              : name_,
                .what = "recompile_limit is reached",
                .facts = {{"recompile_limit", text(options_.recompile_limit)}},
                .rule = "a function compiles that many recordings",
                .fix = "give compile a higher recompile_limit, or mark what varies",
                .where = where_,
                .see = "recompiles"};
  if (!reason.empty()) report.facts.push_back({"reason", std::move(reason)});
  throw RecompileLimitError(report);
}

// Sizes that may become dynamic are not part of it: one recording may serve several of them.
SINTER_INLINE Hash State::recording_key(const CallSignature& call) {
  if (on_recompile() != OnMiss::compile) {
    const std::lock_guard lock(mutex_);
    if (!has_compiled()) return {};
  }
  Hasher hasher;
  hasher.add(call.structure);
  for (const guard::Leaf& leaf : call.leaves.list) {
    const TensorType& type = leaf.tensor->type();
    hasher.add(static_cast<std::uint64_t>(type.dtype));
    hasher.add(static_cast<std::uint64_t>(type.shape.size()));
    const Device device = leaf.tensor->lazy()->device();
    if (device.is_cuda()) hasher.add(to_string(device));
    const bool varies = options_.dynamic != Dynamic::off;
    for (const Extent& extent : type.shape) {
      const std::int64_t size = extent.number();
      hasher.add(static_cast<std::uint64_t>(varies && size > 1 ? 2 : size));
    }
  }
  return hasher.result();
}

SINTER_INLINE bool State::is_full() const {
  const auto count = static_cast<std::int64_t>(variants_.size()) + compiled_runs_;
  return count >= options_.recompile_limit;
}

SINTER_INLINE LowerOptions State::lower_options(std::vector<schedule::Update> updates,
                                                Device device) const {
  LowerOptions result{.backend = options_.backend,
                      .numerics = options_.numerics,
                      .updates = std::move(updates),
                      .tunes_later = options_.background,
                      .device = device};
  detail::set_mode(result, options_.mode, options_.autotune_seconds);
  return result;
}

SINTER_INLINE bool State::is_compiled_later(const Graph& graph, const LowerOptions& options,
                                            Asker asker) const {
  return options_.background && asker == Asker::call && options.backend != Backend::eager &&
         known_program(graph, options) == nullptr;
}

SINTER_INLINE std::shared_ptr<Variant> State::make_variant(Recording recording,
                                                           const LowerOptions& options,
                                                           const Lowered& lowered) const {
  Runnable runnable =
      runnable_of(recording.graph, options.updates, lowered.program, lowered.symbols);
  auto variant =
      std::make_shared<Variant>(Variant{.recording = std::move(recording),
                                        .runnable = std::move(runnable),
                                        .is_interpreted = lowered.program->is_interpreted()});
  const Recording& kept = variant->recording;
  if (!kept.wanted.empty()) variant->callee = callee(kept.graph, options);
  return variant;
}

SINTER_INLINE std::shared_ptr<const Callee> State::callee(Graph graph,
                                                          const LowerOptions& options) const {
  auto self = std::const_pointer_cast<State>(shared_from_this());
  LowerOptions alone = options;
  alone.updates.clear();
  return std::make_shared<CompiledCallee>(std::move(graph), std::move(alone), std::move(self));
}

SINTER_INLINE std::shared_ptr<const Variant> State::add(Recording recording, std::string reason,
                                                        std::shared_ptr<const void> result,
                                                        std::shared_ptr<const void> arguments,
                                                        Asker asker) {
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    full = is_full();
  }
  const bool demands = demands_code();
  if (full && (demands || asker == Asker::prepare)) refuse_at_limit(asker, std::move(reason));
  LowerOptions options = lower_options(recording.updates(), recording.device);
  if (full) interpret(options);
  const bool later = !demands && is_compiled_later(recording.graph, options, asker);
  if (later) interpret(options);
  const Lowered lowered = jit::lower(recording.graph, options);
  if (demands) require_code(*lowered.program);
  const std::shared_ptr<Variant> variant = make_variant(std::move(recording), options, lowered);
  variant->result = std::move(result), variant->arguments = std::move(arguments);
  variant->is_kept = !full, variant->is_interim = later;
  keep(variant, lowered, std::move(reason));
  if (later) compile_later(variant);
  return variant;
}

SINTER_INLINE void State::keep(const std::shared_ptr<const Variant>& variant,
                               const Lowered& lowered, std::string reason) {
  const std::lock_guard lock(mutex_);
  note_work(lowered.work);
  note_recompile(std::move(reason));
  if (!variant->is_kept) {
    warn_of_limit();
    ++stats_.eager_calls;
    return;
  }
  stats_.recompiles += has_compiled() ? 1 : 0;
  variants_.push_back(variant);
  for (const std::string& line : describe(variant->recording.guard)) {
    log(Log::guards, text(label(), ": ", line));
  }
}

// Of a segment or a variant.
SINTER_INLINE bool State::has_program(const std::shared_ptr<const Program>& program) const {
  return programs_.count(program) != 0 ||
         std::any_of(variants_.begin(), variants_.end(),
                     [&](const auto& variant) { return variant->runnable.program == program; });
}

SINTER_INLINE Lowering State::lower(const Graph& graph,
                                    const std::vector<schedule::Update>& updates, Device device,
                                    OnMiss on_miss, Asker asker) {
  LowerOptions options = lower_options(updates, device);
  bool passing = false, full = false;
  {
    const std::lock_guard lock(mutex_);
    full = is_full();
    if (full || on_miss != OnMiss::compile) {
      passing = !has_program(known_program(graph, options));
    }
  }
  if (passing && on_miss == OnMiss::refuse) return {};
  const bool demands = on_miss == OnMiss::compile && demands_code();
  if (passing && (demands || asker == Asker::prepare)) refuse_at_limit(asker);
  const bool later = !passing && !demands && is_compiled_later(graph, options, asker);
  if (passing || later) interpret(options);
  const Lowered lowered = jit::lower(graph, options);
  if (demands) require_code(*lowered.program);
  const std::lock_guard lock(mutex_);
  note_work(lowered.work);
  if (passing && full) warn_of_limit();
  if (passing) {
    return {.program = lowered.program, .symbols = lowered.symbols, .is_passing = true};
  }
  const bool is_new = !has_program(lowered.program);
  return {
      .program = lowered.program,
      .symbols = lowered.symbols,
      .is_new = (later ? interim_programs_ : programs_).insert(lowered.program).second && is_new,
      .is_interim = later};
}

SINTER_INLINE void State::compile_later(std::shared_ptr<const Variant> interim) {
  runtime::run_in_background(
      std::make_shared<CompileVariant>(weak_from_this(), std::move(interim)));
}

SINTER_INLINE void State::compile_later(const Hash& key, std::shared_ptr<const Segment> interim) {
  runtime::run_in_background(
      std::make_shared<CompileSegment>(weak_from_this(), key, std::move(interim)));
}

// Compiles `graph`; `finish` gets what came of it, under the mutex. What fails is said once.
template <class Finish>
void State::finish_later(const Graph& graph, const LowerOptions& options, Finish finish) noexcept {
  try {
    const Lowered lowered = jit::lower(graph, options);
    const std::lock_guard lock(mutex_);
    note_work(lowered.work);
    finish(lowered);
  } catch (const std::exception& error) {
    note_background_failure(error);
  }
}

SINTER_INLINE void State::note_background_failure(const std::exception& error) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(background_failure_was_said_, true)) return;
  warn(text(label(), ": compiling in the background failed, calls stay on the eager backend: ",
            error.what()));
}

SINTER_INLINE void CompileVariant::run() noexcept {
  const std::shared_ptr<State> state = state_.lock();
  if (state == nullptr) return;
  const LowerOptions options =
      state->lower_options(interim_->recording.updates(), interim_->recording.device);
  state->finish_later(interim_->recording.graph, options,
                      [&](const Lowered& lowered) { state->replace(interim_, lowered); });
}

SINTER_INLINE void CompileSegment::run() noexcept {
  const std::shared_ptr<State> state = state_.lock();
  if (state == nullptr) return;
  // By the position among the inputs of the graph, as they were made for the interim program.
  const LowerOptions options = state->lower_options(interim_->updates, interim_->device);
  state->finish_later(interim_->graph, options, [&](const Lowered& lowered) {
    auto segment = std::make_shared<Segment>(*interim_);
    if (segment->callee != nullptr) segment->callee = state->callee(interim_->graph, options);
    segment->is_interim = false;
    segment->runnable =
        runnable_of(interim_->graph, options.updates, lowered.program, lowered.symbols);
    for (std::size_t i = 0; i < segment->runnable.outputs.size(); ++i) {
      segment->runnable.outputs[i].updates = interim_->runnable.outputs[i].updates;
    }
    state->interim_programs_.erase(interim_->runnable.program);
    state->programs_.insert(lowered.program);
    state->segments_.replace(key_, *interim_, std::move(segment));
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
