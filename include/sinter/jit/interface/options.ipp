#pragma once

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/jit/interface/options.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE std::string json_text(std::string_view value) {
  std::string result = "\"";
  for (const char c : value) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (c == '\n') {
      result += "\\n";
    } else if (code < 0x20) {
      result += {'\\', 'u', '0', '0', "0123456789abcdef"[code >> 4], "0123456789abcdef"[code & 15]};
    } else {
      result += c;
    }
  }
  return result + "\"";
}

// A JSON list of write(element) for each element.
template <class List, class Write>
std::string json_list(const List& list, Write write) {
  std::string result;
  for (const auto& element : list) result += text(result.empty() ? "" : ", ", write(element));
  return "[" + result + "]";
}

// "12 ms", and " 7 %".
inline std::string milliseconds(double seconds) {
  return text(static_cast<std::int64_t>(seconds * 1e3 + 0.5), " ms");
}
inline std::string percent(double share) {
  const auto rounded = static_cast<std::int64_t>(share * 100 + 0.5);
  return text(rounded < 10 ? " " : "", rounded, " %");
}

SINTER_INLINE std::string json_lines(const std::vector<Where>& lines) {
  return json_list(lines, [](const Where& line) { return json_text(sinter::to_string(line)); });
}

namespace jit {

// Throws ValueError for a negative budget or number of threads.
inline void require_limits(const CompileOptions& options, const std::string& op, Where where) {
  if (!(options.compile_seconds >= 0) || options.memory_bytes < 0) {
    throw ValueError({.op = op,
                      .what = "a budget is negative",
                      .facts = {{"compile_seconds", text(options.compile_seconds)},
                                {"memory_bytes", text(options.memory_bytes)}},
                      .rule = "compile_seconds >= 0 and memory_bytes >= 0",
                      .fix = "0 is no limit",
                      .where = where});
  }
  if (options.threads < 0) {
    throw ValueError({.op = op,
                      .what = "a number of threads is not negative",
                      .facts = {{"threads", text(options.threads)}},
                      .rule = "threads >= 0",
                      .fix = "0 uses the threads of set_num_threads()",
                      .where = where});
  }
}

SINTER_INLINE void require_options(const CompileOptions& options, Where where) {
  const std::string op = options.name.empty() ? "compile" : std::string(options.name);
  if (!(options.autotune_seconds >= 0)) {
    throw ValueError({.op = op,
                      .what = "autotune_seconds is not a duration",
                      .facts = {{"autotune_seconds", text(options.autotune_seconds)}},
                      .rule = "autotune_seconds >= 0",
                      .fix = "0 uses cached choices and times nothing",
                      .where = where});
  }
  if (options.force_compiled && options.backend != Backend::fused) {
    throw ValueError(
        {.op = op,
         .what = "force_compiled is set for a backend that interprets",
         .facts = {{"backend",
                    options.backend == Backend::eager ? "Backend::eager" : "Backend::aot_eager"}},
         .rule = "only Backend::fused compiles",
         .fix = "remove one of the two options",
         .where = where});
  }
  require_limits(options, op, where);
  if (options.recompile_limit >= 1) return;
  throw ValueError({.op = op,
                    .what = "recompile_limit is too small",
                    .facts = {{"recompile_limit", text(options.recompile_limit)}},
                    .rule = "recompile_limit >= 1",
                    .fix = "use .backend = Backend::eager to compile nothing",
                    .where = where,
                    .see = "recompiles"});
}

}  // namespace jit

}  // namespace detail

SINTER_INLINE std::string to_string(const Explanation& explanation) {
  std::string result = detail::text(detail::quantity(explanation.graphs.size(), "graph"), ", ",
                                    detail::quantity(explanation.breaks.size(), "break"), ", ",
                                    detail::quantity(explanation.kernels.size(), "kernel"), "\n");
  const auto section = [&result](std::string_view title, const std::vector<std::string>& lines) {
    if (!lines.empty()) result += detail::text("\n", title, "\n");
    for (const std::string& line : lines) result += detail::text("  ", line, "\n");
  };
  for (const Break& found : explanation.breaks) {
    result += detail::text("\nbreak at ", to_string(found.where), ": ", found.reason, "; ",
                           found.fix, "\n");
  }
  for (const GraphInfo& graph : explanation.graphs) {
    result += detail::text("\ngraph of ", detail::quantity(graph.operations, "operation"));
    if (!graph.interpreted.empty()) result += detail::text(", interpreted: ", graph.interpreted);
    if (graph.compile_seconds != 0) {
      result += detail::text(", compiled in ", detail::milliseconds(graph.compile_seconds));
    }
    result += detail::text("\n", graph.text);
  }
  if (!explanation.regions.empty()) result += "\nregions, the most expensive first\n";
  for (const RegionInfo& region : explanation.regions) {
    result += detail::text("  ", detail::percent(region.share), "  ", region.name, ": ",
                           detail::quantity(region.operations, "operation"), ", ",
                           detail::quantity(region.kernels, "kernel"), ", ", region.flops,
                           " flops, ", region.bytes, " bytes\n");
  }
  section("guards", explanation.guards);
  section("recompiles", explanation.recompiles);
  for (const KernelInfo& kernel : explanation.kernels) {
    result += detail::text("\nkernel ", kernel.name, ", reads ", kernel.bytes_read,
                           " bytes, writes ", kernel.bytes_written, "\n", kernel.source);
  }
  return result;
}

SINTER_INLINE std::string to_json(const Explanation& explanation) {
  const auto graphs = detail::json_list(explanation.graphs, [](const GraphInfo& graph) {
    return detail::text(
        "{\"operations\": ", graph.operations, ", \"text\": ", detail::json_text(graph.text),
        graph.interpreted.empty()
            ? ""
            : detail::text(", \"interpreted\": ", detail::json_text(graph.interpreted)),
        graph.compile_seconds == 0 ? ""
                                   : detail::text(", \"compile_seconds\": ", graph.compile_seconds),
        "}");
  });
  const auto breaks = detail::json_list(explanation.breaks, [](const Break& found) {
    return detail::text("{\"reason\": ", detail::json_text(found.reason),
                        ", \"where\": ", detail::json_text(to_string(found.where)),
                        ", \"fix\": ", detail::json_text(found.fix), "}");
  });
  const auto kernels = detail::json_list(explanation.kernels, [](const KernelInfo& kernel) {
    return detail::text("{\"name\": ", detail::json_text(kernel.name),
                        ", \"source\": ", detail::json_text(kernel.source),
                        ", \"bytes_read\": ", kernel.bytes_read,
                        ", \"bytes_written\": ", kernel.bytes_written,
                        ", \"lines\": ", detail::json_lines(kernel.lines), "}");
  });
  const auto regions = detail::json_list(explanation.regions, [](const RegionInfo& region) {
    return detail::text("{\"name\": ", detail::json_text(region.name),
                        ", \"operations\": ", region.operations, ", \"kernels\": ", region.kernels,
                        ", \"flops\": ", region.flops, ", \"bytes\": ", region.bytes,
                        ", \"share\": ", region.share, "}");
  });
  return detail::text(
      "{\"graphs\": ", graphs, ", \"breaks\": ", breaks,
      ", \"guards\": ", detail::json_list(explanation.guards, detail::json_text),
      ", \"recompiles\": ", detail::json_list(explanation.recompiles, detail::json_text),
      ", \"kernels\": ", kernels, ", \"regions\": ", regions, "}");
}

}  // namespace sinter::inline SINTER_ABI
