#pragma once

#include <algorithm>  // std::find, std::max, std::min

#include <sinter/codegen/cuda/nest/columns.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

inline constexpr int threads_of_columns = 512;
// Neighbouring columns that a block reads at once: those of 128 bytes, of fewer where blocks are
// too few for the multiprocessors, but whole sectors of memory.
inline constexpr int most_columns = 32, fewest_columns = 8, enough_blocks = 128;
// With so many columns, a thread has one of its own: rows need not be shared.
inline constexpr std::int64_t many_columns = std::int64_t{1} << 19;
inline constexpr std::int64_t most_part_bytes = 32 << 10;           // of shared memory
inline constexpr int most_rows_at_once = 4, most_early_words = 40;  // of a thread

}  // namespace detail

// Whether threads may combine what they have of a column: not where sums keep their order, nor
// where a thread has a row of its own.
SINTER_INLINE bool CudaColumns::may_share_rows() const {
  for (const schedule::Argument& argument : layout_.kernel.arguments) {
    if (argument.access == Access::local) return false;
  }
  for (const Instruction& one : layout_.kernel.instructions) {
    if (one.code == Code::running || one.code == Code::combine || one.accumulate) return false;
    const bool rounds = one.op == Op::sum || one.op == Op::prod;
    if (one.code == Code::reduce && strict_ && rounds && is_floating(one.dtype)) return false;
  }
  return true;
}

SINTER_INLINE std::int64_t CudaColumns::longest_column() const {
  std::int64_t result = 1;
  for (std::size_t i = 0; i < layout_.stages.size(); ++i) {
    if (layout_.stages[i].empty()) continue;
    const int stage = static_cast<int>(i);
    result = std::max(result, bounds(layout_.loop(stage, shared_position(stage)).extent).max);
  }
  return result;
}

// Of shared memory, for what the warps of a block combine.
SINTER_INLINE std::int64_t CudaColumns::part_bytes() const {
  std::int64_t result = 0;
  for (const Instruction& one : layout_.kernel.instructions) {
    if (one.code == Code::reduce) result += one.op == Op::argmax ? 16 : 8;
  }
  return result * detail::threads_of_columns / 32 * detail::most_columns;
}

SINTER_INLINE int CudaColumns::shared_position(int stage) const {
  const auto& loops = layout_.stages[static_cast<std::size_t>(stage)];
  std::size_t longest = 0;
  for (std::size_t i = 1; i < loops.size(); ++i) {
    if (bounds(loops[i].extent).max > bounds(loops[longest].extent).max) longest = i;
  }
  return layout_.grid_depth() + static_cast<int>(longest);
}

SINTER_INLINE void CudaColumns::share_columns(const Extent& columns) {
  if (!may_share_rows()) return;
  const Extent last = layout_.grid.back().extent;
  pack_ = pack_lanes(false);
  if (!proven_divisible(last, pack_)) pack_ = 1;
  const std::int64_t most = bounds(columns).max, length = longest_column();
  const std::int64_t own = most == unbounded ? 1 : std::max<std::int64_t>(most / pack_, 1);
  int across = 1, rows = 1;
  while (across * pack_ < detail::most_columns && across < bounds(last).max / pack_) across *= 2;
  while (across * pack_ > detail::fewest_columns && own / across < detail::enough_blocks &&
         most != unbounded) {
    across /= 2;
  }
  const auto more = [&] {
    return across * rows < detail::threads_of_columns && rows * 8 <= length &&
           own * rows < detail::many_columns;
  };
  while (more()) rows *= 2;
  if (rows == 1 || part_bytes() > detail::most_part_bytes) {
    pack_ = 1;
    return;
  }
  while (across * rows < 32) across *= 2;  // a warp is whole
  for (std::size_t i = 0; pack_ > 1 && i < layout_.values.size(); ++i) {
    if (layout_.kernel.instructions[i].argument < 0) continue;
    const auto id = static_cast<ValueId>(i);
    layout_.values[i].has_base &= !are_neighbours(id);  // one address for all of a pack
  }
  block_ = {across, rows};
  all_live_ = proven_divisible(columns, std::int64_t{pack_} * across);
}

// Whether a thread may read `id` some iterations before it computes with it.
SINTER_INLINE bool CudaColumns::may_be_early(ValueId id) const {
  const Instruction& one = at(id);
  if (one.code != Code::load || argument(one).access != Access::read) return false;
  const Dependence& value = dependence(id);
  const auto& loops = layout_.stages[static_cast<std::size_t>(value.stage)];
  if (value.depth != layout_.grid_depth() + static_cast<int>(loops.size())) return false;
  for (const Extent variable : variables(one.index)) {
    if (layout_.bind_of(variable) >= 0) return false;
  }
  const int vector = layout_.vector_loop(value.stage);
  const bool by_lane = pack_ > 1 && vector >= 0 && (value.loops >> vector & 1) != 0;
  return is_unguarded(id) && may_be_moved(id) && (!by_lane || packed(id));
}

SINTER_INLINE bool CudaColumns::is_early(ValueId id) const {
  return std::find(early_.begin(), early_.end(), id) != early_.end();
}

