#pragma once

#include <algorithm>  // std::min
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/text.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/jit/record/size_symbols.hpp>
#include <sinter/jit/record/tracer.hpp>
#include <sinter/jit/state/recompile_reason.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE guard::Guard guard_of_arguments(const CallSignature& call,
                                              Span<const std::string> names,
                                              Span<const guard::PlainValue> plain) {
  guard::Guard known{.structure = call.structure, .plain = {plain.begin(), plain.end()}};
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < call.leaves.list.size(); ++i) {
    const TensorType& type = call.leaves.list[i].tensor->type();
    known.leaves.push_back({.name = names[i], .dtype = type.dtype, .shape = type.shape});
    known.leaves.back().reasons.resize(static_cast<std::size_t>(type.shape.size()));
    tensors.push_back(*call.leaves.list[i].tensor);
  }
  note_devices(tensors, known);
  return known;
}

[[noreturn]] SINTER_INLINE void throw_refused(const guard::Failure& failure,
                                              const std::string& name, bool frozen, Where where) {
  const std::string assumed =
      failure.where.line() == 0 ? "" : text(", assumed at ", assumed_at(failure));
  throw RecompileLimitError(
      {.op = name.empty() ? "compile" : name,
       .what = "no compiled variant fits the call",
       .facts = {{"leaf", failure.leaf},
                 {"expected", failure.expected + assumed},
                 {"found", failure.found}},
       .rule = frozen ? "a frozen function compiles nothing new"
                      : "under Stance::fail_on_recompile only the first call compiles",
       .fix = text(failure.fix, failure.fix.empty() ? "" : "; or ",
                   "call prepare with arguments like these ", frozen ? "before freeze" : "first"),
       .where = where,
       .see = "recompiles"});
}

[[noreturn]] SINTER_INLINE void throw_at_limit(Requester requester, const std::string& name,
                                               int limit, std::string reason, Where where) {
  Report report{.op = requester == Requester::prepare ? "prepare"
                      : name.empty()                  ? "compile"
                                                      : name,
                .what = "recompile_limit is reached",
                .facts = {{"recompile_limit", text(limit)}},
                .rule = "a function compiles that many recordings",
                .fix = "give compile a higher recompile_limit, or mark what varies",
                .where = where,
                .see = "recompiles"};
  if (!reason.empty()) report.facts.push_back({"reason", std::move(reason)});
  throw RecompileLimitError(report);
}

[[noreturn]] SINTER_INLINE void throw_interpreted(const std::string& name,
                                                  const CompileOptions& options,
                                                  const std::string& why, Where where) {
  const std::string asks = options.force_compiled ? "force_compiled" : "Stance::force_compiled";
  const std::string fix =
      options.backend != Backend::fused
          ? "compile the function with Backend::fused; or call it under another stance"
          : text(
                "install g++ or clang++, set SINTER_CXX, or give load_cache a file with its "
                "kernels; without ",
                asks, " it is interpreted");
  throw CompilerError({.op = name.empty() ? "compile" : name,
                       .what = "there is no compiled code for the call",
                       .facts = {{"reason", why}},
                       .rule = text("under ", asks, " nothing is interpreted"),
                       .fix = fix,
                       .where = where,
                       .see = "without-a-section"});
}

// The guard of a traced call in which sizes that are symbols of its graphs, because they are marked
// or varied before, always match.
SINTER_INLINE guard::Guard with_free_sizes(const TracedArguments& run,
                                           const guard::Leaves& leaves) {
  guard::Guard known = run.guard;
  for (std::size_t i = 0; i < std::min(known.leaves.size(), leaves.list.size()); ++i) {
    const Shape &before = known.leaves[i].shape, &now = leaves.list[i].tensor->shape();
    Shape shape;
    for (int dim = 0; before.size() == now.size() && dim < now.size(); ++dim) {
      const Mark* const mark = mark_of(*leaves.list[i].tensor, dim);
      const bool is_marked = mark != nullptr && mark->kind != Mark::Kind::fixed;
      const bool is_free = is_marked || run.varying.count({i, dim}) != 0;
      shape.push_back(is_free ? now[dim] : before[dim]);
    }
    if (before.size() == now.size()) known.leaves[i].shape = shape;
  }
  return known;
}

SINTER_INLINE std::vector<std::string> lines_of(const Graph& graph) {
  std::vector<std::string> result(1);
  for (const char letter : to_string(graph)) {
    letter == '\n' ? result.push_back("") : result.back().push_back(letter);
  }
  return result;
}

// The line of a node; for an input, the line of the first operation that reads it.
SINTER_INLINE Where line_of(const Graph& graph, std::size_t node) {
  if (node >= graph.nodes.size() || graph.nodes[node].where.line() != 0) {
    return node < graph.nodes.size() ? graph.nodes[node].where : Where();
  }
  for (const Node& reader : graph.nodes) {
    for (const Value& operand : reader.inputs) {
      if (static_cast<std::size_t>(operand.node) == node) return reader.where;
    }
  }
  return {};
}

// The first line of text in which two graphs differ; `graph` is the number of their segment.
SINTER_INLINE Difference difference(const Graph& before, const Graph& now, std::size_t graph) {
  const std::vector<std::string> expected = lines_of(before), found = lines_of(now);
  std::size_t line = 0;
  while (line < expected.size() && line < found.size() && expected[line] == found[line]) ++line;
  if (line == expected.size() && line == found.size()) return {};
  const auto text_of = [line](const std::vector<std::string>& lines) {
    if (line >= lines.size()) return std::string("nothing");
    const std::size_t type = lines[line].find(": ");  // after the number of the node
    return type == std::string::npos ? lines[line] : lines[line].substr(type + 2);
  };
  return {text("operation ", line, " of graph ", graph), text_of(expected), text_of(found),
          line_of(now, line)};
}

}  // namespace detail

