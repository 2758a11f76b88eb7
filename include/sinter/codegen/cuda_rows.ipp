#pragma once

#include <sinter/codegen/cuda_rows.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string CudaRows::is_first_thread() const {
  if (share_.rows == 1) return "threadIdx.x == 0";
  return share_.threads == 1 ? "" : text("threadIdx.x % ", share_.threads, " == 0");
}

// Of those of a row that are a thread's: "threadIdx.x % 32 * 4".
SINTER_INLINE std::string CudaRows::first_element() const {
  if (share_.threads == 1) return "0";
  return text("threadIdx.x", share_.rows > 1 ? text(" % ", share_.threads) : "",
              share_.lanes > 1 ? text(" * ", share_.lanes) : "");
}

SINTER_INLINE void CudaRows::declare_part(const Part& one) {
  const int steps = passes(one) ? 1 : share_.steps;
  out_.line(text(pack_type(one.dtype, share_.lanes), " ", one.name, "[", steps, "];"));
}

// Those that begin in `stage`, all with -1, and do not pass by.
SINTER_INLINE void CudaRows::declare_parts(int stage) {
  for (const Part& one : held_) {
    if ((stage < 0 || one.stage == stage) && !passes(one)) declare_part(one);
  }
}

SINTER_INLINE void CudaRows::write_registers(const std::string& integer) {
  if (!in_registers()) return;
  declare_parts(-1);
  out_.line(text("const ", integer, " first = ", first_element(), ";"));
}

// Reads or writes `one`, from the element `begin` on.
SINTER_INLINE void CudaRows::write_transfer(const Part& one, int stage, bool stores,
                                            const std::string& begin) {
  const Extent length = layout_.loop(stage, last_position(stage)).extent;
  const Instruction& access = at(one.access);
  const int of = dependence(one.access).stage;
  const Extent index = one.combined ? index_in_chunk(access) : access.index;
  const Extent base = without(index, layout_.vector_variable(of));
  std::string from = one.combined ? chunk_name(access) : argument_name(access.argument);
  if (!same(base, 0)) from += text(" + ", c_index(base, of, {}));
  const std::string type =
      share_.lanes == 1 ? memory_name(one.dtype) : pack_type(one.dtype, share_.lanes);
  out_.line(text(stores ? "store" : "load", "_row_", type, "<", share_.threads * share_.lanes, ">(",
                 stores ? from : one.name, ", ", stores ? one.name : from, ", ", begin, ", ",
                 c_index(length, stage, {}), ");"),
            access.remark);
}

// What is read before `stage` computes, or written after it.
SINTER_INLINE void CudaRows::write_transfers(int stage, bool stored) {
  for (const Part& one : held_) {
    const bool fits = one.combined || one.stored == stored;
    if (one.access < 0 || one.stage != stage || !fits || passes(one)) continue;
    write_transfer(one, stage, stored, "first");
  }
}

// What is read before a step of `stage`, or written after it.
SINTER_INLINE void CudaRows::write_passing(int stage, bool stored, const std::string& begin) {
  for (const Part& one : held_) {
    const bool fits = one.combined || one.stored == stored;
    if (fits && passes(one, stage)) write_transfer(one, stage, stored, begin);
  }
}

SINTER_INLINE void CudaRows::write_row(int stage, int position, const std::string& integer) {
  if (in_registers()) return write_steps(stage, position, integer);
  const std::string end = c_index(layout_.loop(stage, position).extent, stage, {});
  const auto loop =
      out_.block(text("for (", integer, " first = ", first_element(), "; first < ", end,
                      "; first += ", share_.threads * share_.lanes * share_.steps, ")"));
  declare_parts(stage);
  write_steps(stage, position, integer);
}

// Loops that are unrolled, so that arrays are registers.
SINTER_INLINE void CudaRows::write_steps(int stage, int position, const std::string& integer) {
  const Extent length = layout_.loop(stage, position).extent;
  const std::string end = c_index(length, stage, {});
  const int stride = share_.threads * share_.lanes;
  const bool all = in_registers() && same(length, std::int64_t{stride} * share_.steps);
  write_transfers(stage, false);
  if (share_.steps > 1) {
    const std::string begin = text("first + step * ", stride);
    out_.line("#pragma unroll");
    const auto loop = out_.block(text("for (int step = 0; step < ", share_.steps, "; ++step)"));
    if (!all) out_.line(text("if (", begin, " >= ", end, ") break;"));
    for (const Part& one : held_) {
      if (passes(one, stage)) declare_part(one);
    }
    write_passing(stage, false, begin);
    write_pack(stage, position, begin, integer);
    write_passing(stage, true, begin);
  } else if (in_registers() && !all) {
    const auto inside = out_.block(text("if (first < ", end, ")"));
    write_pack(stage, position, "first", integer);
  } else {
    write_pack(stage, position, "first", integer);
  }
  write_transfers(stage, true);
}

