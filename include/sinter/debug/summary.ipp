#pragma once

#include <algorithm>  // std::max
#include <cstdint>    // std::int64_t

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/debug/machine/system.hpp>
#include <sinter/debug/summary.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/region.hpp>
#include <sinter/jit/record/tracer.hpp>
#include <sinter/jit/run/cache_miss.hpp>
#include <sinter/trace/module/scope.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

// The results of modules in a recording, by their paths.
class ModuleResults final : public ValueObserver {
 public:
  void observe(const std::string& path, std::string_view name, const Tensor& value,
               Where) override {
    if (!name.empty()) return;
    ++calls[path];
    if (first.count(path) == 0) first[path] = value;
  }

  SortedMap<std::string, Tensor> first{};
  SortedMap<std::string, std::int64_t> calls{};
};

// Multiply-adds by module path, for the sizes of the call that was recorded.
class MultiplyAdds {
 public:
  explicit MultiplyAdds(const Recorder& recorder) : recorder_(recorder) {}

  void count(const Graph& graph, std::int64_t times);
  // Those of the module at `path`, with the modules in it.
  std::int64_t of(const std::string& path) const {
    std::int64_t result = 0;
    for (const auto& [each, number] : numbers_) {
      const bool inside = path.empty() || each == path || each.rfind(path + ".", 0) == 0;
      if (inside) result += number;
    }
    return result;
  }

 private:
  void count(const Graph& graph, const Node& node, std::int64_t times);

  const Recorder& recorder_;
  SortedMap<std::string, std::int64_t> numbers_{};
};

SINTER_INLINE void MultiplyAdds::count(const Graph& graph, std::int64_t times) {
  for (const Node& node : graph.nodes) count(graph, node, times);
}

SINTER_INLINE void MultiplyAdds::count(const Graph& graph, const Node& node, std::int64_t times) {
  if (node.op == Op::dot_general) {
    Extent number = numel(node.results[0].shape);
    const Shape& lhs = graph.type(node.inputs[0]).shape;
    for (const std::int64_t axis : numbers(node, "lhs_contract")) {
      number *= lhs[static_cast<int>(axis)];
    }
    const std::string path = node.path == nullptr ? "" : *node.path;
    numbers_[path.substr(0, path.size() - region_of(node.path).size())] +=
        times * recorder_.hint(number);
  } else if (node.op == Op::call) {  // its second body is its gradient
    if (!node.bodies.empty()) count(node.bodies[0], times);
  } else if (node.op == Op::scan) {
    Vector<TensorType> types;
    for (const Value& input : node.inputs) types.push_back(graph.type(input));
    count(node.bodies[0], times * recorder_.hint(scan_length(node, types)));
  } else {  // one run of a while_loop, and both branches of a cond
    for (const Graph& body : node.bodies) count(body, times);
  }
}

// A line of the table.
struct Row {
  std::string module{}, type{}, output{};
  std::int64_t parameters = 0, multiply_adds = 0, bytes = 0;
  bool was_called = false, is_innermost = false;
};

// The sums below the table.
struct Sums {
  std::int64_t parameters = 0, parameter_bytes = 0, buffer_bytes = 0;
};

class SummaryTable {
 public:
  SummaryTable(const Recorder& recorder, const ModuleResults& results, const MultiplyAdds& work)
      : recorder_(recorder), results_(results), work_(work) {}

  // Adds a line for `member`, the module at `path`, and for the modules in it.
  void add(const MemberText& member, const std::string& path, const std::string& name,
           std::size_t depth);
  void add_result(const Tensor& result) { root_ = result; }
  std::string text(const MemberText& root, const std::string& inputs,
                   std::int64_t input_bytes) const;

 private:
  void add_members(const MemberText& member, const std::string& path, const std::string& prefix,
                   std::size_t depth);
  void set_output(Row& row, const std::string& path) const;

  const Recorder& recorder_;
  const ModuleResults& results_;
  const MultiplyAdds& work_;
  Tensor root_{};
  Vector<Row> rows_{};
};

SINTER_INLINE Sums sums_of(const MemberText& member) {
  Sums result{.parameters = member.parameters};
  (member.parameters != 0 ? result.parameter_bytes : result.buffer_bytes) = member.bytes;
  for (const MemberText& each : member.members) {
    const Sums inner = sums_of(each);
    result.parameters += inner.parameters;
    result.parameter_bytes += inner.parameter_bytes;
    result.buffer_bytes += inner.buffer_bytes;
  }
  return result;
}

SINTER_INLINE std::int64_t bytes_of(const TensorType& type, const Recorder& recorder) {
  return recorder.hint(numel(type.shape)) * static_cast<std::int64_t>(info(type.dtype).size);
}

// "f32[s0, 10]": sizes that may vary are symbols.
SINTER_INLINE std::string type_text(const TensorType& type, const Recorder& recorder) {
  return text(type.dtype, symbolic_text(recorder.resolve(type.shape)));
}

