#pragma once

#include <algorithm>  // std::max

#include <sinter/base/container/algorithm.hpp>
#include <sinter/codegen/cuda/nest/packs.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

// True if a thread takes 8 points of 16 bits: 16-byte accesses keep more bytes in flight.
SINTER_INLINE bool CudaPacks::takes_eight_points() const {
  Extent points = 1;
  for (const Loop& loop : layout_.grid) points *= loop.extent;
  return proven_divisible(layout_.grid.back().extent, 8) &&
         bounds(points).max >= context_.target.cuda.points_for_eight &&
         layout_.kernel.instructions.size() <= context_.target.cuda.most_instructions_for_eight;
}

// Elements per pack: 16 bytes of the widest argument; at most 8 if `eight`, else at most 4.
SINTER_INLINE int CudaPacks::pack_lanes(bool eight) const {
  std::size_t widest = eight ? 2 : 4;
  for (const schedule::Argument& argument : layout_.kernel.arguments) {
    widest = std::max(widest, info(argument.dtype).size);
  }
  const std::int64_t most = bounds(layout_.grid.back().extent).max;
  const int lanes = static_cast<int>(16 / widest);
  return most >= 4 * lanes ? lanes : 1;
}

// An index that is read from memory may differ between neighbours.
SINTER_INLINE bool CudaPacks::are_neighbours(ValueId id) const {
  const int stage = dependence(id).stage, position = layout_.vector_loop(stage);
  if (position < 0 || !memory_.contiguous(id)) return false;
  const Extent rest = without(at(id).index, layout_.loop(stage, position).variable);
  return (layout_.loops_of(rest, stage) >> position & 1) == 0;
}

// Decides as names_.condition() does, which cannot be called here: its text needs open loops.
SINTER_INLINE bool CudaPacks::is_unguarded(ValueId id) const {
  for (const Guard& guard : at(id).guards) {
    if (!proven_less_equal(guard.low, guard.value)) return false;
    if (!proven_less(guard.value, guard.high)) return false;
  }
  for (const Extent variable : variables(at(id).index)) {
    const ValueId bind = layout_.bind_of(variable);
    if (bind >= 0 && !proven_less(0, at(bind).bound)) return false;
  }
  return true;
}

SINTER_INLINE bool CudaPacks::packed(ValueId id) const {
  const int position = layout_.vector_loop(dependence(id).stage);
  const bool open = position >= 0 && position < static_cast<int>(names_.frames.size());
  return pack_ > 1 && open && names_.frames[position].unroll == pack_ &&
         (dependence(id).loops >> position & 1) != 0 && !at(id).accumulate && are_neighbours(id) &&
         is_unguarded(id);
}

SINTER_INLINE bool CudaPacks::may_be_moved(ValueId id) const {
  const bool stores = at(id).code == Code::store;
  const auto& body = layout_.kernel.stages[dependence(id).stage].body;
  return none_of(body, [&](ValueId other) {
    return other != id && at(other).argument == at(id).argument &&
           (stores || at(other).code == Code::store);
  });
}

SINTER_INLINE std::string CudaPacks::pack_type(DType dtype, int lanes) {
  return lanes == 1 ? std::string(memory_type(dtype)) : text(memory_name(dtype), "x", lanes);
}

SINTER_INLINE void CudaPacks::write_load(ValueId id, const Instance& instance) {
  if (!packed(id)) return memory_.write_load(id, instance);
  const auto last = static_cast<std::size_t>(layout_.vector_loop(dependence(id).stage));
  if (instance[last] != 0) return;
  const std::string pack = text("w", id), type = pack_type(argument(at(id)).dtype, pack_);
  out_.line(
      text("const ", type, " ", pack, " = load_", type, "(", memory_.address(id, instance), ");"));
  Instance neighbour = instance;
  for (int lane = 0; lane < pack_; ++lane) {
    neighbour[last] = lane;
    values_.declare(id, neighbour, memory_.read(id, text(pack, ".lane[", lane, "]")));
  }
}

SINTER_INLINE void CudaPacks::write_store(ValueId id, const Instance& instance) {
  if (!packed(id)) return memory_.write_store(id, instance);
  const auto last = static_cast<std::size_t>(layout_.vector_loop(dependence(id).stage));
  if (instance[last] != 0) return;
  const DType dtype = argument(at(id)).dtype;
  std::string values;
  Instance neighbour = instance;
  for (int lane = 0; lane < pack_; ++lane) {
    neighbour[last] = lane;
    const std::string value = values_.operand(at(id).operands[0], neighbour, false);
    values += text(lane == 0 ? "" : ", ", stored(dtype, value));
  }
  const std::string type = pack_type(dtype, pack_);
  out_.line({"store_", type, "(", memory_.address(id, instance), ", ", values, ");"},
            at(id).remark);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