SINTER_INLINE guard::Failure failure_of_arguments(Span<const TracedArguments> runs,
                                                  const guard::Leaves& leaves,
                                                  const Hash& structure,
                                                  Span<const std::string> names,
                                                  Span<const guard::PlainValue> plain) {
  Optional<guard::Guard> nearest;
  std::int64_t least = 0;
  for (const TracedArguments& run : runs) {
    guard::Guard known = detail::with_free_sizes(run, leaves);
    const bool fits = matches(known, structure, leaves.list, {});
    const std::int64_t far = fits ? -1 : distance(known, structure, leaves.list, plain);
    if (nearest && far > least) continue;
    nearest = std::move(known), least = far;
  }
  if (nearest && least >= 0) {
    return first_failure(*nearest, structure, leaves.list, names, plain);
  }
  return {.leaf = "recorded operations",
          .expected = "those of an earlier call, with the same constants and captures",
          .found = "others",
          .fix = "pass what decides them as an argument, and a number that varies as a Scalar"};
}

SINTER_INLINE guard::Failure failure_of_nearest(Span<const SharedPtr<const Variant>> variants,
                                                const CallSignature& call,
                                                Span<const std::string> names,
                                                Span<const guard::PlainValue> plain) {
  const guard::Guard* nearest = nullptr;
  std::int64_t least = 0;
  for (const auto& variant : variants) {
    const guard::Guard& guard = variant->recording.guard;
    const std::int64_t far = distance(guard, call.structure, call.leaves.list, plain);
    if (nearest != nullptr && far > least) continue;
    nearest = &guard;
    least = far;
  }
  return first_failure(*nearest, call.structure, call.leaves.list, names, plain);
}

SINTER_INLINE Difference difference(const TraceReport& before, const TraceReport& now) {
  for (std::size_t i = 0; i < std::min(before.segments.size(), now.segments.size()); ++i) {
    Difference result = detail::difference(before.segments[i]->graph, now.segments[i]->graph, i);
    if (!result.place.empty()) return result;
  }
  return {};
}

namespace detail {

inline constexpr std::size_t max_readers = 8;

// True if `path` is that of the module or of one within it.
SINTER_INLINE bool is_within(const std::string* path, std::string_view module) {
  if (path == nullptr || !std::string_view(*path).starts_with(module)) return false;
  return path->size() == module.size() || (*path)[module.size()] == '.';
}

// "encoder at model.cpp:3 to model.cpp:9": the lines of the operations that a module recorded.
SINTER_INLINE std::string lines_of_module(const Graph& graph, std::string_view module) {
  Where first{}, last{};
  for (const Node& node : graph.nodes) {
    if (node.where.line() == 0 || !is_within(node.path, module)) continue;
    if (first.line() == 0) first = node.where;
    last = node.where;
  }
  if (first.line() == 0) return text("in ", module);
  const std::string from = sinter::to_string(first), to = sinter::to_string(last);
  return text("in ", module, ", ", from, from == to ? "" : text(" to ", to));
}

// The nodes that read input `leaf`, each line once: "add at model.cpp:4, in encoder".
SINTER_INLINE std::vector<std::string> readers_of(const Graph& graph, std::size_t leaf) {
  std::vector<std::string> result;
  if (leaf >= graph.inputs.size()) return result;
  for (const Node& node : graph.nodes) {
    const bool reads =
        any_of(node.inputs, [&](const Value& value) { return value.node == graph.inputs[leaf]; });
    if (!reads || node.where.line() == 0) continue;
    const CalledFunction called = called_function(node);
    const bool has_path = called.path != nullptr && !called.path->empty();
    std::string line = text(called.name, " at ", sinter::to_string(node.where),
                            has_path ? text(", in ", *called.path) : "");
    if (!contains(result, line)) result.push_back(std::move(line));
  }
  if (result.size() > max_readers) {
    const std::size_t more = result.size() - max_readers;
    result.resize(max_readers);
    result.push_back(text("and ", more, " more"));
  }
  return result;
}

}  // namespace detail

SINTER_INLINE std::string trace_of(const guard::Failure& failure, const Recording& recording,
                                   Where compiled) {
  const Graph& graph = recording.graph;
  std::string result = text("\n  compiled at ", sinter::to_string(compiled));
  const std::string path = failure.path == nullptr ? "" : *failure.path;
  for (std::size_t end = path.find('.'); !path.empty(); end = path.find('.', end + 1)) {
    result += text("\n  ", detail::lines_of_module(graph, path.substr(0, end)));
    if (end == path.npos) break;
  }
  if (failure.where.line() != 0) {
    result += text("\n  assumed at ", sinter::to_string(failure.where));
  }
  const auto& leaves = recording.guard.leaves;
  const auto leaf = find_if(leaves, [&](const auto& one) { return one.name == failure.leaf; });
  if (leaf == leaves.end()) return result;
  for (const std::string& reader :
       detail::readers_of(graph, static_cast<std::size_t>(leaf - leaves.begin()))) {
    result += text("\n  ", failure.leaf, " is read by ", reader);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
