#pragma once
// Emits a row-tiled kernel in streaming form (online softmax, as in FlashAttention): a block keeps
// the accumulators of a row tile in registers and iterates over key tiles in shared memory.

#include <array>    // std::array
#include <cstdint>  // std::int64_t
#include <string>   // std::string
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/codegen/cuda/attention/matrices.hpp>
#include <sinter/codegen/cuda/attention/numbers.hpp>
#include <sinter/codegen/cuda/attention/pieces.hpp>
#include <sinter/codegen/cuda/nest/function_head.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/cuda/nest/nest.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/text.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The row tile of a block, and the steps (keys) per iteration.
struct CudaStreamingTile {
  int rows = 64, steps = 64;
  int high = 1;       ///< Tensor cores: 16-row fragments per warp.
  bool full = false;  ///< Accumulators fill the registers: recompute copy addresses, do not hoist.
};

class CudaStreaming {
 public:
  CudaStreaming(CudaStreamingForm form, const CudaOptions& options)
      : how_(std::move(form)),
        most_bytes_(std::min(options.target.cuda.streaming_bytes,
                             options.target.multiprocessors.shared_bytes)),
        form_(how_.form),
        function_{form_.code, options.in_body},
        numbers_(form_),
        pieces_(how_),
        dtype_(sum_dtype(how_)) {
    batch_ = count_of(form_.batch), rows_ = form_.row.extent, steps_ = form_.step.extent;
    for (const StreamingDot& dot : form_.dots) {
      dot_left_.push_back(add_matrix(matrices_, how_, true, dot.left, dot.depth));
      dot_right_.push_back(add_matrix(matrices_, how_, false, dot.right, dot.depth));
    }
    for (const StreamingAccumulator& sum : form_.accumulators) {
      sum_right_.push_back(add_matrix(matrices_, how_, false, sum.right, sum.columns));
    }
    for (Known* known : {&scores_, &rescale_bases_, &rows_known_})
      known->assign(form_.code.instructions.size(), false);
    choose_tile();
    integer_ = index_type(form_.code, {rows_ + 1024, steps_ + 1024, tasks() * 2});
  }

  CudaStreaming(const CudaStreaming&) = delete;
  CudaStreaming& operator=(const CudaStreaming&) = delete;

  // Kernel text: a loop over row tiles, and inside it one loop over the steps for each pass.

  /// The text of the function `name`, preceded by the device functions that it calls.
  std::string function(const std::string& name) {
    pieces_.name = name, pieces_.integer = integer_;
    for (Matrix& matrix : matrices_) write_operand(matrix);
    function_.write(out_, name, text(threads(), ", 1"), [&] {
      write_shared();
      write_body();
    });
    return pieces_.str() + out_.str();
  }

  CudaLaunch launch() const { return {max(tasks(), 1), threads(), shared_bytes()}; }
  const CudaStreamingTile& tile() const { return tile_; }

 private:
  using Matrix = StreamingMatrix;
  using Call = ScalarCall;
  /// Per value: whether code may use it as given.
  using Known = Vector<bool>;

  const Instruction& at(ValueId id) const { return form_.code.instructions[id]; }

  // The largest tile that fits in registers and shared memory.
  void choose_tile() {
    int columns = 0;
    for (const std::size_t right : sum_right_) columns += matrices_[right].width;
    if (how_.mma) {
      // Warps of 32 rows read shared memory half as often per product as warps of 16 rows, if their
      // accumulators leave registers for the scores.
      const bool light =
          columns <= 64 && form_.dots.size() == 1 && detail::needs_few_registers(form_);
      const bool heavy = columns > 128 || form_.dots.size() > 1;
      tile_ = {.rows = 128, .steps = heavy ? 32 : 64, .high = light ? 2 : 1};
      const std::int64_t most = bounds(rows_).max;
      if (most <= 64) tile_ = {.rows = most <= 16 ? 16 : 64, .steps = tile_.steps, .high = 1};
      tile_.full = columns > 128;
      // 32-bit operands take twice the registers.
      const bool crowded = tile_.full || (heavy && info(how_.dtype).size == 4);
      if (crowded && detail::needs_many_registers(form_)) tile_.steps = 16;
    } else {
      const bool wide = info(dtype_).size == 8;
      tile_ = {.rows = wide ? 32 : 64, .steps = wide ? 32 : 64};
    }
    while (shared_bytes() > most_bytes_ && tile_.steps > 32) tile_.steps /= 2;
    while (shared_bytes() > most_bytes_ && tile_.rows > 64) tile_.rows /= 2;
    while (shared_bytes() > most_bytes_ && tile_.steps > 16) tile_.steps /= 2;
    while (shared_bytes() > most_bytes_ && tile_.rows > 16) tile_.rows /= 2;
  }

