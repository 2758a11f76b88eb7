#pragma once

#include <algorithm>  // std::max, std::min

#include <sinter/codegen/cuda_columns.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/proof.hpp>

namespace sinter::inline SINTER_ABI::codegen {

namespace detail {

inline constexpr int threads_of_columns = 512;
// Neighbouring columns that a block reads at once: those of 128 bytes, of fewer where blocks are
// too few for the multiprocessors, but whole sectors of memory.
inline constexpr int most_columns = 32, fewest_columns = 8, enough_blocks = 128;
// With so many columns, a thread has one of its own: rows need not be shared.
inline constexpr std::int64_t many_columns = std::int64_t{1} << 19;
inline constexpr std::int64_t most_part_bytes = 32 << 10;  // of shared memory

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
  pack_ = pack_lanes();
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

}  // namespace sinter::inline SINTER_ABI::codegen
