#pragma once

#include <algorithm>  // std::max

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/debug/report/control_grouping.hpp>
#include <sinter/debug/report/program_facts.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/schedule/control/section.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

SINTER_INLINE std::string kernels_json(const Vector<Source>& sources, StringTable& strings) {
  std::vector<std::string> result;
  for (const Source& source : sources) {
    result.push_back(
        JsonObject().add_text("name", source.name).add("text", strings.index(source.text)).str());
  }
  return json_values(result);
}

// A launch, with the bytes that stats() counts.
SINTER_INLINE std::string launch_json(const schedule::Launch& launch, StringTable& strings,
                                      Span<const std::int64_t> symbols) {
  std::vector<std::int64_t> lines, kernels, lowered(launch.lowered.begin(), launch.lowered.end());
  for (const Where& line : launch.lines) lines.push_back(strings.index(sinter::to_string(line)));
  for (const std::int32_t kernel : schedule::kernels_of(launch)) kernels.push_back(kernel);
  return JsonObject()
      .add("kernel", std::int64_t{launch.kernel})
      .add("kernels", json_numbers(kernels))
      .add("runs", static_cast<std::int64_t>(std::max<std::size_t>(launch.entries.size(), 1)))
      .add("read", evaluate(launch.bytes_read, symbols))
      .add("written", evaluate(launch.bytes_written, symbols))
      .add("operations", evaluate(launch.operations, symbols))
      .add("lines", json_numbers(lines))
      .add("groups", json_numbers(lowered))
      .str();
}

SINTER_INLINE std::string launches_json(const schedule::Plan& plan, StringTable& strings,
                                        Span<const std::int64_t> symbols) {
  std::vector<std::string> result;
  for (const schedule::Launch* const launch : schedule::kernel_launches(plan)) {
    result.push_back(launch_json(*launch, strings, symbols));
  }
  return json_values(result);
}

// The bytes of a buffer, its place in the arena, -1 outside of it, and the launches of the plan
// between which it lives.
struct BufferLife {
  std::int64_t bytes = 0, offset = 0, first = -1, last = -1;
};

SINTER_INLINE Vector<BufferLife> lives_of(const schedule::Plan& plan,
                                          Span<const std::int64_t> symbols) {
  Vector<BufferLife> result;
  for (const schedule::Buffer& buffer : plan.buffers) {
    const std::int64_t bytes =
        evaluate(buffer.elements, symbols) * static_cast<std::int64_t>(info(buffer.dtype).size);
    const bool in_arena = buffer.home == schedule::Home::arena;
    result.push_back({bytes, in_arena ? evaluate(buffer.offset, symbols) : -1});
  }
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    for (const std::int32_t id : plan.launches[i].buffers) {
      BufferLife& life = result[static_cast<std::size_t>(id)];
      life.last = static_cast<std::int64_t>(i);
      if (life.first < 0) life.first = life.last;
    }
  }
  return result;
}

// The name of each launch of the plan, in order, control flow included.
SINTER_INLINE std::string steps_json(const schedule::Plan& plan, const Vector<Source>& sources) {
  std::vector<std::string> result;
  for (const schedule::Launch& launch : plan.launches) {
    const bool is_control = launch.control >= 0;
    const std::string_view name =
        is_control ? info(plan.controls[static_cast<std::size_t>(launch.control)].op).name
                   : std::string_view(sources[static_cast<std::size_t>(launch.kernel)].name);
    result.push_back(json_text(name));
  }
  return json_values(result);
}

// The bytes of the buffers in `list`, each once; of a temporary in the memory of an output, none.
SINTER_INLINE std::int64_t bytes_of(const Vector<BufferLife>& lives,
                                    const Vector<std::int32_t>& list) {
  const SortedSet<std::int32_t> distinct(list.begin(), list.end());
  std::int64_t result = 0;
  for (const std::int32_t id : distinct) {
    if (lives[static_cast<std::size_t>(id)].offset < 0) {
      result += lives[static_cast<std::size_t>(id)].bytes;
    }
  }
  return result;
}

// Buffers of the arena as [bytes, offset, first launch, last launch]. Those of bodies of loops and
// branches are not listed.
SINTER_INLINE std::string memory_json(const schedule::Plan& plan, const Vector<Source>& sources,
                                      Span<const std::int64_t> symbols) {
  std::vector<std::string> buffers;
  const auto lives = lives_of(plan, symbols);
  for (const BufferLife& life : lives) {
    if (life.offset < 0 || life.first < 0) continue;
    buffers.push_back(json_numbers({life.bytes, life.offset, life.first, life.last}));
  }
  return JsonObject()
      .add("arena", evaluate(plan.arena_bytes, symbols))
      .add("inputs", bytes_of(lives, plan.inputs))
      .add("outputs", bytes_of(lives, plan.outputs))
      .add("steps", steps_json(plan, sources))
      .add("buffers", json_values(buffers))
      .str();
}

SINTER_INLINE std::string groups_json(const schedule::Grouping& grouping) {
  std::vector<std::string> groups;
  for (const std::vector<std::string>& lines : grouping.log) {
    std::vector<std::string> texts;
    for (const std::string& line : lines) texts.push_back(json_utf8(line));
    groups.push_back(json_values(texts));
  }
  return json_values(groups);
}

}  // namespace detail

SINTER_INLINE void ProgramFacts::add_one(const Graph* recorded, const jit::Program& program,
                                         const std::vector<std::int64_t>& symbols,
                                         const GraphNames& names) {
  JsonObject result;
  result.add_text("device", text(program.device()));
  result.add_flag("interpreted", program.is_interpreted());
  result.add("symbols", json_numbers(symbols));
  if (recorded != nullptr) result.add("recorded", graph_json(*recorded, names, strings_));
  const std::string optimized = graph_json(program.graph(), names, strings_);
  bool is_rewritten = true;  // by the schedule
  if (const schedule::Plan* const plan = program.plan()) {
    if (plan->options != nullptr) {
      const schedule::Grouping grouping = schedule::has_control(program.graph())
                                              ? control_grouping(program.graph(), *plan->options)
                                              : schedule::grouping(program.graph(), *plan->options);
      result.add("scheduled", graph_json(grouping.graph, names, strings_, &grouping.kernels));
      is_rewritten = graph_json(grouping.graph, names, strings_) != optimized;
      result.add("groups", detail::groups_json(grouping));
    }
    result.add("kernels", detail::kernels_json(program.sources(), strings_));
    result.add("launches", detail::launches_json(*plan, strings_, symbols));
    result.add("memory", detail::memory_json(*plan, program.sources(), symbols));
  }
  if (is_rewritten) result.add("optimized", optimized);
  list_.push_back(result.str());
}

SINTER_INLINE std::vector<std::int64_t> ProgramFacts::add(const Graph& graph,
                                                          const jit::Runnable& runnable,
                                                          const std::vector<std::int64_t>& symbols,
                                                          const GraphNames& names) {
  const std::vector<std::int64_t> own = program_symbols(runnable, symbols);
  for (const Known& known : known_) {
    if (known.program == runnable.program.get() && known.symbols == own) return known.numbers;
  }
  std::vector<std::int64_t> numbers{static_cast<std::int64_t>(list_.size())};
  add_one(&graph, *runnable.program, own, names);
  for (const jit::Runnable* const partition : runnable.program->partitions()) {
    numbers.push_back(static_cast<std::int64_t>(list_.size()));
    add_one(nullptr, *partition->program, program_symbols(*partition, own), {});
  }
  known_.push_back({runnable.program.get(), own, numbers});
  return numbers;
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