  void write_checks() {
    if (form_.checks.empty()) return;
    const std::string call = pieces_.write_checks(pieces_.sides({"step", {form_.step}}));
    const std::string tile = text(" * ", tile_.steps);
    const std::string first = form_.before ? "0" : "end" + tile;
    const std::string last = form_.before ? "begin" + tile : "steps";
    const auto steps = out_.block({"for (", integer_, " step = ", first, " + threadIdx.x; step < ",
                                   last, "; step += Lines::threads)"});
    const auto lines = out_.block(text("for (", integer_, " line = row0; line < min(row0 + ",
                                       tile_.rows, ", rows); ++line)"));
    out_.line({call, "line, step);"});
  }

  void write_operand(Matrix& matrix) {
    if (matrix.copied) return;
    const CudaSide line{matrix.of_rows ? "row" : "step", {matrix.of_rows ? form_.row : form_.step}};
    matrix.call = pieces_.write_operand(matrix.name, matrix.value, line, matrix.inner);
  }

  // Declares "r12", a per-row value for each row of a thread, unless it is declared already. The
  // running reductions that it is computed from are declared by then.
  void declare_row_number(ValueId id) {
    if (rows_known_[id]) return;
    rows_known_[id] = true;
    out_.line({type_name({at(id).dtype}), " r", id, "[Scores::slots];"});
    const auto loop = unrolled("i", "Scores::slots");
    out_.line({"r", id, "[i] = ", row_number(id), ";"});
  }

  // The expression of a per-row value of row `i`.
  std::string row_number(ValueId id) {
    if (numbers_.is_running_reduction(id)) return text("r", id, "[i]");
    auto found = row_calls_.find(id);
    if (found == row_calls_.end()) {
      Known reductions(form_.code.instructions.size(), false);
      for (const RunningReduction& reduction : form_.reductions) {
        reductions[reduction.result] = true;
      }
      found = row_calls_.emplace(id, pieces_.write_call("row", id, pieces_.sides({}), reductions))
                  .first;
    }
    std::string result = found->second.head + "row[i]";
    for (const ValueId given : found->second.givens) result += text(", r", given, "[i]");
    return result + ")";
  }

  // The expression of a score of row `i`, element `e`.
  std::string score(const Call& call) const {
    std::string result = call.head + "row[i], step";
    for (const ValueId given : call.givens) {
      const char* const name = rescale_bases_[given] ? "h" : "r";
      result += numbers_.is_row_number(given) ? text(", ", name, given, "[i]")
                                              : text(", x", given, ".at(i, e)");
    }
    return result + ")";
  }

  Writer::Block unrolled(const std::string& variable, const std::string& count) {
    out_.line("#pragma unroll");
    return out_.block(
        text("for (int ", variable, " = 0; ", variable, " < ", count, "; ++", variable, ")"));
  }

  std::string c(Extent extent, const std::string& row = "") const {
    Vector<CudaSide> sides{{"batch", form_.batch}};
    if (!row.empty()) sides.push_back({row, {form_.row}});
    return c_inside(form_.code, sides, extent);
  }

  std::string number() const { return type_name({dtype_}); }

