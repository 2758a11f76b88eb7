#pragma once
// What may be compiled, what may not be interpreted, and why something is.

#include <algorithm>  // std::count_if

#include <sinter/base/log.hpp>
#include <sinter/compile/host_compiler.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE std::string missing_compiler(Device device) {
  return device.is_cuda() ? "there is no NVRTC"
                          : text("there is no C++ compiler: ", compiler::host_compiler_missing());
}

}  // namespace detail

SINTER_INLINE OnMiss State::on_miss_of_prepare() {
  return is_frozen_.load(std::memory_order_relaxed) ? OnMiss::refuse : OnMiss::compile;
}

SINTER_INLINE OnMiss on_recompile() {
  const Stance stance = current_stance();
  if (stance == Stance::fail_on_recompile) return OnMiss::refuse;
  return stance == Stance::eager_on_recompile ? OnMiss::interpret : OnMiss::compile;
}

SINTER_INLINE OnMiss State::on_miss() {
  if (is_frozen_.load(std::memory_order_relaxed)) return OnMiss::refuse;
  const OnMiss result = on_recompile();
  if (result == OnMiss::compile) return result;
  const std::lock_guard lock(mutex_);
  return has_compiled() ? result : OnMiss::compile;
}

SINTER_INLINE OnMiss State::on_miss_of_derived(std::uint64_t evaluation) {
  if (is_frozen_.load(std::memory_order_relaxed)) return OnMiss::refuse;
  const std::lock_guard lock(mutex_);
  if (first_evaluation_ == 0) first_evaluation_ = evaluation;
  return first_evaluation_ == evaluation ? OnMiss::compile : on_recompile();
}

SINTER_INLINE bool State::demands_code() const {
  return options_.force_compiled || current_stance() == Stance::force_compiled;
}

SINTER_INLINE void State::require_code(const Program& program) const {
  if (!program.is_interpreted()) return;
  const std::string asks = options_.force_compiled ? "force_compiled" : "Stance::force_compiled";
  const std::string fix =
      options_.backend != Backend::fused
          ? "compile the function with Backend::fused; or call it under another stance"
          : text(
                "install g++ or clang++, set SINTER_CXX, or give load_cache a file with its "
                "kernels; without ",
                asks, " it is interpreted");
  throw CompilerError({.op = name_.empty() ? "compile" : name_,
                       .what = "there is no compiled code for the call",
                       .facts = {{"reason", why_interpreted(program, true, false)}},
                       .rule = text("under ", asks, " nothing is interpreted"),
                       .fix = fix,
                       .where = where_,
                       .see = "without-a-section"});
}

SINTER_INLINE void State::replace(const std::shared_ptr<const Variant>& interim,
                                  const Lowered& lowered) {
  const LowerOptions options =
      lower_options(interim->recording.updates(), interim->recording.device);
  auto variant = make_variant(interim->recording, options, lowered);
  variant->result = interim->result, variant->arguments = interim->arguments;
  for (auto& known : variants_) {
    if (known == interim) known = variant;
  }
}

SINTER_INLINE void State::compile_now(const std::shared_ptr<const Variant>& variant) {
  const Turn turn(compile_turns_, hash_of(variant->recording.graph));
  const Lowered lowered =
      jit::lower(variant->recording.graph,
                 lower_options(variant->recording.updates(), variant->recording.device));
  require_code(*lowered.program);
  const std::lock_guard lock(mutex_);
  note_work(lowered.work);
  replace(variant, lowered);
}

// Those that are being compiled in the background do not count.
SINTER_INLINE std::int64_t State::count_interpreted() const {
  const auto variants = std::count_if(variants_.begin(), variants_.end(), [](const auto& variant) {
    return variant->is_interpreted && !variant->is_interim;
  });
  const auto graphs = std::count_if(programs_.begin(), programs_.end(),
                                    [](const auto& program) { return program->is_interpreted(); });
  return variants + graphs;
}

SINTER_INLINE void State::freeze() {
  const bool demands = demands_code();
  const std::lock_guard lock(mutex_);
  std::string reason;
  for (const auto& variant : variants_) {
    if (variant->is_interim || !variant->is_interpreted) continue;
    if (demands) require_code(*variant->runnable.program);
    reason = why_interpreted(*variant->runnable.program, true, false);
  }
  for (const auto& program : programs_) {
    if (!program->is_interpreted()) continue;
    if (demands) require_code(*program);
    reason = why_interpreted(*program, true, false);
  }
  const bool was_frozen = is_frozen_.exchange(true, std::memory_order_relaxed);
  if (was_frozen || reason.empty() || options_.backend != Backend::fused) return;
  warn(text(label(), ": frozen, and ", count_interpreted(), " of what it runs is interpreted: ",
            reason, "; with .force_compiled = true prepare throws in that case"));
}

SINTER_INLINE std::string State::why_interpreted(const Program& program, bool is_kept,
                                                 bool is_interim) const {
  if (!program.is_interpreted()) return {};
  if (options_.backend == Backend::eager) return "Backend::eager";
  if (options_.backend == Backend::aot_eager) return "Backend::aot_eager";
  if (is_interim) return "it is being compiled in the background";
  if (is_kept) return detail::missing_compiler(program.device());
  return is_full() ? text("recompile_limit = ", options_.recompile_limit, " is reached")
                   : "Stance::eager_on_recompile";
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
