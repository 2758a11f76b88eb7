#pragma once

#include <sinter/codegen/cuda/nest/scans.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// With more rows than this, each thread scans a row of its own.
inline constexpr std::int64_t max_shared_rows = 4096;

}  // namespace detail

SINTER_INLINE bool CudaScans::scans(Extent tasks) const {
  if (!has(layout_.kernel, Code::scan) || layout_.kernel.serial) return false;
  return layout_.kernel.vector_axis != VectorAxis::grid ||
         bounds(tasks).max <= detail::max_shared_rows;
}

SINTER_INLINE bool CudaScans::has_scan(int stage) const {
  for (const ValueId id : layout_.kernel.stages[static_cast<std::size_t>(stage)].body) {
    if (at(id).code == Code::scan) return true;
  }
  return false;
}

SINTER_INLINE void CudaScans::write_scan(int stage, const std::string& integer) {
  const int position = layout_.grid_depth();
  const std::string name = loop_name(stage, position);
  const std::string end = c_index(layout_.loop(stage, position).extent, stage, {});
  const std::string head =
      in_order_ ? text("if (threadIdx.x == 0) for (", integer, " ", name, " = 0; ", name, " < ",
                       end, "; ++", name, ")")
                : text("for (", integer, " chunk = 0; chunk < ", end, "; chunk += blockDim.x)");
  const auto loop = out_.block(head);
  if (!in_order_) {
    out_.line(text("const bool live = chunk + threadIdx.x < ", end, ";"));
    out_.line(text("const ", integer, " ", name, " = live ? chunk + threadIdx.x : ", end, " - 1;"));
  }
  frames_.push_back({name, 1, 1});
  write_innermost(stage);
  frames_.pop_back();
}

// "const double v3 = block_cumsum_f64(live ? v2 : 0x0p+0, a3);"
SINTER_INLINE void CudaScans::write_running(ValueId id, const Instance& instance) {
  if (!is_shared_scan(dependence(id).stage)) return CudaPacks::write_running(id, instance);
  const ValueType type = accumulator_type(id);
  declare(id, instance,
          text("block_", at(id).op, "_", suffix(type), "(live ? ",
               operand(at(id).operands[0], instance, false), " : ",
               literal(neutral(at(id).op, type.dtype)), ", ", accumulator(id, instance, 0), ")"));
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