SINTER_INLINE void SummaryTable::set_output(Row& row, const std::string& path) const {
  const auto found = results_.first.find(path);
  const bool is_root = path.empty() && root_.defined();
  if (found == results_.first.end() && !is_root) return;
  const TensorType& type = found == results_.first.end() ? root_.type() : found->second.type();
  row.was_called = true;
  row.output = type_text(type, recorder_);
  row.bytes = bytes_of(type, recorder_);
  const auto calls = results_.calls.find(path);
  if (calls == results_.calls.end() || calls->second == 1) return;
  row.output += sinter::detail::text(" x ", calls->second);
  row.bytes *= calls->second;
}

SINTER_INLINE void SummaryTable::add(const MemberText& member, const std::string& path,
                                     const std::string& name, std::size_t depth) {
  Row row{.module = std::string(2 * depth, ' ') + name,
          .type = member.text,
          .parameters = sums_of(member).parameters,
          .multiply_adds = work_.of(path)};
  set_output(row, path);
  const std::size_t at = rows_.size();
  rows_.push_back(std::move(row));
  add_members(member, path, "", depth + 1);
  rows_[at].is_innermost = rows_.size() == at + 1;
}

// Modules in containers are called "layers.0".
SINTER_INLINE void SummaryTable::add_members(const MemberText& member, const std::string& path,
                                             const std::string& prefix, std::size_t depth) {
  for (const MemberText& each : member.members) {
    const std::string inner = path.empty() ? each.name : path + "." + each.name;
    if (each.is_module) {
      add(each, inner, prefix + each.name, depth);
    } else {
      add_members(each, inner, prefix + each.name + ".", depth);
    }
  }
}

// 1234567 as "1,234,567".
SINTER_INLINE std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

// Cells of a column: `right` aligned, or left.
SINTER_INLINE void add_column(Vector<std::string>& lines, const Vector<std::string>& cells,
                              bool right) {
  std::size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string space(width - cells[i].size(), ' ');
    lines[i] += sinter::detail::text(lines[i].empty() ? "" : "  ", right ? space : "", cells[i],
                                     right ? "" : space);
  }
}

SINTER_INLINE std::string SummaryTable::text(const MemberText& root, const std::string& inputs,
                                             std::int64_t input_bytes) const {
  Vector<std::string> lines(rows_.size() + 1);
  const auto column = [&](std::string head, bool right, auto cell) {
    Vector<std::string> cells{std::move(head)};
    for (const Row& row : rows_) cells.push_back(cell(row));
    add_column(lines, cells, right);
  };
  const auto number = [](std::int64_t value) { return value == 0 ? "-" : grouped(value); };
  column("module", false, [](const Row& row) { return row.module; });
  column("type", false, [](const Row& row) { return row.type; });
  column("output", false, [](const Row& row) { return row.was_called ? row.output : "-"; });
  column("parameters", true, [&](const Row& row) { return number(row.parameters); });
  column("multiply-adds", true, [&](const Row& row) { return number(row.multiply_adds); });
  column("output bytes", true, [&](const Row& row) { return number(row.bytes); });
  std::string result;
  std::int64_t innermost = 0;
  for (const Row& row : rows_) innermost += row.is_innermost ? row.bytes : 0;
  for (std::string& line : lines) {
    while (line.back() == ' ') line.pop_back();
    result += line + "\n";
  }
  const Sums sums = sums_of(root);
  const auto bytes = [](std::int64_t count) {
    return bytes_text(static_cast<std::uint64_t>(count));
  };
  return result + sinter::detail::text(
                      "\n", grouped(sums.parameters), " parameters, ", bytes(sums.parameter_bytes),
                      "; buffers ", bytes(sums.buffer_bytes), "\n", grouped(work_.of("")),
                      " multiply-adds for ", inputs, "\ninputs ", bytes(input_bytes),
                      ", outputs of the innermost modules ", bytes(innermost));
}

SINTER_INLINE std::string summary_of(const ModuleTextBuilder& members, const jit::AnyCall& call,
                                     Where where) {
  const CompileOptions options{.name = "summary"};
  const jit::CallSignature signature = call.signature();
  jit::Tracer tracer(signature.leaves, call, options, {}, where);
  ModuleResults results;
  jit::TracedCall traced;
  {
    const ScopedValueObserver scope(&results);
    traced =
        jit::trace_call(tracer, call, [&](const guard::Leaves& leaves) { tracer.begin(leaves); });
  }
  const jit::Recording recording =
      tracer.make_recording(traced.after.leaves, traced.copies->names().leaves, traced.results,
                            signature.structure, traced.after.structure);
  const Recorder& recorder = tracer.recorder();
  MultiplyAdds work(recorder);
  work.count(recording.graph, 1);
  SummaryTable table(recorder, results, work);
  if (!traced.results.list.empty()) table.add_result(*traced.results.list[0].tensor);
  const MemberText& root = members.tree();
  table.add(root, "", root.text, 0);
  std::string inputs;
  std::int64_t input_bytes = 0;
  for (std::size_t i = 0; i < tracer.placeholders().size(); ++i) {
    if (tracer.names()[i].rfind("self", 0) == 0) continue;  // a member
    const TensorType& type = tracer.placeholders()[i].type();
    Shape sizes;
    for (const Extent extent : type.shape) sizes.push_back(recorder.hint(extent));
    inputs += text(inputs.empty() ? "" : ", ", type.dtype, sizes);
    input_bytes += bytes_of(type, recorder);
  }
  return table.text(root, inputs, input_bytes);
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
