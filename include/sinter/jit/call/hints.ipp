#pragma once

#include <algorithm>  // std::min
#include <cstdint>    // std::int64_t
#include <exception>  // std::exception
#include <string>     // std::string
#include <utility>    // std::move
#include <vector>     // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/text.hpp>
#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/device.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/call/hints.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/runtime/host/thread_pool.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// A program is timed this long, at least twice; the fastest run counts.
inline constexpr double most_seconds_of_hint = 0.1;
inline constexpr int most_runs_of_hint = 50;
// What a hint has to save: differences below are noise.
inline constexpr double least_share_of_hint = 0.05, least_seconds_of_hint = 1e-6;

// One option to try.
struct Trial {
  std::string option;  // ".numerics = Numerics::fast"
  LowerOptions lowering;
  bool is_static = false;  // with the sizes of the call as numbers
  int threads = 0;
};

// "12.3 us"
inline std::string microseconds(double seconds) {
  const auto tenths = static_cast<std::int64_t>(seconds * 1e7 + 0.5);
  return text(tenths / 10, ".", tenths % 10, " us");
}

// The options that may make the function faster than those that it has.
SINTER_INLINE Vector<Trial> trials_of(const State& state, const Variant& variant) {
  const CompileOptions& options = state.options();
  const Recording& recording = variant.recording;
  LowerOptions usual = state.lower_options(recording.updates(), recording.device);
  const bool is_gpu = recording.device.is_cuda();
  Vector<Trial> result;
  const auto add = [&](std::string option, auto change) {
    Trial trial{.option = std::move(option), .lowering = usual};
    change(trial);
    result.push_back(std::move(trial));
  };
  if (usual.custom != nullptr) return result;
  if (usual.backend != Backend::fused) {
    add(".backend = Backend::fused", [](Trial& one) { one.lowering.backend = Backend::fused; });
    return result;
  }
  if (!usual.interpreted.empty()) {
    add("interpret left out", [](Trial& one) { one.lowering.interpreted.clear(); });
  }
  if (options.numerics == Numerics::strict) {
    add(".numerics = Numerics::fast", [](Trial& one) { one.lowering.numerics = Numerics::fast; });
  }
  if (!usual.tunes) {
    add(".mode = Mode::max_autotune", [&](Trial& one) {
      set_mode(one.lowering, Mode::max_autotune, std::min(options.autotune_seconds, 1.0));
      one.lowering.tunes_in_background = false;
    });
  }
  if (is_gpu && !usual.graphs) {
    add(".mode = Mode::reduce_overhead",
        [](Trial& one) { set_mode(one.lowering, Mode::reduce_overhead, 0); });
  }
  if (!recording.guard.is_static()) {
    add("sizes that are numbers, with mark_static or .dynamic = Dynamic::off",
        [](Trial& one) { one.is_static = true; });
  }
  const int threads = options.threads == 0 ? runtime::num_threads() : options.threads;
  if (!is_gpu && threads > 1) add(".threads = 1", [](Trial& one) { one.threads = 1; });
  return result;
}

// The arguments of a call, with copies of those that it updates.
class ArgumentsOfTrial {
 public:
  explicit ArgumentsOfTrial(const CallFrame& frame)
      : leaves_(frame.leaves().begin(), frame.leaves().end()) {
    const Recording& recording = frame.variant->recording;
    if (recording.changes_structure) return;
    copies_.reserve(recording.changed.size());
    for (const std::int32_t changed : recording.changed) {
      guard::Leaf& leaf = leaves_[static_cast<std::size_t>(changed)];
      const Storage& elements = elements_of(*leaf.tensor);
      copies_.push_back(
          Tensor(make_evaluated(leaf.tensor->type(), copied_to(elements, elements.device()))));
      leaf.tensor = &copies_.back();
    }
  }
  Span<const guard::Leaf> leaves() const { return leaves_; }

 private:
  std::vector<Tensor> copies_{};
  Vector<guard::Leaf> leaves_;
};

// The seconds of a run of `variant` on these arguments.
SINTER_INLINE double seconds_of(const Variant& variant, const ArgumentsOfTrial& arguments,
                                Span<const std::int64_t> symbols, int threads, Where where) {
  const runtime::ThreadLimit limit(threads);
  const Device device = variant.recording.device;
  CallMemory memory;
  double least = 1e9, total = 0;
  for (int i = 0; i < most_runs_of_hint && (i < 3 || total < most_seconds_of_hint); ++i) {
    bind_inputs(variant, arguments.leaves(), memory, where);
    if (device.is_cuda()) synchronize(device);
    const double start = seconds_now();
    static_cast<void>(run(variant, arguments.leaves(), symbols, memory));
    if (device.is_cuda()) synchronize(device);
    const double seconds = seconds_now() - start;
    if (i > 0) least = std::min(least, seconds);  // the first run warms up, and may tune
    total += seconds;
    memory.tensors.clear(), memory.draw.reset();
  }
  return least;
}

// The variant compiled for a trial.
SINTER_INLINE Variant variant_of(const Trial& trial, const CallFrame& frame) {
  Variant result{.recording = frame.variant->recording};
  Graph& graph = result.recording.graph;
  if (trial.is_static) {
    graph = map_extents(std::move(graph), [&](Extent extent) {
      return Extent(evaluate(extent, Span<const std::int64_t>(frame.symbols)));
    });
  }
  LoweredProgram lowered = lower(graph, trial.lowering);
  result.runnable = runnable_of(graph, trial.lowering.updates, std::move(lowered.program),
                                std::move(lowered.symbols));
  return result;
}

}  // namespace detail

SINTER_INLINE void log_hints(const State& state, const CallFrame& frame) {
  const detail::ArgumentsOfTrial arguments(frame);
  const int threads = state.options().threads;
  std::vector<std::pair<double, std::string>> found;  // seconds, and the option
  try {
    const auto seconds = [&](const Variant& variant, int limit) {
      return detail::seconds_of(variant, arguments, frame.symbols, limit, state.where());
    };
    const double usual = seconds(*frame.variant, threads);
    for (const detail::Trial& trial : detail::trials_of(state, *frame.variant)) {
      const Variant variant = detail::variant_of(trial, frame);
      const double saved = usual - seconds(variant, trial.threads == 0 ? threads : trial.threads);
      if (saved < usual * detail::least_share_of_hint || saved < detail::least_seconds_of_hint) {
        continue;
      }
      found.emplace_back(saved,
                         text(trial.option, " would save ", detail::microseconds(saved), " of the ",
                              detail::microseconds(usual), " of a call: tried with its arguments"));
    }
  } catch (const std::exception& error) {  // of a compiler, or not enough memory
    log(Log::perf, text(state.label(), ": no more hints: ", error.what()));
  }
  stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [saved, line] : found) log(Log::perf, text(state.label(), ": ", line));
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
