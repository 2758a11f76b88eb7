#pragma once
// Emits column reductions: neighbouring threads have neighbouring columns, and the rows of a column
// are divided among the rows of threads of a block.

#include <algorithm>  // std::max
#include <string>     // std::string

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/codegen/cuda/nest/packs.hpp>
#include <sinter/codegen/cuda/nest/row_registers.hpp>
#include <sinter/codegen/text/reductions.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaColumns : private KernelPart {
 public:
  CudaColumns(KernelContext& context, Values& values, Memory& memory, Reductions& reductions,
              CudaPacks& packs)
      : KernelPart(context),
        values_(values),
        memory_(memory),
        reductions_(reductions),
        packs_(packs) {}

  /// The threads of a block: `columns` x `rows`; thread row r takes rows r, r + `rows`, ...
  struct Block {
    int columns = 128, rows = 1;
  };

  /// Chooses the block shape for `columns` columns, which are neighbours in memory.
  void share_columns(const Extent& columns) {
    if (!may_share_rows()) return;
    const Extent last = layout_.grid.back().extent;
    int pack = packs_.pack_lanes(false);
    if (!proven_divisible(last, pack)) pack = 1;
    const std::int64_t most = bounds(columns).max, length = longest_column();
    const std::int64_t own = most == unbounded ? 1 : std::max<std::int64_t>(most / pack, 1);
    const schedule::CudaLimits& limits = context_.target.cuda;
    int across = 1, rows = 1;
    while (across * pack < limits.most_columns && across < bounds(last).max / pack) across *= 2;
    while (across * pack > limits.fewest_columns && own / across < limits.fewest_column_blocks &&
           most != unbounded) {
      across /= 2;
    }
    const auto more = [&] {
      return across * rows < limits.column_threads && rows * 8 <= length &&
             own * rows < limits.unshared_columns;
    };
    while (more()) rows *= 2;
    if (rows == 1 || column_partial_bytes() > limits.most_column_bytes) return;
    packs_.set_pack(pack);
    while (across * rows < warp_threads) across *= 2;  // at least one full warp
    for (std::size_t i = 0; pack > 1 && i < layout_.values.size(); ++i) {
      if (layout_.kernel.instructions[i].argument < 0) continue;
      const auto id = static_cast<ValueId>(i);
      layout_.values[i].has_base &= !packs_.are_neighbours(id);  // a pack has one address
    }
    block_ = {across, rows};
    all_columns_live_ = proven_divisible(columns, std::int64_t{pack} * across);
  }

  const Block& block() const { return block_; }
  /// True if every thread of every block has a column.
  bool all_columns_live() const { return all_columns_live_; }
  /// True if the rows of a column are divided among several threads.
  bool shares_columns() const { return block_.rows > 1; }

  /// The loop of `stage` whose iterations are divided among threads.
  int shared_position(int stage) const {
    const auto& loops = layout_.stages[stage];
    std::size_t longest = 0;
    for (std::size_t i = 1; i < loops.size(); ++i) {
      if (bounds(loops[i].extent).max > bounds(loops[longest].extent).max) longest = i;
    }
    return layout_.grid_depth() + static_cast<int>(longest);
  }

  /// Writes the innermost shared loop of `stage` with prefetching: a thread loads several rows
  /// before it computes, to overlap the latencies. Writes nothing and returns false if no load can
  /// be moved.
  bool write_prefetched_rows(int stage, const std::string& integer) {
    const int position = shared_position(stage);
    const std::string name = names_.loop_name(stage, position);
    const Extent length = layout_.loop(stage, position).extent;
    names_.frames.push_back({name, 1, 1});
    Vector<ValueId> loads;
    for (const ValueId id : layout_.kernel.stages[stage].body) {
      if (may_prefetch(id)) loads.push_back(id);
    }
    const int steps = prefetch_rows(loads);
    if (steps > 1) {
      const auto loop =
          out_.block({"for (", integer, " first = threadIdx.x / ", block_.columns, "; first < ",
                      names_.c_index(length, stage, {}), "; first += ", block_.rows * steps, ")"});
      for (const ValueId id : loads) {
        const int lanes = packs_.packed(id) ? packs_.pack() : 1;
        out_.line(
            text(CudaPacks::pack_type(argument(at(id)).dtype, lanes), " w", id, "[", steps, "];"));
      }
      write_row_steps(name, length, steps, stage, integer, [&] {
        for (const ValueId id : loads) write_prefetch_load(id);
      });
      prefetched_ = loads;
      write_row_steps(name, length, steps, stage, integer,
                      [&] { reductions_.write_innermost(stage); });
      prefetched_.clear();
    }
    names_.frames.pop_back();
    return steps > 1;
  }

  /// True if the load `id` was prefetched; writes it.
  bool is_prefetched(ValueId id) const { return contains(prefetched_, id); }

  void write_load(ValueId id, const Instance& instance) {
    if (!packs_.packed(id))
      return values_.declare(id, instance, memory_.read(id, text("w", id, "[step]")));
    const auto last = static_cast<std::size_t>(layout_.vector_loop(dependence(id).stage));
    values_.declare(id, instance,
                    memory_.read(id, text("w", id, "[step].lane[", instance[last], "]")));
  }

  // "column_sum_f32<8>(a4, parts4)"
  void write_column_result(ValueId id, const Instance& instance) {
    const ValueType type = reductions_.accumulator_type(id);
    const bool argmax = at(id).op == Op::argmax;
    const std::string number = text(id, names_.instance_name(dependence(id).loops, instance));
    const int parts = block_.columns * block_.rows / 32 * block_.columns;
    std::string operands = reductions_.accumulator(reductions_.accumulated_in(id), instance, 0);
    if (argmax) operands += ", " + reductions_.position(id, instance);
    out_.line({"__shared__ ", type_name({type.dtype}), " parts", number, "[", parts, "];"});
    if (argmax) out_.line({"__shared__ long places", number, "[", parts, "];"});
    operands += text(", parts", number, argmax ? text(", places", number) : "");
    values_.declare(
        id, instance,
        text("column_", at(id).op, "_", suffix(type), "<", block_.columns, ">(", operands, ")"));
  }

  /// The condition under which a thread stores in `stage`; "" if always.
  std::string column_condition(int stage) const {
    if (!layout_.stages[stage].empty()) return all_columns_live_ ? "" : "live";
    return text(all_columns_live_ ? "" : "live && ", "threadIdx.x < ", block_.columns);
  }

 private:
  // True if partial results of a column may be combined across threads: not if sums keep their
  // order, nor if each thread needs local rows.
  bool may_share_rows() const {
    if (schedule::has_local(layout_.kernel)) return false;
    for (const Instruction& one : layout_.kernel.instructions) {
      if (one.code == Code::scan || one.code == Code::combine || one.accumulate) return false;
      if (one.code == Code::reduce && context_.strict && is_rounded(one)) return false;
    }
    return true;
  }

  std::int64_t longest_column() const {
    std::int64_t result = 1;
    for (std::size_t i = 0; i < layout_.stages.size(); ++i) {
      if (layout_.stages[i].empty()) continue;
      const int stage = static_cast<int>(i);
      result = std::max(result, bounds(layout_.loop(stage, shared_position(stage)).extent).max);
    }
    return result;
  }

  // Shared memory for the partial results of the warps of a block.
  std::int64_t column_partial_bytes() const {
    std::int64_t result = 0;
    for (const Instruction& one : layout_.kernel.instructions) {
      if (one.code == Code::reduce) result += one.op == Op::argmax ? 16 : 8;
    }
    return result * context_.target.cuda.column_threads / warp_threads *
           context_.target.cuda.most_columns;
  }

  // True if `id` is a load that may be moved some iterations ahead of its use.
  bool may_prefetch(ValueId id) const {
    const Instruction& one = at(id);
    if (one.code != Code::load || argument(one).access != Access::read) return false;
    const Dependence& value = dependence(id);
    if (value.depth != layout_.depth(value.stage) || layout_.has_bind(one.index)) return false;
    const int vector = layout_.vector_loop(value.stage);
    const bool by_lane = packs_.pack() > 1 && vector >= 0 && (value.loops >> vector & 1) != 0;
    return packs_.is_unguarded(id) && packs_.may_be_moved(id) && (!by_lane || packs_.packed(id));
  }

  // Rows to prefetch: as many as registers allow; 1 means none. None for f64 arithmetic and 16-bit
  // loads, whose conversions need the registers.
  int prefetch_rows(const Vector<ValueId>& loads) const {
    if (widest_words(layout_.kernel) > 1) return 1;
    std::size_t bytes = 0;
    for (const ValueId id : loads) {
      const std::size_t size = info(argument(at(id)).dtype).size;
      if (size == 2) return 1;
      bytes += size * static_cast<std::size_t>(packs_.packed(id) ? packs_.pack() : 1);
    }
    int steps = loads.empty() ? 1 : context_.target.cuda.most_prefetched_rows;
    const auto most = static_cast<std::size_t>(context_.target.cuda.most_prefetched_words) * 4;
    while (steps > 1 && bytes * static_cast<std::size_t>(steps) > most) steps /= 2;
    return steps;
  }

  // "for (int step = 0; step < 4; ++step)", where each step handles the row `name`.
  void write_row_steps(const std::string& name, const Extent& length, int steps, int stage,
                       const std::string& integer, FunctionRef<void()> write) {
    out_.line("#pragma unroll");
    const auto loop = out_.block({"for (int step = 0; step < ", steps, "; ++step)"});
    out_.line({"const ", integer, " ", name, " = first + step * ", block_.rows, ";"});
    if (!proven_divisible(length, std::int64_t{block_.rows} * steps)) {
      out_.line({"if (", name, " >= ", names_.c_index(length, stage, {}), ") break;"});
    }
    write();
  }

  // "w5[step] = load_f32x4(in0 + 4096*k0);"
  void write_prefetch_load(ValueId id) {
    const auto last = static_cast<std::size_t>(layout_.vector_loop(dependence(id).stage));
    names_.for_each_instance(dependence(id).loops, [&](const Instance& instance) {
      const bool pack = packs_.packed(id);
      if (pack && instance[last] != 0) return;
      const std::string type = CudaPacks::pack_type(argument(at(id)).dtype, packs_.pack());
      const std::string value = pack ? text("load_", type, "(", memory_.address(id, instance), ")")
                                     : memory_.element(id, instance);
      out_.line({"w", id, "[step] = ", value, ";"}, at(id).remark);
    });
  }

  Values& values_;
  Memory& memory_;
  Reductions& reductions_;
  CudaPacks& packs_;
  Block block_{};
  bool all_columns_live_ = false;
  Vector<ValueId> prefetched_{};  ///< Prefetched loads of the loop that is being written.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