  std::int64_t bytes_of(const Matrix& matrix) const {
    const int count = matrix.of_rows ? tile_.rows : tile_.steps;
    const int lines = matrix.deep ? count : matrix.width,
              width = matrix.deep ? matrix.width : count;
    const auto size = static_cast<std::int64_t>(info(how_.dtype).size);
    return lines * (width * size + 16) * (matrix.of_rows ? 1 : 2);
  }

  std::int64_t shared_bytes() const {
    std::int64_t result = 0;
    for (const Matrix& matrix : matrices_) result += bytes_of(matrix);
    if (how_.mma) return result;
    const auto size = static_cast<std::int64_t>(info(dtype_).size);
    return result + tile_.rows * (tile_.steps * size + 16) + tile_.rows * 8;
  }

  int threads() const { return how_.mma ? tile_.rows / tile_.high * 2 : 256; }

  Extent tasks() const { return batch_ * ceil_div(rows_, tile_.rows); }

  void write_shared() {
    out_.line({"// Blocks of ", tile_.rows, " rows, ", tile_.steps, " steps at a time, ",
               !how_.mma              ? "in registers."
               : how_.dtype == dtype_ ? "by tensor cores, as TF32."
                                      : "by tensor cores."});
    if (how_.mma) {
      out_.line({"using Lines = MmaLines_", how_.dtype, "<", tile_.rows, ", ", tile_.steps, ", ",
                 tile_.high, ">;"});
    } else {
      out_.line({"using Lines = RegisterLines<", type_name({dtype_}), ", ", tile_.rows, ", ",
                 tile_.steps, ">;"});
    }
    out_.line("using Scores = Lines::Scores;");
    out_.line("extern __shared__ __align__(16) unsigned char shared[];");
    std::string from = "shared";
    for (const Matrix& matrix : matrices_) {
      const std::string type =
          matrix.of_rows ? "L" + matrix.name.substr(1) : "R" + matrix.name.substr(1);
      out_.line({"using ", type, " = Operand<", memory_type(how_.dtype), ", ",
                 matrix.of_rows ? tile_.rows : tile_.steps, ", ", matrix.width, ", ",
                 matrix.deep ? "true" : "false", ">;"});
      out_.line({type, "* const ", matrix.name, " = (", type, "*)", from, ";"});
      from = text("(", matrix.name, " + ", matrix.of_rows ? 1 : 2, ")");
    }
    out_.line({"const Lines lines((Lines::Memory*)", from, ");"});
  }

  void write_body() {
    const std::string head = text("const ", integer_, " ");
    out_.line({head, "rows = ", c(rows_), ", steps = ", c(steps_), ", blocks = (rows + ",
               tile_.rows - 1, ") / ", tile_.rows, ", tasks = ", c(batch_), " * blocks;"});
    const auto tasks = out_.block({"for (", integer_, " task = ", function_.block(),
                                   "; task < tasks; task += ", function_.blocks(), ")"});
    // Under a causal mask the last rows have the most steps: run them first, for load balance.
    const bool last = !same(form_.end, -1) && !form_.before;
    out_.line(
        text(head, "row0 = (", last ? "blocks - 1 - " : "", "task % blocks) * ", tile_.rows, ";"));
    if (!form_.batch.empty()) out_.line({head, "batch = task / blocks;"});
    const auto names = [&](Extent extent) { return c(extent); };
    for (const std::string& line :
         detail::side_lines({"batch", form_.batch}, integer_, "batch", names)) {
      out_.line(line);
    }
    out_.line({integer_, " row[Scores::slots];"});
    {
      const auto loop = unrolled("i", "Scores::slots");
      out_.line("row[i] = min(row0 + Scores::row_of(i), rows - 1);");
    }
    write_tile_range();
    write_checks();
    for (int pass = 0; pass < form_.passes; ++pass) write_pass(pass);
    write_row_stores();
    for (std::size_t sum = 0; sum < form_.accumulators.size(); ++sum) write_sum_stores(sum);
    rows_known_.assign(rows_known_.size(), false);
  }