SINTER_INLINE void CudaRows::write_pack(int stage, int position, const std::string& begin,
                                        const std::string& integer) {
  const std::string name = loop_name(stage, position);
  const auto write_element = [&](const std::string& element) {
    out_.line(text("const ", integer, " ", name, " = ", element, ";"));
    frames_.push_back({name, 1, 1});
    write_innermost(stage);
    frames_.pop_back();
  };
  if (share_.lanes == 1) return write_element(begin);
  const Extent length = layout_.loop(stage, position).extent;
  const bool divides = proven_divisible(length, share_.lanes);
  out_.line("#pragma unroll");
  const auto loop = out_.block(text("for (int lane = 0; lane < ", share_.lanes, "; ++lane)"));
  if (!divides) {
    out_.line(text("if (", begin, " + lane >= ", c_index(length, stage, {}), ") break;"));
  }
  write_element(begin + " + lane");
}

SINTER_INLINE std::int32_t CudaRows::part_of(ValueId id) const {
  return part_of_.empty() ? -1 : part_of_[static_cast<std::size_t>(id)];
}

// "x4[step].lane[lane]"
SINTER_INLINE std::string CudaRows::part_element(ValueId id) const {
  const Part& one = held_[static_cast<std::size_t>(part_of(id))];
  const bool by_steps = share_.steps > 1 && !passes(one);
  return text(one.name, by_steps ? "[step]" : "[0]", share_.lanes > 1 ? ".lane[lane]" : "");
}

SINTER_INLINE void CudaRows::write_load(ValueId id, const Instance& instance) {
  if (part_of(id) < 0) return CudaScans::write_load(id, instance);
  declare(id, instance, read(id, part_element(id)));
}

SINTER_INLINE void CudaRows::write_store(ValueId id, const Instance& instance) {
  if (part_of(id) < 0) return CudaScans::write_store(id, instance);
  const DType dtype = argument(at(id)).dtype;
  const bool half = dtype == f16 || dtype == bf16;
  const std::string value = operand(at(id).operands[0], instance, false);
  out_.line(text(part_element(id), " = ", half ? text(dtype, "_of_f32(", value, ")") : value, ";"),
            at(id).remark);
}

// "a4 = ordered_sum_f64(a4, v3, 1000 - k0 + threadIdx.x % 32);"
SINTER_INLINE void CudaRows::write_update(ValueId id, const Instance& instance) {
  const int stage = dependence(id).stage;
  if (!ordered_ || !is_ordered(id) || !shares_loop(stage)) {
    return CudaScans::write_update(id, instance);
  }
  const std::string sum = accumulator(id, instance, 0);
  const int position = last_position(stage);
  out_.line(text(sum, " = ordered_", at(id).op, "_", suffix(accumulator_type(id)), "(", sum, ", ",
                 operand(at(id).operands[0], instance, false), ", ",
                 c_index(layout_.loop(stage, position).extent, stage, {}), " - ",
                 loop_name(stage, position), " + threadIdx.x % 32);"),
            at(id).remark);
}

// "__shared__ float parts5[8];"
SINTER_INLINE std::string CudaRows::shared_parts(const std::string& name, const std::string& type) {
  out_.line(text("__shared__ ", type, " ", name, "[", share_.threads / 32, "];"));
  return name;
}

SINTER_INLINE void CudaRows::write_row_result(ValueId id, const Instance& instance) {
  const ValueType type = accumulator_type(id);
  const std::string best = accumulator(id, instance, 0);
  const std::string number = text(id, instance_name(dependence(id).loops, instance));
  const bool block = share_.threads > 32, argmax = at(id).op == Op::argmax;
  std::string value;
  if (ordered_ && is_ordered(id)) {
    value = text("__shfl_sync(~0u, ", best, ", 0)");
  } else if (share_.threads == 1) {
    value = argmax ? position(id, instance) : best;
  } else {
    std::string operands = best;
    if (argmax) operands += ", " + position(id, instance);
    if (block) operands += ", " + shared_parts("parts" + number, type_name({type.dtype}));
    if (block && argmax) operands += ", " + shared_parts("places" + number, "long");
    value = text(block ? "block_" : "row_", at(id).op, "_", suffix(type),
                 block ? "" : text("<", share_.threads, ">"), "(", operands, ")");
  }
  const bool half = at(id).dtype == f16 || at(id).dtype == bf16;
  declare(id, instance, half && strict_ ? rounded(value, at(id).dtype, false) : value);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
