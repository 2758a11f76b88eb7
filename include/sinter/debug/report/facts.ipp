#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/debug/report/facts.hpp>
#include <sinter/debug/report/json.hpp>
#include <sinter/debug/report/program_facts.hpp>
#include <sinter/debug/report/sources.hpp>
#include <sinter/guard/failure.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

SINTER_INLINE std::string stats_json(const Stats& stats) {
  return JsonObject()
      .add("calls", stats.calls)
      .add("recordings", stats.recordings)
      .add("graphs", stats.graphs)
      .add("breaks", stats.breaks)
      .add("variants", stats.variants)
      .add("recompiles", stats.recompiles)
      .add("eager_calls", stats.eager_calls)
      .add("kernels", stats.kernels)
      .add("launches", stats.launches)
      .add("bytes_read", stats.bytes_read)
      .add("bytes_written", stats.bytes_written)
      .add("allocations", stats.allocations)
      .add("peak_bytes", stats.peak_bytes)
      .add("compiler_runs", stats.compiler_runs)
      .add("kernels_compiled", stats.kernels_compiled)
      .add("disk_hits", stats.disk_hits)
      .add("record_seconds", stats.record_seconds)
      .add("compile_seconds", stats.compile_seconds)
      .add("initialize_seconds", stats.initialize_seconds)
      .add("pass_seconds", stats.pass_seconds)
      .add("plan_seconds", stats.plan_seconds)
      .add("emit_seconds", stats.emit_seconds)
      .add("first_run_seconds", stats.first_run_seconds)
      .add("interpreted", stats.interpreted)
      .str();
}

SINTER_INLINE std::string options_json(const CompileOptions& options) {
  constexpr const char* backends[] = {"eager", "aot_eager", "fused"};
  constexpr const char* modes[] = {"standard", "reduce_overhead", "max_autotune",
                                   "max_autotune_no_cuda_graphs"};
  constexpr const char* dynamics[] = {"automatic", "on", "off"};
  return JsonObject()
      .add_text("backend", backends[static_cast<int>(options.backend)])
      .add_text("mode", modes[static_cast<int>(options.mode)])
      .add_text("dynamic", dynamics[static_cast<int>(options.dynamic)])
      .add_text("numerics", options.numerics == Numerics::fast ? "fast" : "strict")
      .add_flag("fullgraph", options.fullgraph)
      .add_flag("background", options.background)
      .add("recompile_limit", std::int64_t{options.recompile_limit})
      .str();
}

// The programs have the texts.
SINTER_INLINE Explanation without_texts(Explanation explanation) {
  for (GraphInfo& graph : explanation.graphs) graph.text.clear();
  for (KernelInfo& kernel : explanation.kernels) kernel.source.clear();
  return explanation;
}

// What the facts of one compiled function are collected with.
struct FactsBuilder {
  const jit::History& history;
  StringTable strings{};
  ProgramFacts programs{strings};

  // Inputs: leaves of the arguments, random state, captured tensors. Outputs: results, new values.
  static GraphNames names_of(const jit::Recording& recording) {
    GraphNames result;
    for (const guard::LeafGuard& leaf : recording.guard.leaves) result.inputs.push_back(leaf.name);
    result.inputs.resize(recording.leaves);
    if (recording.is_random) result.inputs.insert(result.inputs.end(), {"seed", "offset"});
    result.inputs.resize(recording.graph.inputs.size(), "captured");
    for (std::size_t i = 0; i < recording.results; ++i) {
      result.outputs.push_back(recording.results == 1 ? "result" : text("result ", i));
    }
    for (const std::int32_t leaf : recording.changed) {
      result.outputs.push_back("new " + result.inputs[static_cast<std::size_t>(leaf)]);
    }
    return result;
  }

  static std::string text_list(const std::vector<std::string>& texts) {
    std::vector<std::string> values;
    for (const std::string& one : texts) values.push_back(json_utf8(one));
    return json_values(values);
  }

  std::vector<std::int64_t> programs_of(const jit::Variant& variant,
                                        const std::vector<std::int64_t>& symbols) {
    const jit::Recording& recording = variant.recording;
    return programs.add(recording.graph, variant.runnable, symbols, names_of(recording));
  }

  std::vector<std::int64_t> programs_of(const jit::TraceReport& report) {
    std::vector<std::int64_t> result;
    for (const auto& segment : report.segments) {
      const auto numbers = programs.add(segment->graph, segment->runnable, report.symbols, {});
      result.insert(result.end(), numbers.begin(), numbers.end());
    }
    return result;
  }

  std::string breaks_json(const std::vector<Break>& breaks) {
    std::vector<std::string> result;
    for (const Break& found : breaks) {
      result.push_back(JsonObject()
                           .add_text("reason", found.reason)
                           .add("line", strings.index(sinter::to_string(found.where)))
                           .add_text("fix", found.fix)
                           .str());
    }
    return json_values(result);
  }