// As many as registers are enough for; 1 if nothing is read early. What is computed in f64, or made
// f32, needs the registers.
SINTER_INLINE int CudaColumns::rows_at_once(const std::vector<ValueId>& loads) const {
  if (registers().widest_words() > 1) return 1;
  std::size_t bytes = 0;
  for (const ValueId id : loads) {
    const std::size_t size = info(argument(at(id)).dtype).size;
    if (size == 2) return 1;
    bytes += size * static_cast<std::size_t>(packed(id) ? pack_ : 1);
  }
  int steps = loads.empty() ? 1 : detail::most_rows_at_once;
  while (steps > 1 && bytes * static_cast<std::size_t>(steps) > detail::most_early_words * 4) {
    steps /= 2;
  }
  return steps;
}

// "for (int step = 0; step < 4; ++step)", of which each has a row `name`.
SINTER_INLINE void CudaColumns::write_steps_of(const std::string& name, const Extent& length,
                                               int steps, int stage, const std::string& integer,
                                               FunctionRef<void()> write) {
  out_.line("#pragma unroll");
  const auto loop = out_.block(text("for (int step = 0; step < ", steps, "; ++step)"));
  out_.line(text("const ", integer, " ", name, " = first + step * ", block_.rows, ";"));
  if (!proven_divisible(length, std::int64_t{block_.rows} * steps)) {
    out_.line(text("if (", name, " >= ", c_index(length, stage, {}), ") break;"));
  }
  write();
}

// "w5[step] = load_f32x4(in0 + 4096*k0);"
SINTER_INLINE void CudaColumns::write_early_load(ValueId id) {
  const auto last = static_cast<std::size_t>(layout_.vector_loop(dependence(id).stage));
  for_each_instance(dependence(id).loops, [&](const Instance& instance) {
    const bool pack = packed(id);
    if (pack && instance[last] != 0) return;
    const std::string type = pack_type(argument(at(id)).dtype, pack_);
    const std::string value =
        pack ? text("load_", type, "(", address(id, instance), ")") : element(id, instance);
    out_.line(text("w", id, "[step] = ", value, ";"), at(id).remark);
  });
}

SINTER_INLINE bool CudaColumns::write_rows_at_once(int stage, const std::string& integer) {
  const int position = shared_position(stage);
  const std::string name = loop_name(stage, position);
  const Extent length = layout_.loop(stage, position).extent;
  frames_.push_back({name, 1, 1});
  std::vector<ValueId> loads;
  for (const ValueId id : layout_.kernel.stages[static_cast<std::size_t>(stage)].body) {
    if (may_be_early(id)) loads.push_back(id);
  }
  const int steps = rows_at_once(loads);
  if (steps > 1) {
    const auto loop =
        out_.block(text("for (", integer, " first = threadIdx.x / ", block_.columns, "; first < ",
                        c_index(length, stage, {}), "; first += ", block_.rows * steps, ")"));
    for (const ValueId id : loads) {
      const int lanes = packed(id) ? pack_ : 1;
      out_.line(text(pack_type(argument(at(id)).dtype, lanes), " w", id, "[", steps, "];"));
    }
    write_steps_of(name, length, steps, stage, integer, [&] {
      for (const ValueId id : loads) write_early_load(id);
    });
    early_ = loads;
    write_steps_of(name, length, steps, stage, integer, [&] { write_innermost(stage); });
    early_.clear();
  }
  frames_.pop_back();
  return steps > 1;
}

SINTER_INLINE void CudaColumns::write_load(ValueId id, const Instance& instance) {
  if (!is_early(id)) return CudaRows::write_load(id, instance);
  if (!packed(id)) return declare(id, instance, read(id, text("w", id, "[step]")));
  const auto last = static_cast<std::size_t>(layout_.vector_loop(dependence(id).stage));
  declare(id, instance, read(id, text("w", id, "[step].lane[", instance[last], "]")));
}

// "column_sum_f32<8>(a4, parts4)"
SINTER_INLINE void CudaColumns::write_column_result(ValueId id, const Instance& instance) {
  const ValueType type = accumulator_type(id);
  const bool argmax = at(id).op == Op::argmax;
  const std::string number = text(id, instance_name(dependence(id).loops, instance));
  const int parts = block_.columns * block_.rows / 32 * block_.columns;
  std::string operands = accumulator(id, instance, 0);
  if (argmax) operands += ", " + position(id, instance);
  out_.line(text("__shared__ ", type_name({type.dtype}), " parts", number, "[", parts, "];"));
  if (argmax) out_.line(text("__shared__ long places", number, "[", parts, "];"));
  operands += text(", parts", number, argmax ? text(", places", number) : "");
  declare(id, instance,
          text("column_", at(id).op, "_", suffix(type), "<", block_.columns, ">(", operands, ")"));
}

SINTER_INLINE std::string CudaColumns::column_condition(int stage) const {
  if (!layout_.stages[static_cast<std::size_t>(stage)].empty()) return all_live_ ? "" : "live";
  return text(all_live_ ? "" : "live && ", "threadIdx.x < ", block_.columns);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
