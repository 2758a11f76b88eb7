#pragma once

#include <algorithm>  // std::max

#include <sinter/codegen/cuda_packs.hpp>
#include <sinter/symbol/interval.hpp>

namespace sinter::inline SINTER_ABI::codegen {

// 16 bytes of the widest argument, at most 4 numbers.
SINTER_INLINE int CudaPacks::pack_lanes() const {
  std::size_t widest = 4;
  for (const schedule::Argument& argument : layout_.kernel.arguments) {
    widest = std::max(widest, info(argument.dtype).size);
  }
  const std::int64_t most = bounds(layout_.grid.back().extent).max;
  const int lanes = static_cast<int>(16 / widest);
  return most >= 4 * lanes ? lanes : 1;
}

SINTER_INLINE bool CudaPacks::packed(ValueId id) const {
  const bool unrolled = !frames_.empty() && frames_.back().unroll == pack_;
  return pack_ > 1 && unrolled && contiguous(id) && condition(id, {}).empty() &&
         !at(id).accumulate && dependence(id).depth == layout_.grid_depth();
}

SINTER_INLINE std::string CudaPacks::pack_type(ValueId id) const {
  const DType dtype = argument(at(id)).dtype;
  const bool half = dtype == f16 || dtype == bf16;
  return text(half ? "u16" : to_string(dtype), "x", pack_);
}

SINTER_INLINE void CudaPacks::write_load(ValueId id, const Instance& instance) {
  if (!packed(id)) return Memory::write_load(id, instance);
  const std::size_t last = instance.size() - 1;
  if (instance[last] != 0) return;
  const std::string pack = text("w", id), type = pack_type(id);
  out_.line(text("const ", type, " ", pack, " = load_", type, "(", address(id, instance), ");"));
  Instance neighbour = instance;
  for (int lane = 0; lane < pack_; ++lane) {
    neighbour[last] = lane;
    declare(id, neighbour, read(id, text(pack, ".lane[", lane, "]")));
  }
}

SINTER_INLINE void CudaPacks::write_store(ValueId id, const Instance& instance) {
  if (!packed(id)) return Memory::write_store(id, instance);
  const std::size_t last = instance.size() - 1;
  if (instance[last] != 0) return;
  const DType dtype = argument(at(id)).dtype;
  const bool half = dtype == f16 || dtype == bf16;
  std::string values;
  Instance neighbour = instance;
  for (int lane = 0; lane < pack_; ++lane) {
    neighbour[last] = lane;
    const std::string value = operand(at(id).operands[0], neighbour, false);
    values += text(lane == 0 ? "" : ", ", half ? text(dtype, "_of_f32(", value, ")") : value);
  }
  const std::string type = pack_type(id);
  out_.line(text("store_", type, "(", address(id, instance), ", ", values, ");"), at(id).remark);
}

}  // namespace sinter::inline SINTER_ABI::codegen