  // Declares the range of step tiles that the mask does not skip.
  void write_tile_range() {
    const std::string head = text("const ", integer_, " ");
    std::string begin = "0", end = "steps";
    if (!same(form_.end, -1)) {
      const std::string edge = form_.before ? "row0" : "edge";
      if (!form_.before) out_.line({head, "edge = min(row0 + ", tile_.rows, ", rows) - 1;"});
      const std::string limit = c(form_.end, edge);
      const std::string clamped =
          text("max(min((", integer_, ")", limit, ", steps), (", integer_, ")0)");
      (form_.before ? begin : end) = clamped;
    }
    out_.line({head, "begin = ", begin, " / ", tile_.steps, ", end = (", end, " + ",
               tile_.steps - 1, ") / ", tile_.steps, ";"});
  }

  void write_fetch(const Matrix& matrix, const std::string& target, const std::string& first,
                   const std::string& end) {
    const std::string across = text(end, " - ", first), inner = c(count_of(matrix.inner));
    const std::string size = matrix.deep ? text(across, ", ", inner) : text(inner, ", ", across);
    const std::string thread = tile_.full ? ", at_present(threadIdx.x)" : "";
    if (matrix.copied) {
      Extent base = without(at(matrix.value).index,
                            matrix.of_rows ? form_.row.variable : form_.step.variable);
      for (const Loop& loop : matrix.inner) base = without(base, loop.variable);
      const std::string stride = c(matrix.stride);
      out_.line(text(target, ".copy<Lines::threads, ", integer_, ">(",
                     parameter_name(form_.code, at(matrix.value).argument),
                     same(base, 0) ? "" : " + " + c(base), " + ", first,
                     matrix.deep ? " * " + stride : "", ", ", stride, ", ", size, thread, ");"),
                at(matrix.value).remark);
      return;
    }
    const auto block = out_.block("");
    out_.line({"const auto one = [&](int line, int at) { return ", matrix.call, first,
               " + line, at); };"});
    out_.line(text(target, ".fill<Lines::threads, 1, ", integer_, ">(", size, ", one, one", thread,
                   ");"));
  }

  void write_pass(int pass) {
    declare_running_reductions(pass);
    const Vector<std::size_t> used = matrices_of(pass);
    out_.line({"const auto fetch", pass, " = [&](", integer_, " tile) {"});
    for (const std::size_t i : used) {
      write_fetch(matrices_[i], text("  ", matrices_[i].name, "[tile % 2]"),
                  text("tile * ", tile_.steps), "steps");
    }
    out_.line("};");
    out_.line("__syncthreads();");
    for (const Matrix& matrix : matrices_) {
      if (pass == 0 && matrix.of_rows) write_fetch(matrix, matrix.name + "[0]", "row0", "rows");
    }
    out_.line({"if (begin < end) fetch", pass, "(begin);"});
    out_.line("end_copies();");
    write_steps(pass);
    out_.line("wait_copies<0>();");
    write_pass_end(pass);
  }

  void write_steps(int pass) {
    const auto loop = out_.block({"for (", integer_, " tile = begin; tile < end; ++tile)"});
    out_.line("wait_copies<0>();");
    out_.line("__syncthreads();");
    out_.line({"if (tile + 1 < end) fetch", pass, "(tile + 1);"});
    out_.line("end_copies();");
    scores_.assign(scores_.size(), false);
    outside_.clear();
    for (const std::size_t dot : numbers_.dots_of(pass)) {
      const ValueId result = form_.dots[dot].result;
      out_.line({"Scores x", result, ";"});
      out_.line({"lines.dot(x", result, ", *", matrices_[dot_left_[dot]].name, ", ",
                 matrices_[dot_right_[dot]].name, "[tile % 2]);"},
                at(result).remark);
      scores_[result] = true;
    }
    for (std::size_t i = 0; i < form_.reductions.size(); ++i) {
      if (form_.reductions[i].pass != pass) continue;
      write_score(form_.reductions[i].value, form_.reductions[i].op);
      numbers_.is_running_max(i) ? write_running_max(pass, i) : write_running_reduction(i);
    }
    for (std::size_t i = 0; i < form_.accumulators.size(); ++i) {
      const StreamingAccumulator& sum = form_.accumulators[i];
      if (sum.pass != pass) continue;
      write_score(sum.value, Op::sum);
      const std::string matrix = matrices_[sum_right_[i]].name;
      out_.line({"lines.add(sum", i, ", x", sum.value, ", (const Turned<R", matrix.substr(1), ">&)",
                 matrix, "[tile % 2]);"},
                at(sum.result).remark);
    }
  }

