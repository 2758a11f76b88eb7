#pragma once

#include <algorithm>  // std::all_of

#include <sinter/graph/print.hpp>
#include <sinter/jit/segment.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/trace/value_hash.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE bool fits(const Segment& segment, const Tape& tape) {
  return std::all_of(
      segment.numbers.begin(), segment.numbers.end(), [&](const NumberOnTape& number) {
        return number.is_input || bits_of_number(*tape.values()[number.position]) == number.bits;
      });
}

SINTER_INLINE std::vector<std::string> lines_of(const Graph& graph) {
  std::vector<std::string> result(1);
  for (const char letter : to_string(graph)) {
    letter == '\n' ? result.push_back("") : result.back().push_back(letter);
  }
  return result;
}

// The line of a node; of an input, that of the first operation that reads it.
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

// In which line two graphs differ, as the segments number `graph` of two runs.
SINTER_INLINE Difference difference(const Graph& before, const Graph& now, std::size_t graph) {
  const std::vector<std::string> expected = lines_of(before), found = lines_of(now);
  std::size_t line = 0;
  while (line < expected.size() && line < found.size() && expected[line] == found[line]) ++line;
  if (line == expected.size() && line == found.size()) return {};
  const auto text_of = [line](const std::vector<std::string>& lines) {
    if (line >= lines.size()) return std::string("nothing");
    const std::size_t type = lines[line].find(": ");  // behind the number of the node
    return type == std::string::npos ? lines[line] : lines[line].substr(type + 2);
  };
  return {text("operation ", line, " of graph ", graph), text_of(expected), text_of(found),
          line_of(now, line)};
}

}  // namespace detail

SINTER_INLINE Difference difference(const RunReport& before, const RunReport& now) {
  for (std::size_t i = 0; i < std::min(before.segments.size(), now.segments.size()); ++i) {
    Difference result = detail::difference(before.segments[i]->graph, now.segments[i]->graph, i);
    if (!result.place.empty()) return result;
  }
  return {};
}

SINTER_INLINE std::shared_ptr<const Segment> Segments::find(const Hash& key,
                                                            const Tape& tape) const {
  const std::lock_guard lock(mutex_);
  const auto known = segments_.find(key);
  if (known == segments_.end()) return nullptr;
  for (auto segment = known->second.rbegin(); segment != known->second.rend(); ++segment) {
    if (detail::fits(**segment, tape)) return *segment;
  }
  return nullptr;
}

SINTER_INLINE bool Segments::knows_numbers(const Hash& kind, std::size_t numbers) const {
  const std::lock_guard lock(mutex_);
  return numbers_.knows(kind, numbers);
}

SINTER_INLINE std::vector<bool> Segments::choose_inputs(const Hash& kind,
                                                        std::span<const std::uint64_t> numbers,
                                                        bool may_differ) {
  const std::lock_guard lock(mutex_);
  return numbers_.choose(kind, numbers, may_differ);
}

SINTER_INLINE void Segments::add(const Hash& key, std::shared_ptr<const Segment> segment) {
  const std::lock_guard lock(mutex_);
  if (count_ == most) segments_.clear(), numbers_.clear(), count_ = 0;
  segments_[key].push_back(std::move(segment));
  ++count_;
}

SINTER_INLINE void Segments::replace(const Hash& key, const Segment& segment,
                                     std::shared_ptr<const Segment> next) {
  const std::lock_guard lock(mutex_);
  for (std::shared_ptr<const Segment>& known : segments_[key]) {
    if (known.get() == &segment) known = next;
  }
}

SINTER_INLINE void Segments::clear() {
  const std::lock_guard lock(mutex_);
  segments_.clear(), numbers_.clear();
  count_ = 0;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