  // Of any sizes.
  static bool is_same(const jit::TraceReport& a, const jit::TraceReport& b) {
    return a.segments == b.segments;
  }

  // Of prepared variants that no call used yet, the sizes are not known.
  std::vector<std::int64_t> symbols_of(const jit::Variant& variant) const {
    const std::size_t count = variant.recording.guard.symbols.size();
    if (history.last.variant != nullptr && history.last.variant->use == variant.use) {
      return history.last.symbols;
    }
    if (variant.use->symbols.size() == count) return variant.use->symbols;
    return std::vector<std::int64_t>(count, 1);
  }

  std::string recording_json(const jit::Variant& variant) {
    const jit::VariantUse& use = *variant.use;
    const bool is_last =
        history.last.variant != nullptr && history.last.variant->use == variant.use;
    return JsonObject()
        .add_text("reason", use.reason)
        .add_flag("traced", false)
        .add_flag("last", is_last)
        .add("calls", use.calls)
        .add_text("device", text(variant.recording.device))
        .add("guards", text_list(guard::describe(variant.recording.guard)))
        .add("breaks", std::string_view("[]"))
        .add("kernels_compiled", use.work.kernels_compiled)
        .add("disk_hits", use.work.disk_hits)
        .add("compiler_runs", use.work.compiler_runs)
        .add("compile_seconds", use.work.seconds)
        .add("programs", json_numbers(programs_of(variant, symbols_of(variant))))
        .str();
  }

  std::string recording_json(const jit::TracedRecording& recording) {
    const bool is_last =
        history.last.variant == nullptr && is_same(recording.report, history.last.trace);
    return JsonObject()
        .add_text("reason", recording.reason)
        .add_flag("traced", true)
        .add_flag("last", is_last)
        .add("guards", std::string_view("[]"))
        .add("breaks", breaks_json(recording.report.breaks))
        .add("programs", json_numbers(programs_of(recording.report)))
        .str();
  }

  std::string recordings_json() {
    std::vector<std::string> result;
    for (const auto& variant : history.variants) result.push_back(recording_json(*variant));
    for (const auto& traced : history.traced) result.push_back(recording_json(traced));
    return json_values(result);
  }

  std::string last_json() {
    const jit::LastCall& last = history.last;
    std::vector<std::int64_t> result, derived;
    result = last.variant != nullptr ? programs_of(*last.variant, last.symbols)
                                     : programs_of(last.trace);
    for (const jit::DerivativeRun& run : last.derived) {
      for (const std::int64_t one :
           programs.add(run.runnable->program->graph(), *run.runnable, run.symbols, {})) {
        derived.push_back(one);
      }
    }
    return JsonObject()
        .add("programs", json_numbers(result))
        .add("derivatives", json_numbers(derived))
        .add("breaks", breaks_json(history.explanation.breaks))
        .str();
  }

  std::string summary() const {
    const Stats& stats = history.stats;
    return JsonObject()
        .add_text("name", history.name.empty() ? "compiled function" : history.name)
        .add_text("where", sinter::to_string(history.where))
        .add("calls", stats.calls)
        .add("recordings",
             static_cast<std::int64_t>(history.variants.size() + history.traced.size()))
        .add("breaks", stats.breaks)
        .add("launches", stats.launches)
        .add("bytes", stats.bytes_read + stats.bytes_written)
        .add("peak_bytes", stats.peak_bytes)
        .add("compile_seconds", stats.compile_seconds)
        .add("threads", std::int64_t{runtime::num_threads()})
        .add_text("version",
                  text(SINTER_VERSION_MAJOR, ".", SINTER_VERSION_MINOR, ".", SINTER_VERSION_PATCH))
        .str();
  }
};

}  // namespace detail

SINTER_INLINE std::string facts_json(const jit::History& history,
                                     FunctionRef<std::string(StringTable& strings)> profile) {
  detail::FactsBuilder builder{history};
  builder.strings.index(sinter::to_string(history.where));
  JsonObject facts;
  facts.add("options", detail::options_json(history.options));
  facts.add("stats", detail::stats_json(history.stats));
  facts.add("explanation", to_json(detail::without_texts(history.explanation)));
  facts.add("recordings", builder.recordings_json());
  facts.add("last", builder.last_json());
  facts.add("programs", builder.programs.json());
  facts.add("profile", profile(builder.strings));
  facts.add("strings", builder.strings.json());
  facts.add("sources", excerpts_json(builder.strings.list()));
  return text("{\"summary\": ", builder.summary(), ",\n", facts.str().substr(1), "\n");
}

SINTER_INLINE std::string summary_of(const std::string& facts) {
  const std::string_view start = "{\"summary\": ";
  const std::size_t end = facts.find(",\n");
  if (facts.compare(0, start.size(), start) != 0 || end == std::string::npos) return "{}";
  return facts.substr(start.size(), end - start.size());
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
