#pragma once
// From a random program to its graph; and programs that together reach the whole table.

#include <map>
#include <tuple>

#include "control_steps.hpp"
#include "movement_steps.hpp"
#include "row_tile_steps.hpp"

namespace random_program {

inline void write(Writer& to, const Step& step) {
  to.seed(step.seed);
  if (is_elementwise(step.op)) return detail::write_elementwise(to, step);
  if (is_reduction(step.op)) return detail::write_reduction(to, step);
  if (is_movement(step.op)) return detail::write_movement(to, step);
  switch (info(step.op).kind) {
    case OpKind::leaf:
      return detail::write_leaf(to, step);
    case OpKind::row:
      return detail::write_row(to, step);
    case OpKind::contraction:
      if (is_floating(step.dtype) && to.below(3) == 0) return detail::write_block(to, step);
      return detail::write_product(to, step);
    case OpKind::indexed:
      return step.op == Op::concatenate ? detail::write_concatenate(to, step)
                                        : detail::write_indexed(to, step);
    default:
      return step.op == Op::cond         ? detail::write_cond(to, step)
             : step.op == Op::while_loop ? detail::write_while(to, step)
                                         : detail::write_scan(to, step);
  }
}

/// The graph of `program`; its outputs are the values that no operation reads, and one other.
inline Graph make(const Program& program) {
  Writer writer(program);
  for (const Step& step : program.steps) write(writer, step);
  Vector<bool> is_read(writer.graph.nodes.size());
  for (const Node& node : writer.graph.nodes) {
    for (const Value input : node.inputs) is_read[input.node] = true;
  }
  writer.seed(program.seed);
  for (const Value value : writer.values()) {
    const bool is_input = writer.graph[value.node].op == Op::input;
    const bool is_chosen = !is_input && writer.below(20) == 0;
    if (!is_read[value.node] || is_chosen) writer.graph.outputs.push_back(value);
  }
  if (program.output >= 0) {
    writer.graph.outputs = {writer.graph.outputs.at(static_cast<std::size_t>(program.output))};
  }
  return writer.graph;
}

/// An operation, and the dtype and rank of what it reads first.
using Signature = std::tuple<Op, DType, int>;
using Counts = std::map<Signature, int>;

inline std::vector<Signature> allowed_signatures() {
  std::vector<Signature> result;
  const DType dtypes[]{boolean, u8, i8, i16, i32, i64, f16, bf16, f32, f64};
  for (std::size_t op = 0; op < op_count; ++op) {
    for (const DType dtype : dtypes) {
      for (int rank = 0; rank <= most_axes; ++rank) {
        if (is_allowed(static_cast<Op>(op), dtype, rank)) {
          result.emplace_back(static_cast<Op>(op), dtype, rank);
        }
      }
    }
  }
  return result;
}

/// Counts the nodes that an output of `graph` needs.
inline void count(const Graph& graph, Counts& counts) {
  Vector<bool> needed(graph.nodes.size());
  for (const Value output : graph.outputs) needed[output.node] = true;
  for (NodeId id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
    if (!needed[id]) continue;
    const Node& node = graph[id];
    for (const Value input : node.inputs) needed[input.node] = true;
    const bool reads = !node.inputs.empty() && node.op != Op::random_bits;
    const std::size_t first = node.op == Op::select || node.op == Op::cond ? 1
                              : node.op == Op::while_loop                  ? 1
                              : node.op == Op::scan                        ? 1
                                                                           : 0;
    const TensorType& type = reads ? graph.type(node.inputs[first]) : node.results[0];
    ++counts[{node.op, type.dtype, type.shape.size()}];
  }
}

/// Programs of those signatures that came least often until now.
class Source {
 public:
  explicit Source(unsigned seed) : engine_(seed) {}

  Program next() {
    Program program{.seed = static_cast<unsigned>(engine_())};
    program.symbolic = engine_() % 3 == 0;
    program.strict = engine_() % 3 == 0;
    const std::size_t length = 8 + engine_() % 10;
    for (std::size_t i = 0; i < length; ++i) {
      const Signature target = least_of(6);
      program.steps.push_back({std::get<0>(target), std::get<1>(target), std::get<2>(target),
                               static_cast<unsigned>(engine_())});
    }
    count(make(program), counts_);
    return program;
  }
  const Counts& counts() const { return counts_; }

 private:
  // Of some signatures the one that came least often.
  Signature least_of(int candidates) {
    static const std::vector<Signature> all = allowed_signatures();
    Signature best = all[engine_() % all.size()];
    for (int i = 1; i < candidates; ++i) {
      const Signature other = all[engine_() % all.size()];
      if (counts_[other] < counts_[best]) best = other;
    }
    return best;
  }

  std::mt19937 engine_;
  Counts counts_{};
};

}  // namespace random_program