  void declare_running_reductions(int pass) {
    rescale_bases_.assign(rescale_bases_.size(), false);
    for (const RunningReduction& reduction : form_.reductions) {
      if (reduction.pass != pass) continue;
      out_.line({type_name({dtype_}), " r", reduction.result, "[Scores::slots];"},
                at(reduction.result).remark);
      rows_known_[reduction.result] = true;
      const auto loop = unrolled("i", "Scores::slots");
      out_.line({"r", reduction.result, "[i] = ", literal(neutral(reduction.op, dtype_)), ";"});
    }
    for (const ValueId base : numbers_.rescale_bases_of(pass, -1)) {
      rescale_bases_[base] = true;
      out_.line({type_name({dtype_}), " h", base, "[Scores::slots] = {};"});
    }
    for (std::size_t i = 0; i < form_.accumulators.size(); ++i) {
      if (form_.accumulators[i].pass != pass) continue;
      const std::string matrix = matrices_[sum_right_[i]].name;
      out_.line({"Lines::Sums<Turned<R", matrix.substr(1), ">> sum", i, ";"},
                at(form_.accumulators[i].result).remark);
    }
    for (const ValueId root : numbers_.roots_of(pass)) {
      for (const ValueId id : numbers_.row_numbers_of(root)) {
        if (!rescale_bases_[id]) declare_row_number(id);
      }
    }
  }

  // Computes a score, and pads it beyond the last step with the neutral element of `op`.
  void write_score(ValueId id, Op op) {
    const bool whole = proven_divisible(steps_, tile_.steps);
    if (!scores_[id]) {
      Known known = numbers_.known_numbers();
      for (std::size_t i = 0; i < known.size(); ++i) known[i] = known[i] || scores_[i];
      const Call call = pieces_.write_call(text("x", pieces_.calls(), "_"), id,
                                           pieces_.sides({"step", {form_.step}}), known);
      out_.line({"Scores x", id, ";"}, at(id).remark);
      const auto slots = unrolled("i", "Scores::slots");
      const auto elements = unrolled("e", "Scores::elements");
      out_.line({"const ", integer_, " step = tile * ", tile_.steps, " + Scores::column_of(e);"});
      const std::string outside =
          whole ? "" : text("step >= steps ? ", literal(neutral(op, dtype_)), " : ");
      out_.line({"x", id, ".at(i, e) = ", outside, score(call), ";"});
      scores_[id] = true;
      outside_[id] = op;
      return;
    }
    const auto was = outside_.find(id);
    const bool fits = was == outside_.end() ? op == Op::sum : was->second == op;
    if (whole || fits) return;
    const auto slots = unrolled("i", "Scores::slots");
    const auto elements = unrolled("e", "Scores::elements");
    out_.line({"const bool outside = tile * ", tile_.steps, " + Scores::column_of(e) >= steps;"});
    out_.line({"if (outside) x", id, ".at(i, e) = ", literal(neutral(op, dtype_)), ";"});
    outside_[id] = op;
  }

  // Running reductions, rescaling of accumulators, and stores.

  // Each lane reduces its own elements; the lanes of a row are combined after the last step.
  void write_running_reduction(std::size_t reduction) {
    const RunningReduction& one = form_.reductions[reduction];
    const auto slots = unrolled("i", "Scores::slots");
    const auto elements = unrolled("e", "Scores::elements");
    const std::string to = text("r", one.result, "[i]"), from = text("x", one.value, ".at(i, e)");
    out_.line(
        text(to, " = ", apply(combining(one.op), std::array{to, from}, {dtype_}, {dtype_}), ";"));
  }

