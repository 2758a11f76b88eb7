#pragma once

#include <algorithm>  // std::max

#include <sinter/codegen/cuda_nest.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/proof.hpp>

namespace sinter::inline SINTER_ABI::codegen {

namespace detail {

SINTER_INLINE bool small(Extent extent) { return bounds(extent).max < (std::int64_t{1} << 31); }

// True if no index and no count of `layout` passes 31 bits.
SINTER_INLINE bool small_indices(const Layout& layout) {
  for (const schedule::Argument& argument : layout.kernel.arguments) {
    if (!small(argument.elements)) return false;
  }
  Extent points = 1024;  // threads run past the end by less than a block
  for (const Loop& loop : layout.grid) points *= loop.extent;
  for (const Instruction& instruction : layout.kernel.instructions) {
    if (!small(instruction.index)) return false;
  }
  for (const std::vector<Loop>& stage : layout.stages) {
    for (const Loop& loop : stage) {
      if (!small(loop.extent + 1024)) return false;
    }
  }
  return small(points);
}

}  // namespace detail

SINTER_INLINE CudaNest::CudaNest(const Kernel& kernel, bool strict) : CudaScans(kernel, 1, strict) {
  bool tiles = false, loops = false;
  for (const Loop& loop : layout_.grid) tiles = tiles || loop.unroll > 1;
  for (const std::vector<Loop>& stage : layout_.stages) loops = loops || !stage.empty();
  sorts_ = has(kernel, Code::sort);
  by_rows_ = kernel.vector_axis == VectorAxis::stage && loops && !tiles && !kernel.serial;
  scans_ = scans(tasks());
  for (const Instruction& one : kernel.instructions) {
    in_order_ = in_order_ || (strict && one.code == Code::running && is_floating(one.dtype));
  }
  by_rows_ = by_rows_ || sorts_ || scans_;
  if (!loops && !tiles && layout_.vector_grid && !kernel.serial) pack_ = pack_lanes();
  if (detail::small_indices(layout_)) integer_ = "int";
  for (const schedule::Argument& argument : kernel.arguments) {
    if (argument.access != Access::local || !by_rows_) continue;
    const Extent bytes = argument.elements * static_cast<std::int64_t>(info(argument.dtype).size);
    shared_bytes_ += ceil_div(bytes, 16) * 16;
  }
}

SINTER_INLINE int CudaNest::unroll_of(int position) const {
  const int unroll = layout_.grid[static_cast<std::size_t>(position)].unroll;
  return position + 1 == layout_.grid_depth() ? std::max(unroll, pack_) : std::max(unroll, 1);
}

SINTER_INLINE Extent CudaNest::steps_of(int position) const {
  return ceil_div(layout_.grid[static_cast<std::size_t>(position)].extent, unroll_of(position));
}

SINTER_INLINE Extent CudaNest::tasks() const {
  Extent result = 1;
  for (int position = 0; position < layout_.grid_depth(); ++position) result *= steps_of(position);
  return result;
}

SINTER_INLINE CudaLaunch CudaNest::launch() const {
  if (layout_.kernel.serial || (layout_.grid.empty() && !by_rows_)) return {1, 1, 0};
  if (!by_rows_) return {max(ceil_div(tasks(), 128), 1), 128, 0};
  std::int64_t longest = 1;
  for (const std::vector<Loop>& stage : layout_.stages) {
    if (!stage.empty()) longest = std::max(longest, bounds(stage.back().extent).max);
  }
  for (const Instruction& one : layout_.kernel.instructions) {
    if (one.code == Code::sort) longest = std::max(longest, bounds(one.bound).max);
  }
  const int most = sorts_ || scans_ ? 1024 : 256;
  int threads = 32;
  while (threads < most && threads * 4 < longest) threads *= 2;
  return {max(tasks(), 1), threads, shared_bytes_};
}

SINTER_INLINE std::string CudaNest::parameters() const {
  std::string result;
  for (std::size_t i = 0; i < layout_.parameters.size(); ++i) {
    if (layout_.parameters[i] < 0) continue;
    const schedule::Argument& argument = layout_.kernel.arguments[i];
    result += text(argument.access == Access::read ? "const " : "", memory_type(argument.dtype),
                   "* ", argument_name(static_cast<std::int32_t>(i)), ", ");
  }
  for (std::size_t i = 0; i < layout_.kernel.symbols.size(); ++i) result += text("long n", i, ", ");
  return result + "Context* context";
}

SINTER_INLINE std::string CudaNest::function(const std::string& name) {
  {
    const auto body = out_.block(text("extern \"C\" __global__ void __launch_bounds__(",
                                      launch().threads, ", 1) ", name, "(", parameters(), ")"));
    if (!layout_.is_empty()) write_body();
  }
  return out_.str();
}

SINTER_INLINE void CudaNest::write_body() {
  write_rows();
  if (layout_.kernel.serial || (layout_.grid.empty() && !by_rows_)) {
    out_.line("if (blockIdx.x != 0 || threadIdx.x != 0) return;");
  } else if (layout_.grid.empty()) {
    out_.line("if (blockIdx.x != 0) return;");
  }
  if (layout_.grid.empty()) {
    write_stages();
  } else {
    write_depth(0, -1);
    write_grid(tasks());
  }
}

// Local rows: in shared memory where a block has one of them, else each thread has its own.
SINTER_INLINE void CudaNest::write_rows() {
  int neighbours = 1;
  for (int i = 0; i < layout_.grid_depth(); ++i) neighbours *= unroll_of(i);
  Extent offset = 0;
  for (std::size_t i = 0; i < layout_.kernel.arguments.size(); ++i) {
    const schedule::Argument& argument = layout_.kernel.arguments[i];
    if (argument.access != Access::local) continue;
    const std::string name = argument_name(static_cast<std::int32_t>(i));
    const std::string type(memory_type(argument.dtype));
    const Extent elements = argument.elements * neighbours;
    const auto size = static_cast<std::int64_t>(info(argument.dtype).size);
    if (by_rows_) {
      if (same(offset, 0)) out_.line("extern __shared__ __align__(16) unsigned char shared[];");
      out_.line(text(type, "* const ", name, " = (", type, "*)(shared + ", c(offset), ");"));
      offset += ceil_div(argument.elements * size, 16) * 16;
    } else if (elements.is_number()) {
      out_.line(text(type, " ", name, "[", std::max<std::int64_t>(elements.number(), 1), "];"));
    } else {
      out_.line(text("const Scratch memory", i, "(", c(elements * size), ");"));
      out_.line(text(type, "* const ", name, " = (", type, "*)memory", i, ".heap;"));
    }
  }
}

SINTER_INLINE void CudaNest::write_grid(const Extent& tasks) {
  const std::string count = text("const ", integer_, " tasks = ", c(tasks), ";");
  out_.line(count);
  std::string head =
      text("for (", integer_, " task = blockIdx.x; task < tasks; task += gridDim.x)");
  if (layout_.kernel.serial) {
    head = text("for (", integer_, " task = 0; task < tasks; ++task)");
  } else if (!by_rows_) {
    head = text("for (", integer_, " task = (", integer_,
                ")blockIdx.x * blockDim.x + threadIdx.x; task < tasks; task += (", integer_,
                ")gridDim.x * blockDim.x)");
  }
  const auto loop = out_.block(head);
  write_position();
  write_tile(0);
  if (by_rows_) out_.line("__syncthreads();");
}

// The loop variables of a task.
SINTER_INLINE void CudaNest::write_position() {
  Extent inner = 1;
  for (int position = layout_.grid_depth() - 1; position >= 0; --position) {
    const Extent steps = steps_of(position);
    std::string value = same(inner, 1) ? "task" : text("task / ", c(inner));
    if (position > 0) value += text(" % ", c(steps));
    const int unroll = unroll_of(position);
    if (unroll > 1) value = text("(", value, ") * ", unroll);
    const std::string name = loop_name(0, position);
    if (restarts(position)) {
      out_.line(text("const ", integer_, " first", position, " = ", value, ";"));
      value = text("first", position);
    }
    out_.line(text(unroll > 1 ? "" : "const ", integer_, " ", name, " = ", value, ";"));
    inner *= steps;
  }
}

// Whether what is left of a tile at `position` is run for each of what is left of one around it.
SINTER_INLINE bool CudaNest::restarts(int position) const {
  const auto leaves_rest = [&](int at) {
    const int unroll = unroll_of(at);
    const Extent extent = layout_.grid[static_cast<std::size_t>(at)].extent;
    return unroll > 1 && !proven_divisible(extent, unroll);
  };
  bool inside = false;
  for (int outer = 0; outer < position; ++outer) inside = inside || leaves_rest(outer);
  return inside && leaves_rest(position);
}

SINTER_INLINE void CudaNest::write_tile(int position) {
  if (position == layout_.grid_depth()) return write_stages();
  const int unroll = unroll_of(position);
  if (unroll == 1) return write_open(position, 1);
  const Extent extent = layout_.grid[static_cast<std::size_t>(position)].extent;
  const std::string name = loop_name(0, position), end = c(extent);
  if (proven_divisible(extent, unroll)) return write_open(position, unroll);
  const bool whole = bounds(extent).max >= unroll;
  if (whole) {
    const auto block = out_.block(text("if (", name, " + ", unroll, " <= ", end, ")"));
    write_open(position, unroll);
  }
  const std::string start = restarts(position) ? text(name, " = first", position) : "";
  const auto part = out_.block(
      text(whole ? "else for (" : "for (", start, "; ", name, " < ", end, "; ++", name, ")"));
  write_open(position, 1);
}

SINTER_INLINE void CudaNest::write_open(int position, int unroll) {
  frames_.push_back({loop_name(0, position), unroll, 1});
  if (position + 1 < layout_.grid_depth()) write_depth(position + 1, -1);
  write_tile(position + 1);
  frames_.pop_back();
}

SINTER_INLINE void CudaNest::write_stages() {
  const auto count = static_cast<int>(layout_.stages.size());
  for (int stage = 0; stage < count; ++stage) {
    const bool loops = !layout_.stages[static_cast<std::size_t>(stage)].empty();
    if (loops) write_depth(layout_.grid_depth(), stage);
    write_accumulators(stage);
    if (loops && scans_ && has_running(stage)) {
      write_scan(stage, integer_);
    } else if (loops) {
      write_loop(stage, layout_.grid_depth());
    } else {
      write_innermost(stage);
    }
    write_results(stage);
    if (by_rows_ && stage + 1 < count && stores(stage)) out_.line("__syncthreads();");
  }
}

SINTER_INLINE bool CudaNest::stores(int stage) const {
  for (const ValueId id : layout_.kernel.stages[static_cast<std::size_t>(stage)].body) {
    if (at(id).code == Code::store) return true;
  }
  return false;
}

// True if the threads of a block take turns in the last loop of `stage`.
SINTER_INLINE bool CudaNest::shares_loop(int stage) const {
  return by_rows_ && !layout_.stages[static_cast<std::size_t>(stage)].empty();
}

SINTER_INLINE void CudaNest::write_loop(int stage, int position) {
  const int depth = layout_.grid_depth() +
                    static_cast<int>(layout_.stages[static_cast<std::size_t>(stage)].size());
  const std::string name = loop_name(stage, position);
  const bool shared = position + 1 == depth && shares_loop(stage);
  const std::string end = c_index(layout_.loop(stage, position).extent, stage, {});
  const auto loop = out_.block(text("for (", integer_, " ", name,
                                    shared ? " = threadIdx.x; " : " = 0; ", name, " < ", end, "; ",
                                    shared ? text(name, " += blockDim.x") : text("++", name), ")"));
  frames_.push_back({name, 1, 1});
  if (position + 1 < depth) {
    write_depth(position + 1, stage);
    write_loop(stage, position + 1);
  } else {
    write_innermost(stage);
  }
  frames_.pop_back();
}

SINTER_INLINE void CudaNest::write_result(ValueId id, const Instance& instance) {
  if (!shares_loop(dependence(id).stage)) return Reductions::write_result(id, instance);
  const ValueType type = accumulator_type(id);
  const std::string best = accumulator(id, instance, 0);
  if (at(id).op == Op::argmax) {
    return declare(
        id, instance,
        text("block_argmax_", suffix(type), "(", best, ", ", position(id, instance), ")"));
  }
  const bool half = at(id).dtype == f16 || at(id).dtype == bf16;
  const std::string value = text("block_", at(id).op, "_", suffix(type), "(", best, ")");
  declare(id, instance, half && strict_ ? rounded(value, at(id).dtype, false) : value);
}

SINTER_INLINE void CudaNest::write_store(ValueId id, const Instance& instance) {
  const int stage = dependence(id).stage;
  if (is_shared_scan(stage)) {
    const auto once = out_.block("if (live)");
    return CudaScans::write_store(id, instance);
  }
  if (!by_rows_ || shares_loop(stage)) {
    return CudaPacks::write_store(id, instance);
  }
  const auto once = out_.block("if (threadIdx.x == 0)");
  CudaPacks::write_store(id, instance);
}

}  // namespace sinter::inline SINTER_ABI::codegen
