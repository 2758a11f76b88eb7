#pragma once
// Emits scans (prefix sums and products) that the threads of a block compute together.

#include <string>  // std::string

#include <sinter/codegen/text/reductions.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaScans : private KernelPart {
 public:
  CudaScans(KernelContext& context, Values& values, Reductions& reductions)
      : KernelPart(context), values_(values), reductions_(reductions) {
    for (const Instruction& one : layout_.kernel.instructions) {
      in_order_ = in_order_ || (context.strict && one.code == Code::scan && is_floating(one.dtype));
    }
  }

  /// Decides whether the threads of a block share each of `tasks` rows: if the elements of a row
  /// are neighbours in memory, or there are too few rows for a thread each.
  void share_rows(Extent tasks) {
    if (!has(layout_.kernel, Code::scan) || layout_.kernel.serial) return;
    shares_rows_ = layout_.kernel.vector_axis != VectorAxis::grid ||
                   bounds(tasks).max <= context_.target.cuda.most_shared_scans;
  }

  bool shares_rows() const { return shares_rows_; }
  /// True if `stage` contains a scan, and each of its rows is divided among threads.
  bool scans(int stage) const { return shares_rows_ && has_scan(stage); }

  /// Writes the loop over the row of `stage`. All threads run all iterations; those past the end
  /// use the last element. Strict sums are computed by one thread, in order.
  void write_scan(int stage, const std::string& integer) {
    const int position = layout_.grid_depth();
    const std::string name = names_.loop_name(stage, position);
    const std::string end = names_.c_index(layout_.loop(stage, position).extent, stage, {});
    const std::string head =
        in_order_ ? text("if (threadIdx.x == 0) for (", integer, " ", name, " = 0; ", name, " < ",
                         end, "; ++", name, ")")
                  : text("for (", integer, " chunk = 0; chunk < ", end, "; chunk += blockDim.x)");
    const auto loop = out_.block(head);
    if (!in_order_) {
      out_.line({"const bool live = chunk + threadIdx.x < ", end, ";"});
      out_.line({"const ", integer, " ", name, " = live ? chunk + threadIdx.x : ", end, " - 1;"});
    }
    names_.frames.push_back({name, 1, 1});
    reductions_.write_innermost(stage);
    names_.frames.pop_back();
  }

  /// True if threads past the end must not store in `stage`.
  bool is_shared_scan(int stage) const { return scans(stage) && !in_order_; }

  /// Writes a step of the scan `id`:
  /// "const double v3 = block_cumsum_f64(live ? v2 : 0x0p+0, a3);"
  void write_running(ValueId id, const Instance& instance) {
    if (!is_shared_scan(dependence(id).stage)) return reductions_.write_running(id, instance);
    const ValueType type = reductions_.accumulator_type(id);
    values_.declare(id, instance,
                    text("block_", at(id).op, "_", suffix(type), "(live ? ",
                         values_.operand(at(id).operands[0], instance, false), " : ",
                         literal(neutral(at(id).op, type.dtype)), ", ",
                         reductions_.accumulator(id, instance, 0), ")"));
  }

 private:
  bool has_scan(int stage) const {
    for (const ValueId id : layout_.kernel.stages[stage].body) {
      if (at(id).code == Code::scan) return true;
    }
    return false;
  }

  Values& values_;
  Reductions& reductions_;
  bool shares_rows_ = false, in_order_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