  // A running maximum is combined over the lanes of a row in every step, and the accumulators that
  // depend on it are rescaled.
  void write_running_max(int pass, std::size_t reduction) {
    const RunningReduction& one = form_.reductions[reduction];
    const auto running_max = static_cast<std::int32_t>(reduction);
    const Vector<ValueId> bases = numbers_.rescale_bases_of(pass, running_max);
    const std::string type = type_name({dtype_});
    for (const ValueId base : bases) out_.line({type, " f", base, "[Scores::slots];"});
    {
      const auto slots = unrolled("i", "Scores::slots");
      out_.line({"const bool first = r", one.result, "[i] == ", lowest(), ";"});
      out_.line({type, " peak = r", one.result, "[i];"});
      {
        const auto elements = unrolled("e", "Scores::elements");
        const std::array pair{std::string("peak"), text("x", one.value, ".at(i, e)")};
        out_.line({"peak = ", apply(combining(one.op), pair, {dtype_}, {dtype_}), ";"});
      }
      write_lane_reduction("peak", one.op);
      out_.line({"r", one.result, "[i] = peak;"});
      for (const ValueId base : bases) {
        const auto block = out_.block("");
        out_.line({"const ", type, " next = ", row_number(base), ";"});
        out_.line({"const ", type, " shift = next == ", lowest(), " ? 0 : next;"});
        out_.line(
            text("f", base, "[i] = first ? 0 : ", pieces_.exp_name(), "h", base, "[i] - shift);"));
        out_.line({"h", base, "[i] = shift;"});
      }
    }
    for (const ValueId base : bases) rescale(pass, running_max, base, text("f", base));
  }

  // "for (int other = 1; ...) v = maximum_f32(v, __shfl_xor_sync(~0u, v, other));"
  void write_lane_reduction(const std::string& name, Op op) {
    const std::array pair{name, text("__shfl_xor_sync(~0u, ", name, ", other)")};
    out_.line("#pragma unroll");
    out_.line("for (int other = 1; other < Lines::lanes; other *= 2) {");
    out_.line({"  ", name, " = ", apply(combining(op), pair, {dtype_}, {dtype_}), ";"});
    out_.line("}");
  }

  void rescale(int pass, std::int32_t running_max, ValueId base, const std::string& factor) {
    for (const RunningReduction& one : form_.reductions) {
      if (one.pass != pass || one.running_max != running_max || one.rescale_base != base) continue;
      const auto slots = unrolled("i", "Scores::slots");
      out_.line({"r", one.result, "[i] *= ", factor, "[i];"});
    }
    for (std::size_t i = 0; i < form_.accumulators.size(); ++i) {
      const StreamingAccumulator& one = form_.accumulators[i];
      if (one.pass != pass || one.running_max != running_max || one.rescale_base != base) continue;
      out_.line({"scale_lines(lines, sum", i, ", ", factor, ");"});
    }
  }

  // If the mask skipped all steps of a row, the maximum is -infinity, and the factor
  // exp(-inf - -inf) = NaN makes the sums NaN, as plain softmax does.
  void write_pass_end(int pass) {
    for (std::size_t i = 0; i < form_.reductions.size(); ++i) {
      const RunningReduction& one = form_.reductions[i];
      if (one.pass != pass || numbers_.is_running_max(i)) continue;
      const auto slots = unrolled("i", "Scores::slots");
      const std::string name = text("r", one.result, "[i]");
      write_lane_reduction(name, one.op);
    }
    for (std::size_t i = 0; i < form_.reductions.size(); ++i) {
      const auto running_max = static_cast<std::int32_t>(i);
      if (form_.reductions[i].pass != pass) continue;
      for (const ValueId base : numbers_.rescale_bases_of(pass, running_max)) {
        const std::string type = type_name({dtype_}), name = text("end", base);
        out_.line({type, " ", name, "[Scores::slots];"});
        {
          const auto slots = unrolled("i", "Scores::slots");
          out_.line({"const ", type, " shift = ", row_number(base), ";"});
          out_.line({name, "[i] = steps > 0 ? ", pieces_.exp_name(), "shift - shift) : 1;"});
        }
        rescale(pass, running_max, base, name);
      }
    }
    rescale_bases_.assign(rescale_bases_.size(), false);
  }

