#pragma once
// Writes the loops of a kernel as C++, each with its remainder, and the stages inside them.

#include <algorithm>  // std::max
#include <string>     // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/interior.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/nest/piece.hpp>
#include <sinter/codegen/cpp/nest/staged_windows.hpp>
#include <sinter/codegen/cpp/nest/transpose.hpp>
#include <sinter/codegen/text/kernel_writer.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/loop/window_lines.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

/// The number of steps of `step` iterations in `extent`; -1 if it is not known.
inline std::int64_t known_steps(Extent extent, int step) {
  return extent.is_number() ? (extent.number() + step - 1) / step : -1;
}

}  // namespace detail

/// "name_window3": the function that computes the staged argument 3.
inline std::string staged_window_name(const std::string& name, std::int32_t argument) {
  return text(name, "_window", argument);
}

class Nest final : public KernelWriter {
 public:
  Nest(const Kernel& kernel, int lanes, const CppOptions& options)
      : KernelWriter({Names(kernel, lanes, options.target.cpp), apply, options.strict,
                      options.tuning, options.target},
                     NonTemporal::if_large) {
    column_unroll_ = choose_column_unroll();
    if (kernel.serial) return;
    if (has(kernel, Code::combine)) {  // the other loops run in order
      parallel_ = 0;
      return;
    }
    std::int64_t most = 0;
    for (int position = 0; position < layout_.grid_depth(); ++position) {
      const Head head = head_of(0, position);
      const std::int64_t steps = detail::known_steps(head.extent, shared_step_of(head));
      if (steps >= 0 && steps <= most) continue;
      parallel_ = position;
      most = steps;
      if (steps < 0 || steps >= 4) break;  // enough for any number of threads to share
    }
  }
  /// The kernel with staged windows, which functions named after `name` compute.
  Nest(const StagedKernel& staged, int lanes, const CppOptions& options, std::string name)
      : Nest(staged.kernel, lanes, options) {
    staged_ = &staged;
    name_of_staged_ = std::move(name);
  }
  /// The text of the function `name`.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported) {
    names_.names_sizes = true;
    std::string result;
    {
      const auto body = out_.block(function_head(name, linkage));
      if (!layout_.is_empty()) {
        write_parameters();
        result = out_.take();
        write_grid();
      }
    }
    for (std::size_t i = 0; i < names_.long_sizes().size(); ++i) {  // those that the loops name
      result += wrapped(text("  const long size", i, " = ", names_.long_sizes()[i], ";")) + "\n";
    }
    return result + out_.str();
  }

  void write_base(ValueId id) {
    layout_.is_transposed(at(id)) ? tiles_.write_tile_row(id) : memory_.write_base(id);
  }

 private:
  /// One loop: from `begin` to `end`, `unroll` iterations at a time.
  struct Head {
    int stage = 0, position = 0, unroll = 1;
    std::string name{}, begin{}, end{};
    bool vector = false, parallel = false;
    Extent extent = 0;
  };
  Head head_of(int stage, int position) const {
    Head head;
    head.stage = stage;
    head.position = position;
    head.unroll = unroll_of(stage, position);
    head.vector = names_.lanes > 1 && position == layout_.vector_loop(stage);
    head.parallel = position == parallel_;
    head.extent = layout_.loop(stage, position).extent;
    head.name = names_.loop_name(stage, position);
    head.begin = head.parallel ? "first" : "0";
    head.end = head.parallel ? "last" : names_.c_index(head.extent, stage, {});
    if (in_tile_ && tiles_.is_tiled(position)) {
      head.begin = text("tile_", head.name);
      head.end = text("end_", head.name);
    }
    return head;
  }
  void write_parameters() {
    for (std::size_t i = 0; i < layout_.parameters.size(); ++i) {
      if (layout_.parameters[i] < 0 || is_staged(static_cast<std::int32_t>(i))) continue;
      write_buffer(out_, names_, i);
    }
    write_sizes(out_, layout_.kernel.symbols.size());
  }
  void write_rows() {
    int instances = layout_.vector_grid ? names_.lanes : 1;
    for (int i = 0; i < layout_.grid_depth(); ++i) instances *= unroll_of(0, i);
    for (std::size_t i = 0; i < layout_.kernel.arguments.size(); ++i) {
      const schedule::Argument& argument = layout_.kernel.arguments[i];
      if (argument.access != Access::local) continue;
      write_memory(names_.argument_name(static_cast<std::int32_t>(i)), argument.dtype,
                   argument.elements * instances);
    }
    tiles_.write_tile_memory();
    for (const ValueId id : layout_.packed) {
      const int columns = names_.lanes * unroll_of(0, layout_.vector_position);
      write_memory(text("panel", id), argument(at(id)).dtype, panel_rows(id) * columns);
    }
  }
  void write_share() {
    if (parallel_ < 0) return out_.line("if (thread != 0) return;");
    const Head head = head_of(0, parallel_);
    const std::string extent = names_.c_index(head.extent, 0, {});
    out_.line(text("const long first = share(", extent, ", ", shared_step_of(head),
                   ", thread, threads);"));
    out_.line({"const long last = share(", extent, ", ", shared_step_of(head),
               ", thread + 1, threads);"});
    out_.line("if (first >= last) return;");
  }
  bool is_staged(std::int32_t argument) const {
    return staged_ != nullptr && any_of(staged_->windows, [&](const StagedWindow& one) {
             return one.argument == argument;
           });
  }
  void write_staged_memory() {
    if (staged_ == nullptr) return;
    for (const StagedWindow& one : staged_->windows) {
      const DType dtype = layout_.kernel.arguments[one.argument].dtype;
      const std::string memory = text("window", one.argument);
      write_memory(memory, dtype, one.elements + names_.lanes);
      // Lanes behind the last element are computed and dropped; denormal numbers would be slow.
      out_.line({"__builtin_memset(", memory, " + ", one.elements, ", 0, ", names_.lanes,
                 " * sizeof(", memory_type(dtype), "));"});
      out_.line({"const ", memory_type(dtype), "* const ", names_.argument_name(one.argument),
                 " = ", memory, ";"});
    }
  }
  /// Computes the windows that are staged where `depth` loops are open.
  void write_staged(int stage, int depth) {
    if (staged_ == nullptr) return;
    for (const StagedWindow& one : staged_->windows) {
      if (one.depth != depth || (depth > layout_.grid_depth() && one.stage != stage)) continue;
      std::string call = text(staged_window_name(name_of_staged_, one.argument),
                              "(buffers, sizes, window", one.argument);
      for (const int position : one.given) call += ", " + names_.loop_name(one.stage, position);
      out_.line(call + ");");
    }
  }
  /// Declares which outputs have non-temporal stores; returns the condition that any has, "" if
  /// none may.
  std::string write_non_temporal_flags() {
    std::string any;
    for (std::size_t i = 0; i < layout_.kernel.arguments.size(); ++i) {
      const auto id = static_cast<std::int32_t>(i);
      if (!memory_.stores_non_temporal(id)) continue;
      const Extent elements = layout_.kernel.arguments[i].elements;
      out_.line({"const bool past", i, " = ", names_.c_index(elements, 0, {}),
                 " >= ", memory_.least_non_temporal(id), ";"});
      any += text(any.empty() ? "past" : " || past", i);
    }
    return any;
  }
  void write_memory(const std::string& name, DType dtype, Extent elements) {
    codegen::write_memory(out_, name, dtype, elements, names_.c_index(elements, 0, {}), 1 << 18);
  }
  // Packs the next columns of the operand, `unroll` vectors of them, as rows of a panel.
  void write_panels(int unroll) {
    Instance instance;
    instance.resize(names_.frames.size());
    const auto position = static_cast<std::size_t>(layout_.vector_position);
    for (const ValueId id : layout_.packed) {
      const int stage = dependence(id).stage;
      const Extent index =
          without(at(id).index, layout_.loop(stage, dependence(id).depth - 1).variable);
      const Extent column = layout_.grid[position].variable;
      const std::string stride = names_.c_index(*coefficient_of(index, column), stage, {});
      for (int u = 0; u < unroll; ++u) {
        instance[position] = u;
        out_.line({"pack_", stored_name(argument(at(id)).dtype), "(panel", id,
                   u == 0 ? "" : text(" + ", u * names_.lanes), ", ", unroll * names_.lanes, ", ",
                   names_.argument_name(at(id).argument), " + ",
                   names_.c_index(index, stage, instance), ", ", stride, ", ", values_.live_lanes(),
                   ", ", names_.c_index(panel_rows(id), stage, {}), ");"},
                  at(id).remark);
      }
    }
  }
  Extent panel_rows(ValueId id) const {
    return layout_.loop(dependence(id).stage, dependence(id).depth - 1).extent;
  }
  void write_loop(int stage, int position) {
    if (tiles_.is_tiled(position) && !in_tile_) return write_tiled_loops(position);
    const Head head = head_of(stage, position);
    if (is_written_out(stage, position)) return write_out(head);
    if (const Interior interior = interior_to_split(head); interior.found()) {
      return write_split_loop(head, interior);
    }
    const int step = step_of(head);
    const std::int64_t most = bounds(head.extent).max;
    const bool exact = step == 1 || proven_divisible(head.extent, step);
    const bool full = most >= step;
    const bool peels = full && !exact && write_alignment_peel(head);
    // Mixing non-temporal and normal stores in one cache line costs as much as many lines.
    const bool is_short = most < context_.target.cpp.fewest_non_temporal_row;
    const bool is_temporal = head.vector && head.position > 0 && !exact && !peels && is_short;
    if (is_temporal) memory_.set_all_temporal(true);
    if (full) write_main_loop(head, !exact, peels);
    if (!exact) write_remainder(head, full);
    if (is_temporal) memory_.set_all_temporal(false);
  }
  // Runs over tiles, and over the rows of each tile.
  void write_tiled_loops(int position) {
    const Head row = head_of(0, position), column = head_of(0, position + 1);
    const auto loop = [&](const Head& head) {
      const std::string begin = "tile_" + head.name;
      return text("for (long ", begin, " = ", head.begin, "; ", begin, " < ", head.end, "; ", begin,
                  " += ", tiles_.tile(), ")");
    };
    const auto end = [&](const Head& head) {
      const std::string next = text("tile_", head.name, " + ", tiles_.tile());
      out_.line({"const long end_", head.name, " = ", next, " < ", head.end, " ? ", next, " : ",
                 head.end, ";"});
    };
    const auto rows = out_.block(loop(row));
    end(row);
    const auto columns = out_.block(loop(column));
    end(column);
    tiles_.write_tiles("tile_" + row.name, "tile_" + column.name,
                       text("end_", row.name, " - tile_", row.name),
                       text("end_", column.name, " - tile_", column.name));
    in_tile_ = true;
    write_loop(0, position);
    in_tile_ = false;
  }
  // for (long i0 = 0; i0 < 64; i0 += 16)
  void write_main_loop(const Head& head, bool rest, bool declared) {
    const int step = step_of(head);
    const std::string start = text("long ", head.name, " = ", head.begin, ";");
    const std::string next = step == 1 ? text("++", head.name) : text(head.name, " += ", step);
    if (rest && !declared) out_.line(start);
    const std::string loop =
        rest ? text("for (; ", head.name, " + ", step, " <= ", head.end, "; ", next, ")")
             : text("for (", start, " ", head.name, " < ", head.end, "; ", next, ")");
    const ValueId store = names_.masked ? -1 : non_temporal_if_large(head);
    if (store < 0) return write_body(head, head.unroll, loop);
    {
      const auto large = out_.block({"if (past", at(store).argument, ")"});
      write_body(head, head.unroll, loop);
    }
    const auto small = out_.block("else");
    memory_.set_temporal(at(store).argument);
    write_body(head, head.unroll, loop);
    memory_.set_temporal(-1);
  }
  /// The interior of `head`, if a separate loop without guards pays; else one that is not found().
  Interior interior_to_split(const Head& head) const {
    const schedule::CppLimits& limits = context_.target.cpp;
    if (!head.vector || names_.masked || in_tile_ || names_.held != nullptr) return {};
    if (!layout_.packed.empty() || !layout_.transposed.empty()) return {};
    if (bounds(head.extent).max < limits.fewest_split_vectors * names_.lanes) return {};
    std::size_t instructions = 0;
    for (std::size_t s = 0; s < layout_.stages.size(); ++s) {
      instructions += layout_.kernel.stages[s].body.size();
      if (has_expensive_op(layout_.kernel, static_cast<int>(s))) return {};
    }
    if (instructions > limits.most_instructions_split) return {};
    if (has(layout_.kernel, Code::scan) || has(layout_.kernel, Code::sort)) return {};
    return interior_of(names_, head.stage, head.position);
  }
  // Inside the interior, whole vectors run without guards; the vectors before and after it test
  // their lanes.
  void write_split_loop(const Head& head, const Interior& interior) {
    const auto c = [&](Extent extent) { return names_.c_index(extent, head.stage, {}); };
    const std::string near = "near_" + head.name, far = "far_" + head.name;
    std::string first = "0", end = head.end, holds;
    for (const Extent bound : interior.begins) first = text("later(", first, ", ", c(bound), ")");
    for (const Extent bound : interior.ends) end = text("least(", end, ", ", c(bound), ")");
    for (const auto& [least, most] : interior.conditions) {
      holds += text(holds.empty() ? "" : " && ", c(least), " <= ", c(most));
    }
    out_.line({"const long ", near, " = ", first, ";"});
    out_.line({"const long ", far, " = ", holds.empty() ? "" : holds + " ? ", end,
               holds.empty() ? "" : " : 0", ";"});
    // A cache line must not get both non-temporal and normal stores.
    const bool whole = proven_divisible(head.extent, names_.lanes);
    memory_.set_all_temporal(!whole);
    out_.line({"long ", head.name, " = ", head.begin, ";"});
    const auto loop = out_.block({"while (", head.name, " < ", head.end, ")"});
    {
      const auto inner = out_.block({"if (", near, " <= ", head.name, " && ", head.name, " + ",
                                     names_.lanes, " <= ", far, ")"});
      names_.held = &interior.held;
      const auto write_vectors = [&](int unroll) {
        const int step = unroll * names_.lanes;
        write_body(head, unroll,
                   text("for (; ", head.name, " + ", step, " <= ", far, "; ", head.name,
                        " += ", step, ")"));
      };
      if (head.unroll > 1) write_vectors(head.unroll);
      write_vectors(1);
      names_.held = nullptr;
      out_.line("continue;");
    }
    if (!whole) {
      out_.line(
          {"const long lanes = least(", head.end, " - ", head.name, ", ", names_.lanes, ");"});
    }
    write_iteration(head, 1, !whole);
    out_.line({head.name, " += ", names_.lanes, ";"});
    memory_.set_all_temporal(false);
  }
  // Writes out the loops over a small window.
  bool is_written_out(int stage, int position) const {
    if (position < layout_.grid_depth() || !layout_.vector_grid || names_.lanes == 1) return false;
    if (names_.masked && staged_ == nullptr) return false;
    const auto& body = layout_.kernel.stages[stage].body;
    const bool has_guards = any_of(body, [&](ValueId id) { return !at(id).guards.empty(); });
    if (names_.held == nullptr && has_guards) return false;
    const Vector<Loop>& loops = layout_.stages[stage];
    std::int64_t count = 1;
    for (std::size_t i = static_cast<std::size_t>(position - layout_.grid_depth());
         i < loops.size(); ++i) {
      if (!loops[i].extent.is_number()) return false;
      count *= loops[i].extent.number();
      if (count > context_.target.cpp.most_steps_written_out) return false;
    }
    return true;
  }
  void write_out(const Head& head) {
    for (std::int64_t i = 0; i < head.extent.number(); ++i) {
      const auto block = out_.block("");
      out_.line({"const long ", head.name, " = ", i, ";"});
      write_iteration(head, 1, false);
    }
  }
  /// Peels the first iterations of `head`, if its rows may be unaligned, so that its stores are
  /// aligned. Returns whether it did.
  /// Where rows have odd sizes, most vectors would be stored across cache lines, and non-temporal
  /// stores, which have to be aligned, would become ordinary ones.
  bool write_alignment_peel(const Head& head) {
    const bool starts = head.begin == "0";  // else it is in a tile
    const ValueId id = first_store(head);
    if (id < 0 || names_.masked ||
        bounds(head.extent).max < context_.target.cpp.fewest_aligned_vectors * names_.lanes)
      return false;
    Instance instance;
    instance.resize(names_.frames.size() + 1);
    out_.line({"long ", head.name, " = ", head.begin, ";"});
    names_.frames.push_back({head.name, 1, names_.lanes});
    const std::string where = memory_.address(id, instance);
    names_.frames.pop_back();
    const auto block = out_.block({"if (const long lanes = before_line(", where, ", ",
                                   info(argument(at(id)).dtype).size, ", ", names_.lanes, ", ",
                                   starts ? head.end : text(head.end, " - ", head.name), "))"});
    write_iteration(head, 1, true);
    out_.line({head.name, starts ? " = lanes;" : " += lanes;"});
    return true;
  }
  // The first store of a loop over a row; -1 if there is none, if the order of iterations may
  // matter, or if an additional vector costs more than alignment saves: a store through the caches
  // only saves the access to a second cache line.
  ValueId first_store(const Head& head) const {
    if (!head.vector || head.unroll != 1 || head.parallel || head.position == 0) return -1;
    ValueId result = -1;
    bool is_non_temporal = false, is_cheap = true;
    for (const schedule::Stage* stage : stages_inside(head)) {
      for (const ValueId id : stage->body) {
        const Instruction& one = at(id);
        if (one.code == Code::reduce || one.code == Code::scan || one.code == Code::combine ||
            one.code == Code::sort) {
          return -1;
        }
        is_cheap &= one.guards.empty() && !(one.code == Code::compute && is_expensive(one.op));
        if (one.code != Code::store || one.accumulate || argument(one).access == Access::local)
          continue;
        is_non_temporal |= memory_.stores_non_temporal(one.argument);
        if (result < 0 && names_.varying(id) && memory_.contiguous(id)) result = id;
      }
    }
    return is_non_temporal || is_cheap ? result : -1;
  }
  /// A store inside `head` for which the loop is written twice, with and without non-temporal
  /// stores; -1 if there is none:
  /// the first store of a short loop, if it is non-temporal only for large sizes, known at the
  /// call: a branch for each vector would take a noticeable part of the time of the loop.
  ValueId non_temporal_if_large(const Head& head) const {
    if (!head.vector || bounds(head.extent).max <= step_of(head)) return -1;
    ValueId result = -1;
    std::size_t instructions = 0;
    for (const schedule::Stage* stage : stages_inside(head)) {
      for (const ValueId id : stage->body) {
        const Instruction& one = at(id);
        instructions += dependence(id).depth == head.position + 1;
        if (one.code == Code::compute && is_expensive(one.op)) return -1;
        if (result >= 0 || one.code != Code::store || one.accumulate) continue;
        const bool is_non_temporal = memory_.stores_non_temporal(one.argument) &&
                                     names_.varying(id) && memory_.contiguous(id);
        if (is_non_temporal && !argument(one).elements.is_number()) result = id;
      }
    }
    return instructions <= context_.target.cpp.most_instructions_written_twice ? result : -1;
  }
  void write_body(const Head& head, int unroll, const std::string& loop) {
    const auto block = out_.block(loop);
    write_iteration(head, unroll, false);
  }
  // The stages inside `head`, if it is the innermost loop around them.
  Vector<const schedule::Stage*> stages_inside(const Head& head) const {
    Vector<const schedule::Stage*> result;
    const int depth = head.position + 1 - layout_.grid_depth();
    for (std::size_t i = 0; i < layout_.stages.size(); ++i) {
      if (depth > 0 && static_cast<int>(i) != head.stage) continue;
      if (static_cast<int>(layout_.stages[i].size()) != depth) return {};
      result.push_back(&layout_.kernel.stages[i]);
    }
    return result;
  }
  void write_remainder(const Head& head, bool declared) {
    if (!declared) out_.line({"long ", head.name, " = ", head.begin, ";"});
    if (!head.vector) {
      const auto block =
          out_.block({"for (; ", head.name, " < ", head.end, "; ++", head.name, ")"});
      return write_iteration(head, 1, false);
    }
    // Bodies that are slow to compile are not written once more: those of grid loops, which contain
    // whole stages, and those with expensive operations.
    const bool of_stage = head.position >= layout_.grid_depth();
    const bool singles = head.unroll > 1 && (of_stage || layout_.kernel.sums_windows) &&
                         !has_expensive_op(layout_.kernel, head.stage);
    if (singles) write_single_vectors(head);
    if (singles && proven_divisible(head.extent, names_.lanes)) return;
    const bool once = head.unroll == 1 || singles;
    const auto block = out_.block(once ? text("if (", head.name, " < ", head.end, ")")
                                       : text("for (; ", head.name, " < ", head.end, "; ",
                                              head.name, " += ", names_.lanes, ")"));
    const std::string left = text(head.end, " - ", head.name);
    out_.line({"const long lanes = ",
               once ? left : text(left, " < ", names_.lanes, " ? ", left, " : ", names_.lanes),
               ";"});
    write_iteration(head, 1, true);
  }
  // Writes the whole vectors that the unrolled loop of a stage leaves: masked ones would take
  // longer.
  void write_single_vectors(const Head& head) {
    const std::int64_t most = bounds(head.extent).max;
    if (most < names_.lanes || (head.extent.is_number() && most % step_of(head) < names_.lanes))
      return;
    write_body(head, 1,
               text("for (; ", head.name, " + ", names_.lanes, " <= ", head.end, "; ", head.name,
                    " += ", names_.lanes, ")"));
  }
  void write_iteration(const Head& head, int unroll, bool masked) {
    const bool outside = names_.masked;
    names_.masked = names_.masked || masked;
    names_.frames.push_back({head.name, unroll, head.vector ? names_.lanes : 1});
    const int depth = head.position + 1;
    const int grid = layout_.grid_depth();
    write_staged(head.stage, depth);
    if (head.position == layout_.vector_position) write_panels(unroll);
    if (depth == 1 && grid > 0) reductions_.write_neutral_results();
    if (depth < grid) {
      values_.write_depth(depth, -1);
      write_loop(0, depth);
    } else if (depth == grid) {
      write_grid_body();
    } else if (depth < layout_.depth(head.stage)) {
      values_.write_depth(depth, head.stage);
      write_loop(head.stage, depth);
    } else {
      reductions_.write_innermost(head.stage);
    }
    names_.frames.pop_back();
    names_.masked = outside;
  }
  void write_grid() {
    write_share();
    const std::string non_temporal = write_non_temporal_flags();
    write_rows();
    write_staged_memory();
    write_staged(0, 0);
    if (layout_.grid_depth() > 0) {
      values_.write_depth(0, -1);
      write_loop(0, 0);
    } else {
      write_grid_body();
    }
    if (!non_temporal.empty()) out_.line({"if (", non_temporal, ") stream_end();"});
  }
  void write_grid_body() {
    for (int stage = 0; stage < static_cast<int>(layout_.stages.size()); ++stage)
      write_stage(stage);
  }
  void write_stage(int stage) {
    const int grid = layout_.grid_depth();
    const bool loops = !layout_.stages[stage].empty();
    const bool written_out = loops && is_written_out(stage, layout_.depth(stage) - 1);
    reductions_.set_accumulator_count(written_out ? 1 : reductions_.accumulators_of(stage));
    if (loops) values_.write_depth(grid, stage);
    reductions_.write_accumulators(stage);
    loops ? write_loop(stage, grid) : reductions_.write_innermost(stage);
    reductions_.write_results(stage);
    reductions_.set_accumulator_count(1);
  }
  // Adjacent columns that are reduced together read whole cache lines, several at a time.
  int choose_column_unroll() const {
    if (!layout_.vector_grid || names_.lanes == 1) return 1;
    bool reduces = false;
    for (const Instruction& one : layout_.kernel.instructions) {
      reduces = reduces || one.code == Code::reduce || one.code == Code::scan;
    }
    for (const Loop& loop : layout_.grid) {
      if (loop.unroll > 1) return 1;
    }
    if (context_.tuning.unroll != 0 && layout_.transposed.empty()) return context_.tuning.unroll;
    const std::int64_t vectors = bounds(layout_.grid.back().extent).max / names_.lanes;
    return !reduces || vectors < 4 ? 1 : vectors < 16 ? 2 : 4;
  }
  int unroll_of(int stage, int position) const {
    if (position < layout_.grid_depth()) {
      const int unroll = std::max(1, layout_.loop(stage, position).unroll);
      return position + 1 == layout_.grid_depth() ? std::max(unroll, column_unroll_) : unroll;
    }
    return position + 1 == layout_.depth(stage) ? reductions_.accumulator_count() : 1;
  }
  int step_of(const Head& head) const { return head.unroll * (head.vector ? names_.lanes : 1); }

  /// How many consecutive iterations stay with one thread.
  int shared_step_of(const Head& head) const {
    return tiles_.is_tiled(head.position) ? static_cast<int>(tiles_.tile()) : step_of(head);
  }

  Transposes tiles_{context_};
  int column_unroll_ = 1;  ///< Vectors of columns that are reduced together.
  bool in_tile_ = false;
  const StagedKernel* staged_ = nullptr;
  std::string name_of_staged_{};
  int parallel_ = -1;  ///< The grid loop that threads share; -1 if one thread runs all.
};

/// The text of `kernel`, which is written as its loops are, as the function `name`.
inline std::string nest_function(const Kernel& kernel, const std::string& name,
                                 const CppOptions& options, Linkage linkage) {
  const int bits =
      options.tuning.vector_bits != 0 ? options.tuning.vector_bits : options.target.vectors.bits;
  if (kernel.vector_axis == VectorAxis::none || bits == 0) {
    return Nest(kernel, 1, options).function(name, linkage);
  }
  const int lanes = bits / (8 * lane_bytes(kernel));
  const Kernel ordered = options.strict ? kernel : schedule::with_lines_inside(kernel);
  const auto staged = stage_windows(ordered, options.target.cpp);
  if (!staged) return Nest(ordered, lanes, options).function(name, linkage);
  std::string result;
  for (const StagedWindow& one : staged->windows) {
    result += Piece(one.piece, options).function(staged_window_name(name, one.argument)) + "\n";
  }
  return result + Nest(*staged, lanes, options, name).function(name, linkage);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
