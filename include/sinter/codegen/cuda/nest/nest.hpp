#pragma once
// Emits loop nests as CUDA: threads share a row or a column, or each thread has a tile of the grid.

#include <algorithm>  // std::max
#include <string>     // std::string

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/nest/atomics.hpp>
#include <sinter/codegen/cuda/nest/columns.hpp>
#include <sinter/codegen/cuda/nest/function_head.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/codegen/cuda/nest/rows.hpp>
#include <sinter/codegen/cuda/nest/scans.hpp>
#include <sinter/codegen/cuda/nest/transpose.hpp>
#include <sinter/codegen/text/kernel_writer.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaNest final : public KernelWriter {
 public:
  CudaNest(const Kernel& kernel, const CudaOptions& options)
      : KernelWriter(
            {Names(kernel, 1), apply_in_cuda, options.strict, options.tuning, options.target},
            NonTemporal::never),
        function_{kernel, options.in_body},
        integer_(index_type(kernel, counts())) {
    bool tiles = false, loops = false;
    for (const Loop& loop : layout_.grid) tiles = tiles || loop.unroll > 1;
    for (const Vector<Loop>& stage : layout_.stages) loops = loops || !stage.empty();
    const bool sorts = has(kernel, Code::sort);
    const bool in_order = kernel.serial || adds_to_memory(kernel);  // iterations of a point
    scans_.share_rows(tasks());
    const bool shares_block = sorts || scans_.shares_rows();
    const bool by_rows =
        shares_block || (kernel.vector_axis == VectorAxis::stage && loops && !tiles && !in_order);
    const bool plain = !tiles && layout_.vector_grid && !kernel.serial && !by_rows;
    if (plain && !loops) tiles_.find_transposed_loads();
    if (plain && !loops && !transposes())
      packs_.set_pack(packs_.pack_lanes(packs_.takes_eight_points()));
    if (plain && loops) columns_.share_columns(tasks());
    if (shares_block) {
      rows_.share_rows_of_block(threads_of_block());
    } else if (by_rows) {
      rows_.share_rows();
    }
    for (const schedule::Argument& argument : kernel.arguments) {
      if (argument.access != Access::local || !by_rows || rows_.in_registers()) continue;
      const Extent bytes = argument.elements * static_cast<std::int64_t>(info(argument.dtype).size);
      shared_bytes_ += ceil_div(bytes, 16) * 16;
    }
    row_bytes_ = shared_bytes_;
    if (rows_.combines()) shared_bytes_ = rows_.place_partials(row_bytes_);
  }

  /// The text of the function `name`.
  std::string function(const std::string& name) {
    function_.write(out_, name, text(launch().threads, ", 1"), [&] {
      if (!layout_.is_empty()) write_body();
    });
    return out_.str();
  }

  CudaLaunch launch() const {
    if (layout_.kernel.serial || (layout_.grid.empty() && !rows_.by_rows())) return {1, 1, 0};
    if (rows_.by_rows()) {
      return {max(ceil_div(tasks(), rows_.share().rows), 1),
              rows_.share().threads * rows_.share().rows, shared_bytes_};
    }
    if (transposes()) return {max(tasks(), 1), tile_width * tile_rows, 0};
    return {max(ceil_div(tasks(), columns_.block().columns), 1),
            columns_.block().columns * columns_.block().rows, 0};
  }

  void write_instruction(ValueId id, const Instance& instance) override {
    switch (at(id).code) {
      case Code::load:
        return write_load(id, instance);
      case Code::store:
        return write_store(id, instance);
      case Code::scan:
        return scans_.write_running(id, instance);
      case Code::combine:
        return rows_.write_combine(id, instance);
      default:
        return memory_.write_sort(id, instance);
    }
  }

  void write_update(ValueId id, const Instance& instance) override {
    rows_.write_update(id, instance);
  }

  void write_result(ValueId id, const Instance& instance) override {
    const int stage = dependence(id).stage;
    if (rows_.shares_loop(stage)) return rows_.write_row_result(id, instance);
    const bool loops = !layout_.stages[stage].empty();
    if (columns_.shares_columns() && loops) return columns_.write_column_result(id, instance);
    reductions_.write_result(id, instance);
  }

 private:
  bool transposes() const { return tiles_.transposes(); }

  void write_load(ValueId id, const Instance& instance) {
    synchronized_ = false;
    if (tiles_.is_transposed(id)) return tiles_.write_load(id, instance);
    if (columns_.is_prefetched(id)) return columns_.write_load(id, instance);
    rows_.holds(id) ? rows_.write_load(id, instance) : packs_.write_load(id, instance);
  }

  void write_store(ValueId id, const Instance& instance) {
    const int stage = dependence(id).stage;
    const auto last = static_cast<std::size_t>(std::max(layout_.vector_loop(stage), 0));
    if (packs_.packed(id) && instance[last] != 0) return;
    if (needs_atomic(id)) return write_atomic_add(id, instance);
    const auto write = [&] {
      rows_.holds(id) ? rows_.write_store(id, instance) : packs_.write_store(id, instance);
    };
    const std::string condition = store_condition(stage);
    if (condition.empty()) return write();
    const bool one_of_all = layout_.stages[stage].empty();
    if (one_of_all && !synchronized_ && may_alias_load(id)) write_barrier();
    const auto once = out_.block({"if (", condition, ")"});
    write();
  }

  /// The condition under which a thread stores in `stage`; "" if always.
  std::string store_condition(int stage) const {
    if (scans_.is_shared_scan(stage)) return "live";
    if (rows_.by_rows() && !rows_.shares_loop(stage)) return rows_.is_first_thread();
    return columns_.shares_columns() ? columns_.column_condition(stage) : "";
  }

  // True if other points of the grid may add to the same element as `id`.
  bool needs_atomic(ValueId id) const {
    const Vector<Loop>& loops = layout_.stages[dependence(id).stage];
    return loops.empty() && !layout_.kernel.serial && adds_atomically(at(id), context_.strict);
  }

  // "atomic_add_f32(&out2[v3], v4);"
  void write_atomic_add(ValueId id, const Instance& instance) {
    const std::string guard = names_.condition(id, instance), to = memory_.element(id, instance);
    const std::string value = values_.operand(at(id).operands[0], instance, false);
    out_.line({guard.empty() ? "" : text("if (", guard, ") "), "atomic_add_", at(id).dtype, "(&",
               to, ", ", value, ");"},
              at(id).remark);
  }

  void write_body() {
    if (transposes()) {
      tiles_.write_tile_memory();
    } else if (rows_.by_rows() && rows_.in_registers()) {
      rows_.write_registers(integer_);
    } else {
      write_rows();
    }
    if (rows_.combines()) rows_.write_partial_memory(row_bytes_);
    if (layout_.kernel.serial || (layout_.grid.empty() && !rows_.by_rows())) {
      out_.line({"if (", function_.block(), " != 0 || threadIdx.x != 0) return;"});
    } else if (layout_.grid.empty()) {
      out_.line({"if (", function_.block(), " != 0) return;"});
    }
    if (layout_.grid.empty()) {
      write_stages();
    } else {
      values_.write_depth(0, -1);
      write_grid(tasks());
    }
  }

  // Declares local rows: in shared memory if threads share rows, else private to each thread.
  void write_rows() {
    int neighbours = 1;
    for (int i = 0; i < layout_.grid_depth(); ++i) neighbours *= unroll_of(i);
    Extent offset = 0;
    for (std::size_t i = 0; i < layout_.kernel.arguments.size(); ++i) {
      const schedule::Argument& argument = layout_.kernel.arguments[i];
      if (argument.access != Access::local) continue;
      const std::string name = names_.argument_name(static_cast<std::int32_t>(i));
      const std::string type(memory_type(argument.dtype));
      const Extent elements = argument.elements * neighbours;
      const auto size = static_cast<std::int64_t>(info(argument.dtype).size);
      if (rows_.by_rows()) {
        if (same(offset, 0)) rows_.write_shared_memory();
        out_.line({type, "* const ", name, " = (", type, "*)(shared + ", c(offset), ");"});
        offset += ceil_div(argument.elements * size, 16) * 16;
      } else if (elements.is_number()) {
        out_.line({type, " ", name, "[", std::max<std::int64_t>(elements.number(), 1), "];"});
      } else {
        out_.line({"const Scratch memory", i, "(", c(elements * size), ");"});
        out_.line({type, "* const ", name, " = (", type, "*)memory", i, ".heap;"});
      }
    }
  }

  // The task loop of blocks and threads, their grid position, and atomic additions.

  void write_grid(const Extent& tasks) {
    out_.line({"const ", integer_, " tasks = ", c(tasks), ";"});
    const int rows = rows_.by_rows() ? rows_.share().rows : 1;
    std::string first(function_.block()), step(function_.blocks()), name = "task";
    if (layout_.kernel.serial) {
      first = "0", step = "1";
    } else if (columns_.shares_columns()) {
      name = "column";
      first = text(first, " * ", columns_.block().columns),
      step += text(" * ", columns_.block().columns);
    } else if (!rows_.by_rows() && !transposes()) {
      first = text("(", integer_, ")", first, " * blockDim.x + threadIdx.x");
      step = text("(", integer_, ")", step, " * blockDim.x");
    } else if (rows > 1) {
      const std::string row = rows_.share().threads > 1 ? text(" / ", rows_.share().threads) : "";
      first += text(" * ", rows, " + threadIdx.x", row), step += text(" * ", rows);
    }
    const std::string next = step == "1" ? "++" + name : text(name, " += ", step);
    const auto loop = out_.block(
        text("for (", integer_, " ", name, " = ", first, "; ", name, " < tasks; ", next, ")"));
    if (columns_.shares_columns()) write_own_column();
    write_position();
    transposes() ? tiles_.write_tile_task(integer_, [&] { write_stages(); }) : write_tile(0);
    if (rows_.combines()) return;
    write_task_barrier();
  }

  // The loop variables of a task.
  void write_position() {
    Extent inner = 1;
    for (int position = (rows_.combines() ? 1 : layout_.grid_depth()) - 1; position >= 0;
         --position) {
      const Extent steps = steps_of(position);
      std::string value = same(inner, 1) ? "task" : text("task / ", c(inner));
      if (position > 0) value += text(" % ", c(steps));
      const int unroll = unroll_of(position);
      if (unroll > 1) value = text("(", value, ") * ", unroll);
      const std::string name = names_.loop_name(0, position);
      if (tiles_.is_tile_loop(position)) {
        out_.line({"const ", integer_, " first", position, " = ", value, ";"});
        inner *= steps;
        continue;
      }
      if (needs_restart(position)) {
        out_.line({"const ", integer_, " first", position, " = ", value, ";"});
        value = text("first", position);
      }
      out_.line({unroll > 1 ? "" : "const ", integer_, " ", name, " = ", value, ";"});
      inner *= steps;
    }
  }

  // True if the remainder loop at `position` is inside the remainder loop of an outer tile, so that
  // its variable has to be reset.
  bool needs_restart(int position) const {
    const auto leaves_rest = [&](int at) {
      const int unroll = unroll_of(at);
      const Extent extent = layout_.grid[at].extent;
      return unroll > 1 && !proven_divisible(extent, unroll);
    };
    bool inside = false;
    for (int outer = 0; outer < position; ++outer) inside = inside || leaves_rest(outer);
    return inside && leaves_rest(position);
  }

  void write_tile(int position) {
    if (position == 1 && rows_.combines()) return write_partial();
    if (position == layout_.grid_depth()) return write_stages();
    const int unroll = unroll_of(position);
    if (unroll == 1) return write_tile_frame(position, 1);
    const Extent extent = layout_.grid[position].extent;
    const std::string name = names_.loop_name(0, position), end = c(extent);
    if (proven_divisible(extent, unroll)) return write_tile_frame(position, unroll);
    const bool whole = bounds(extent).max >= unroll;
    if (whole) {
      const auto block = out_.block({"if (", name, " + ", unroll, " <= ", end, ")"});
      write_tile_frame(position, unroll);
    }
    const std::string start = needs_restart(position) ? text(name, " = first", position) : "";
    const auto part = out_.block(
        text(whole ? "else for (" : "for (", start, "; ", name, " < ", end, "; ++", name, ")"));
    write_tile_frame(position, 1);
  }

  // One partial reduction: its points run in order, then the result is stored.
  void write_partial() {
    rows_.write_partial_init(integer_);
    write_partial_barrier();
    write_serial_loops(1);
    write_partial_barrier();
    rows_.write_partial_result(integer_);
    write_partial_barrier();
  }

  void write_serial_loops(int position) {
    if (position == layout_.grid_depth()) {
      write_stages();
      return write_task_barrier();
    }
    const std::string name = names_.loop_name(0, position);
    const Extent extent = layout_.grid[position].extent;
    const auto loop = out_.block(
        text("for (", integer_, " ", name, " = 0; ", name, " < ", c(extent), "; ++", name, ")"));
    names_.frames.push_back({name, 1, 1});
    if (position + 1 < layout_.grid_depth()) values_.write_depth(position + 1, -1);
    write_serial_loops(position + 1);
    names_.frames.pop_back();
  }

  // Shared memory may be reused by the next task.
  void write_task_barrier() {
    const bool alone = rows_.by_rows() && rows_.share().rows == 1 &&
                       (rows_.share().threads > 32 || !same(row_bytes_, 0));
    if (alone || columns_.shares_columns()) out_.line("__syncthreads();");
  }

  void write_partial_barrier() {
    if (rows_.share().threads > 1) write_barrier();
  }

  void write_tile_frame(int position, int unroll) {
    names_.frames.push_back({names_.loop_name(0, position), unroll, 1});
    if (position + 1 < layout_.grid_depth()) values_.write_depth(position + 1, -1);
    write_tile(position + 1);
    names_.frames.pop_back();
  }

  void write_stages() {
    const auto count = static_cast<int>(layout_.stages.size());
    for (int stage = 0; stage < count; ++stage) {
      const bool loops = !layout_.stages[stage].empty();
      if (loops) values_.write_depth(layout_.grid_depth(), stage);
      reductions_.write_accumulators(stage);
      if (loops && scans_.scans(stage)) {
        scans_.write_scan(stage, integer_);
      } else if (loops) {
        write_loop(stage, layout_.grid_depth());
      } else {
        reductions_.write_innermost(stage);
      }
      reductions_.write_results(stage);
      if (stage + 1 < count && needs_barrier_after(stage)) write_barrier();
    }
  }

  void write_loop(int stage, int position) {
    const int depth = layout_.depth(stage);
    if (position + 1 == depth && rows_.shares_loop(stage))
      return rows_.write_row(stage, position, integer_);
    const std::string name = names_.loop_name(stage, position);
    const bool shared = columns_.shares_columns() && position == columns_.shared_position(stage);
    if (shared && position + 1 == depth && columns_.write_prefetched_rows(stage, integer_)) return;
    const std::string end = names_.c_index(layout_.loop(stage, position).extent, stage, {});
    const std::string first = shared ? text("threadIdx.x / ", columns_.block().columns) : "0";
    const std::string step = shared ? text(name, " += ", columns_.block().rows) : text("++", name);
    if (shared) out_.line("#pragma unroll 4");
    const auto loop = out_.block(
        text("for (", integer_, " ", name, " = ", first, "; ", name, " < ", end, "; ", step, ")"));
    names_.frames.push_back({name, 1, 1});
    if (position + 1 < depth) {
      values_.write_depth(position + 1, stage);
      write_loop(stage, position + 1);
    } else {
      reductions_.write_innermost(stage);
    }
    names_.frames.pop_back();
  }

  // True if a later stage may read, in another thread, what `stage` stores.
  bool needs_barrier_after(int stage) const {
    if (rows_.by_rows() ? rows_.share().threads == 1 : !columns_.shares_columns()) return false;
    const auto& stages = layout_.kernel.stages;
    const auto reads = [&](std::int32_t stored) {
      for (std::size_t later = static_cast<std::size_t>(stage) + 1; later < stages.size();
           ++later) {
        for (const ValueId id : stages[later].body) {
          if (at(id).code == Code::load && at(id).argument == stored) return true;
          if (at(id).code == Code::sort) return true;
        }
      }
      return false;
    };
    for (const ValueId id : stages[stage].body) {
      if (at(id).code != Code::store) continue;
      const bool own = argument(at(id)).access == Access::local && rows_.in_registers();
      if (!own && reads(at(id).argument)) return true;
    }
    return false;
  }

  // True if the store `id` may alias an element that all threads load: state updated in place, or
  // reused arena memory.
  bool may_alias_load(ValueId id) const {
    const Instruction& store = at(id);
    const auto& all = layout_.kernel.instructions;
    return any_of(all, [&](const Instruction& one) {
      return one.code == Code::load && argument(one).access == Access::read &&
             info(argument(one).dtype).size == info(argument(store).dtype).size &&
             same(one.index, store.index);
    });
  }

  // A barrier for the threads that share a row (within a warp), or for the block.
  void write_barrier() {
    const bool part = rows_.by_rows() && rows_.share().rows > 1;
    out_.line(part ? text("__syncwarp(row_mask<", rows_.share().threads, ">());")
                   : "__syncthreads();");
    synchronized_ = true;
  }

  // The column of this thread. Threads past the end compute the last column again, and do not
  // store.
  void write_own_column() {
    const std::string own = text("column + threadIdx.x % ", columns_.block().columns);
    if (columns_.all_columns_live()) return out_.line({"const ", integer_, " task = ", own, ";"});
    out_.line({"const bool live = ", own, " < tasks;"});
    out_.line({"const ", integer_, " task = live ? ", own, " : tasks - 1;"});
  }

  // Threads per block of kernels that sort or scan.
  int threads_of_block() const {
    std::int64_t longest = 1;
    for (const Vector<Loop>& stage : layout_.stages) {
      if (!stage.empty()) longest = std::max(longest, bounds(stage.back().extent).max);
    }
    for (const Instruction& one : layout_.kernel.instructions) {
      if (one.code == Code::sort) longest = std::max(longest, bounds(one.bound).max);
    }
    const schedule::Multiprocessors& gpu = context_.target.multiprocessors;
    int threads = warp_threads;
    while (threads < gpu.block_threads && threads * 4 < longest) threads *= 2;
    return threads;
  }

  int unroll_of(int position) const {
    const int unroll = layout_.grid[position].unroll;
    if (tiles_.is_tile_loop(position)) return tile_width;
    const bool packs = position + 1 == layout_.grid_depth() && !rows_.by_rows();
    return std::max(unroll, packs ? packs_.pack() : 1);
  }

  Extent steps_of(int position) const {
    return ceil_div(layout_.grid[position].extent, unroll_of(position));
  }

  Extent tasks() const {
    if (rows_.combines())
      return layout_.grid[0].extent;  // one per partial; its points run in order
    Extent result = 1;
    for (int position = 0; position < layout_.grid_depth(); ++position)
      result *= steps_of(position);
    return result;
  }

  // Loop variables overshoot, that of the grid by less than one grid.
  std::vector<Extent> counts() const {
    std::vector<Extent> result;
    Extent points = 2;
    for (const Loop& loop : layout_.grid) points *= loop.extent;
    for (const Vector<Loop>& stage : layout_.stages) {
      for (const Loop& loop : stage) result.push_back(loop.extent + 1024);
    }
    result.push_back(points + 1024);
    return result;
  }

  std::string c(Extent extent) const { return names_.c_index(extent, 0, {}); }

  CudaFunction function_;
  CudaPacks packs_{context_, values_, memory_};
  CudaScans scans_{context_, values_, reductions_};
  CudaRows rows_{context_, values_, memory_, reductions_, packs_};
  CudaColumns columns_{context_, values_, memory_, reductions_, packs_};
  CudaTranspose tiles_{context_, values_, memory_};
  bool synchronized_ = false;  ///< There was a barrier since the last load.
  std::string integer_;
  Extent shared_bytes_ = 0, row_bytes_ = 0;  ///< Shared memory: total; for local rows.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