  // One lane per row stores the per-row results.
  void write_row_stores() {
    if (form_.stores.empty()) return;
    for (const ValueId store : form_.stores) {
      for (const ValueId id : numbers_.row_numbers_of(store)) declare_row_number(id);
    }
    const auto lane = out_.block("if (threadIdx.x % Lines::lanes == 0)");
    const auto slots = unrolled("i", "Scores::slots");
    const auto inside = out_.block("if (row0 + Scores::row_of(i) < rows)");
    for (const ValueId store : form_.stores) {
      const Call call =
          pieces_.write_call("store", store, pieces_.sides({}), numbers_.known_numbers());
      std::string arguments = "row[i]";
      for (const ValueId given : call.givens) arguments += text(", r", given, "[i]");
      out_.line({call.head, arguments, ");"}, at(store).remark);
    }
  }

  void write_sum_stores(std::size_t position) {
    const StreamingAccumulator& sum = form_.accumulators[position];
    const auto block = out_.block("");
    out_.line({"using Sums = decltype(sum", position, ");"});
    Vector<ValueId> spread;
    for (const ValueId store : sum.stores) {
      for (const ValueId id : numbers_.row_numbers_of(store)) {
        if (contains(spread, id)) continue;
        spread.push_back(id);
        declare_row_number(id);
        out_.line({type_name({at(id).dtype}), " g", id, "[Sums::slots];"});
        out_.line({"lines.spread<Sums>(r", id, ", g", id, ");"});
      }
    }
    const auto slots = unrolled("i", "Sums::slots");
    out_.line({"const ", integer_, " row = row0 + Sums::row_of(i);"});
    out_.line("if (row >= rows) continue;");
    const auto elements = unrolled("e", "Sums::elements");
    out_.line("const int column = Sums::column_of(e);");
    out_.line({"if (column >= ", c(count_of(sum.columns)), ") continue;"});
    for (const ValueId store : sum.stores) {
      const Call call = pieces_.write_call("store", store, pieces_.sides({"column", sum.columns}),
                                           numbers_.known_numbers());
      std::string arguments = "row, column";
      for (const ValueId given : call.givens) {
        arguments +=
            given == sum.result ? text(", sum", position, ".at(i, e)") : text(", g", given, "[i]");
      }
      out_.line({call.head, arguments, ");"}, at(store).remark);
    }
  }

  // The step matrices (keys, values) that `pass` reads.
  Vector<std::size_t> matrices_of(int pass) const {
    Vector<std::size_t> result;
    const auto add = [&](std::size_t one) {
      if (!contains(result, one)) result.push_back(one);
    };
    for (const std::size_t dot : numbers_.dots_of(pass)) add(dot_right_[dot]);
    for (std::size_t i = 0; i < form_.accumulators.size(); ++i) {
      if (form_.accumulators[i].pass == pass) add(sum_right_[i]);
    }
    return result;
  }

  std::string lowest() const { return literal(neutral(Op::max, dtype_)); }

  CudaStreamingForm how_;
  std::int64_t most_bytes_;  ///< Of shared memory.
  const StreamingForm& form_;
  CudaFunction function_;
  StreamingNumbers numbers_;
  StreamingPieces pieces_;
  DType dtype_{};  ///< Type of scores and sums.
  CudaStreamingTile tile_{};
  Extent batch_ = 1, rows_ = 1, steps_ = 1;
  Vector<Matrix> matrices_{};
  Vector<std::size_t> dot_left_{}, dot_right_{}, sum_right_{};
  Known scores_{};         ///< Scores already computed in this step.
  Known rescale_bases_{};  ///< Rescale bases of this pass.
  Known rows_known_{};     ///< Per-row values already declared.
  SortedMap<ValueId, Call> row_calls_{};
  SortedMap<ValueId, Op>
      outside_{};  ///< Per score: the reduction for which its padding is neutral.
  std::string integer_{};
  Writer out_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
