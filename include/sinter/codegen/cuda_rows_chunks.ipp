#pragma once

// What rows are combined to, column by column: in shared memory for the rows of a chunk, which the
// same threads compute one after another.

#include <array>  // std::array

#include <sinter/codegen/cuda_rows.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// What is f32 beside rows of 16 bits is read in packs of as many numbers.
inline constexpr std::int64_t chunk_alignment = 32;

}  // namespace detail

SINTER_INLINE bool CudaRows::combines() const { return has(layout_.kernel, Code::combine); }

// Of the rows that a block computes at once.
SINTER_INLINE Extent CudaRows::chunk_bytes(const Instruction& one) const {
  const Extent bytes = one.bound * static_cast<std::int64_t>(info(one.dtype).size) * share_.rows;
  return ceil_div(bytes, detail::chunk_alignment) * detail::chunk_alignment;
}

SINTER_INLINE Extent CudaRows::place_chunks(Extent used) {
  Extent bytes = ceil_div(used, detail::chunk_alignment) * detail::chunk_alignment;
  for (std::size_t i = 0; i < layout_.kernel.instructions.size(); ++i) {
    if (layout_.kernel.instructions[i].code != Code::combine) continue;
    bytes += chunk_bytes(layout_.kernel.instructions[i]);
    layout_.values[i].has_base = false;
  }
  return bytes;
}

// "c5": what has the results of a chunk.
SINTER_INLINE std::string CudaRows::chunk_name(const Instruction& one) {
  return text("c", one.argument);
}

SINTER_INLINE Extent CudaRows::index_in_chunk(const Instruction& one) const {
  return one.index - layout_.grid[0].variable * one.bound;
}

SINTER_INLINE void CudaRows::for_each_combine(FunctionRef<void(const Instruction&)> visit) const {
  for (const Instruction& one : layout_.kernel.instructions) {
    if (one.code == Code::combine) visit(one);
  }
}

SINTER_INLINE void CudaRows::write_shared_memory() {
  const std::int64_t alignment = combines() ? detail::chunk_alignment : 16;
  out_.line(text("extern __shared__ __align__(", alignment, ") unsigned char shared[];"));
}

// "float* const c5 = (float*)(shared + 4096) + threadIdx.x / 32 * 768;"
SINTER_INLINE void CudaRows::write_chunk_memory(Extent used) {
  if (same(used, 0)) write_shared_memory();
  Extent offset = ceil_div(used, detail::chunk_alignment) * detail::chunk_alignment;
  for_each_combine([&](const Instruction& one) {
    const std::string type(memory_type(one.dtype));
    const std::string row = share_.rows == 1 ? ""
                                             : text(" + threadIdx.x / ", share_.threads, " * ",
                                                    c_index(one.bound, 0, {}));
    out_.line(text(type, "* const ", chunk_name(one), " = (", type, "*)(shared + ",
                   c_index(offset, 0, {}), ")", row, ";"));
    offset += chunk_bytes(one);
  });
}

// "for (int i = threadIdx.x; i < 768; i += 256) c5[i] = 0.0f;"
SINTER_INLINE void CudaRows::write_for_chunk(const std::string& integer, const Instruction& one,
                                             const std::string& statement) {
  const std::string first =
      share_.rows == 1 ? "threadIdx.x" : text("threadIdx.x % ", share_.threads);
  out_.line(text("for (", integer, " i = ", first, "; i < ", c_index(one.bound, 0, {}),
                 "; i += ", share_.threads, ") ", statement));
}

SINTER_INLINE void CudaRows::write_chunk_begin(const std::string& integer) {
  for_each_combine([&](const Instruction& one) {
    write_for_chunk(integer, one,
                    text(chunk_name(one), "[i] = ", literal(neutral(one.op, one.dtype)), ";"));
  });
}

SINTER_INLINE void CudaRows::write_chunk_end(const std::string& integer) {
  for_each_combine([&](const Instruction& one) {
    write_for_chunk(
        integer, one,
        text(argument_name(one.argument), "[", c_index(layout_.grid[0].variable * one.bound, 0, {}),
             " + i] = ", chunk_name(one), "[i];"));
  });
}

// "x5[0].lane[lane] = add_f32(x5[0].lane[lane], v7);"
SINTER_INLINE void CudaRows::write_combine(ValueId id, const Instance& instance) {
  const Instruction& one = at(id);
  const std::string to =
      part_of(id) >= 0 ? part_element(id)
                       : text(chunk_name(one), "[",
                              c_index(index_in_chunk(one), dependence(id).stage, instance), "]");
  const std::array operands{to, operand(one.operands[0], instance, false)};
  const ValueType type{one.dtype};
  out_.line(text(to, " = ", computed(combining(one.op), operands, type, type), ";"), one.remark);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
