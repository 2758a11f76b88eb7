#pragma once

// The text of a streamed kernel: a loop over blocks of rows, and for each pass one over the steps.

#include <algorithm>  // std::find

#include <sinter/codegen/cuda_stream.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string CudaStream::function(const std::string& name) {
  name_ = name;
  for (Matrix& matrix : matrices_) write_operand(matrix);
  {
    const auto body = out_.block(text("extern \"C\" __global__ void __launch_bounds__(", threads(),
                                      ", 1) ", name, "(", parameters(), ")"));
    write_shared();
    write_body();
  }
  return pieces_ + out_.str();
}

SINTER_INLINE void CudaStream::write_shared() {
  out_.line(text("// Blocks of ", tile_.rows, " rows, ", tile_.steps, " steps at a time, ",
                 !how_.mma              ? "in registers."
                 : how_.dtype == dtype_ ? "by tensor cores, as TF32."
                                        : "by tensor cores."));
  if (how_.mma) {
    out_.line(text("using Lines = MmaLines_", how_.dtype, "<", tile_.rows, ", ", tile_.steps, ", ",
                   tile_.high, ">;"));
  } else {
    out_.line(text("using Lines = RegisterLines<", type_name({dtype_}), ", ", tile_.rows, ", ",
                   tile_.steps, ">;"));
  }
  out_.line("using Scores = Lines::Scores;");
  out_.line("extern __shared__ __align__(16) unsigned char shared[];");
  std::string from = "shared";
  for (const Matrix& matrix : matrices_) {
    const std::string type =
        matrix.of_rows ? "L" + matrix.name.substr(1) : "R" + matrix.name.substr(1);
    out_.line(text("using ", type, " = Operand<", memory_type(how_.dtype), ", ",
                   matrix.of_rows ? tile_.rows : tile_.steps, ", ", matrix.width, ", ",
                   matrix.deep ? "true" : "false", ">;"));
    out_.line(text(type, "* const ", matrix.name, " = (", type, "*)", from, ";"));
    from = text("(", matrix.name, " + ", matrix.of_rows ? 1 : 2, ")");
  }
  out_.line(text("const Lines lines((Lines::Memory*)", from, ");"));
}

SINTER_INLINE void CudaStream::write_body() {
  const std::string head = text("const ", integer_, " ");
  out_.line(text(head, "rows = ", c(rows_), ", steps = ", c(steps_), ", blocks = (rows + ",
                 tile_.rows - 1, ") / ", tile_.rows, ", tasks = ", c(batch_), " * blocks;"));
  const auto tasks =
      out_.block(text("for (", integer_, " task = blockIdx.x; task < tasks; task += gridDim.x)"));
  // Rows with most steps come first.
  const bool last = !same(form_.end, -1) && !form_.before;
  out_.line(
      text(head, "row0 = (", last ? "blocks - 1 - " : "", "task % blocks) * ", tile_.rows, ";"));
  if (!form_.batch.empty()) out_.line(text(head, "batch = task / blocks;"));
  const auto names = [&](Extent extent) { return c(extent); };
  for (const std::string& line :
       detail::side_lines({"batch", form_.batch}, integer_, "batch", names)) {
    out_.line(line);
  }
  out_.line(text(integer_, " row[Scores::slots];"));
  {
    const auto loop = unrolled("i", "Scores::slots");
    out_.line("row[i] = min(row0 + Scores::row_of(i), rows - 1);");
  }
  write_ends();
  write_checks();
  for (int pass = 0; pass < form_.passes; ++pass) write_pass(pass);
  write_row_stores();
  for (std::size_t sum = 0; sum < form_.sums.size(); ++sum) write_sum_stores(sum);
  rows_known_.assign(rows_known_.size(), false);
}

// The tiles of steps that have an effect.
SINTER_INLINE void CudaStream::write_ends() {
  const std::string head = text("const ", integer_, " ");
  std::string begin = "0", end = "steps";
  if (!same(form_.end, -1)) {
    const std::string edge = form_.before ? "row0" : "edge";
    if (!form_.before) out_.line(text(head, "edge = min(row0 + ", tile_.rows, ", rows) - 1;"));
    const std::string limit = c(form_.end, edge);
    const std::string clamped =
        text("max(min((", integer_, ")", limit, ", steps), (", integer_, ")0)");
    (form_.before ? begin : end) = clamped;
  }
  out_.line(text(head, "begin = ", begin, " / ", tile_.steps, ", end = (", end, " + ",
                 tile_.steps - 1, ") / ", tile_.steps, ";"));
}

SINTER_INLINE void CudaStream::write_fetch(const Matrix& matrix, const std::string& target,
                                           const std::string& first, const std::string& end) {
  const std::string across = text(end, " - ", first), inner = c(count_of(matrix.inner));
  const std::string size = matrix.deep ? text(across, ", ", inner) : text(inner, ", ", across);
  const std::string thread = tile_.full ? ", at_present(threadIdx.x)" : "";
  if (matrix.copied) {
    Extent base =
        without(at(matrix.value).index, matrix.of_rows ? form_.row.variable : form_.step.variable);
    for (const Loop& loop : matrix.inner) base = without(base, loop.variable);
    const std::string stride = c(matrix.stride);
    out_.line(text(target, ".copy<Lines::threads, ", integer_, ">(",
                   argument_name(at(matrix.value).argument), same(base, 0) ? "" : " + " + c(base),
                   " + ", first, matrix.deep ? " * " + stride : "", ", ", stride, ", ", size,
                   thread, ");"),
              at(matrix.value).remark);
    return;
  }
  const auto block = out_.block("");
  out_.line(text("const auto one = [&](int line, int at) { return ", matrix.call, first,
                 " + line, at); };"));
  out_.line(text(target, ".fill<Lines::threads, 1, ", integer_, ">(", size, ", one, one", thread,
                 ");"));
}

SINTER_INLINE std::vector<ValueId> CudaStream::roots_of(int pass) const {
  std::vector<ValueId> result;
  for (const StreamTotal& total : form_.totals) {
    if (total.pass == pass) result.push_back(total.value);
  }
  for (const StreamSum& sum : form_.sums) {
    if (sum.pass == pass) result.push_back(sum.value);
  }
  return result;
}

SINTER_INLINE std::vector<std::size_t> CudaStream::dots_of(int pass) const {
  const Known nothing = known_numbers();
  std::vector<bool> needed(nothing.size(), false);
  for (const ValueId root : roots_of(pass)) {
    detail::mark_needed(form_.code, root, nothing, needed);
  }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < form_.dots.size(); ++i) {
    if (needed[static_cast<std::size_t>(form_.dots[i].result)]) result.push_back(i);
  }
  return result;
}

// Of steps.
SINTER_INLINE std::vector<std::size_t> CudaStream::matrices_of(int pass) const {
  std::vector<std::size_t> result;
  const auto add = [&](std::size_t one) {
    if (std::find(result.begin(), result.end(), one) == result.end()) result.push_back(one);
  };
  for (const std::size_t dot : dots_of(pass)) add(dot_right_[dot]);
  for (std::size_t i = 0; i < form_.sums.size(); ++i) {
    if (form_.sums[i].pass == pass) add(sum_right_[i]);
  }
  return result;
}

SINTER_INLINE std::vector<ValueId> CudaStream::shifts_of(int pass, std::int32_t peak) const {
  std::vector<ValueId> result;
  const auto add = [&](int its_pass, std::int32_t its_peak, ValueId shift) {
    if (its_pass != pass || its_peak < 0 || (peak >= 0 && its_peak != peak)) return;
    if (std::find(result.begin(), result.end(), shift) == result.end()) result.push_back(shift);
  };
  for (const StreamTotal& one : form_.totals) add(one.pass, one.peak, one.shift);
  for (const StreamSum& one : form_.sums) add(one.pass, one.peak, one.shift);
  return result;
}

SINTER_INLINE bool CudaStream::is_peak(std::size_t total) const {
  return !shifts_of(form_.totals[total].pass, static_cast<std::int32_t>(total)).empty();
}

SINTER_INLINE std::string CudaStream::lowest() const { return literal(neutral(Op::max, dtype_)); }

SINTER_INLINE void CudaStream::declare_totals(int pass) {
  shifts_.assign(shifts_.size(), false);
  for (const StreamTotal& total : form_.totals) {
    if (total.pass != pass) continue;
    out_.line(text(type_name({dtype_}), " r", total.result, "[Scores::slots];"),
              at(total.result).remark);
    rows_known_[static_cast<std::size_t>(total.result)] = true;
    const auto loop = unrolled("i", "Scores::slots");
    out_.line(text("r", total.result, "[i] = ", literal(neutral(total.op, dtype_)), ";"));
  }
  for (const ValueId shift : shifts_of(pass, -1)) {
    shifts_[static_cast<std::size_t>(shift)] = true;
    out_.line(text(type_name({dtype_}), " h", shift, "[Scores::slots] = {};"));
  }
  for (std::size_t i = 0; i < form_.sums.size(); ++i) {
    if (form_.sums[i].pass != pass) continue;
    const std::string matrix = matrices_[sum_right_[i]].name;
    out_.line(text("Lines::Sums<Turned<R", matrix.substr(1), ">> sum", i, ";"),
              at(form_.sums[i].result).remark);
  }
  for (const ValueId root : roots_of(pass)) {
    for (const ValueId id : row_numbers_of(root)) {
      if (!shifts_[static_cast<std::size_t>(id)]) declare_row_number(id);
    }
  }
}

SINTER_INLINE void CudaStream::write_pass(int pass) {
  declare_totals(pass);
  const std::vector<std::size_t> used = matrices_of(pass);
  out_.line(text("const auto fetch", pass, " = [&](", integer_, " tile) {"));
  for (const std::size_t i : used) {
    write_fetch(matrices_[i], text("  ", matrices_[i].name, "[tile % 2]"),
                text("tile * ", tile_.steps), "steps");
  }
  out_.line("};");
  out_.line("__syncthreads();");
  for (const Matrix& matrix : matrices_) {
    if (pass == 0 && matrix.of_rows) write_fetch(matrix, matrix.name + "[0]", "row0", "rows");
  }
  out_.line(text("if (begin < end) fetch", pass, "(begin);"));
  out_.line("end_copies();");
  write_steps(pass);
  out_.line("wait_copies<0>();");
  write_pass_end(pass);
}

SINTER_INLINE void CudaStream::write_steps(int pass) {
  const auto loop = out_.block(text("for (", integer_, " tile = begin; tile < end; ++tile)"));
  out_.line("wait_copies<0>();");
  out_.line("__syncthreads();");
  out_.line(text("if (tile + 1 < end) fetch", pass, "(tile + 1);"));
  out_.line("end_copies();");
  scores_.assign(scores_.size(), false);
  outside_.clear();
  for (const std::size_t dot : dots_of(pass)) {
    const ValueId result = form_.dots[dot].result;
    out_.line(text("Scores x", result, ";"));
    out_.line(text("lines.dot(x", result, ", *", matrices_[dot_left_[dot]].name, ", ",
                   matrices_[dot_right_[dot]].name, "[tile % 2]);"),
              at(result).remark);
    scores_[static_cast<std::size_t>(result)] = true;
  }
  for (std::size_t i = 0; i < form_.totals.size(); ++i) {
    if (form_.totals[i].pass != pass) continue;
    write_score(form_.totals[i].value, form_.totals[i].op);
    is_peak(i) ? write_peak(pass, i) : write_total(i);
  }
  for (std::size_t i = 0; i < form_.sums.size(); ++i) {
    const StreamSum& sum = form_.sums[i];
    if (sum.pass != pass) continue;
    write_score(sum.value, Op::sum);
    const std::string matrix = matrices_[sum_right_[i]].name;
    out_.line(text("lines.add(sum", i, ", x", sum.value, ", (const Turned<R", matrix.substr(1),
                   ">&)", matrix, "[tile % 2]);"),
              at(sum.result).remark);
  }
}

// Scores that count for nothing beyond the last step.
SINTER_INLINE void CudaStream::write_score(ValueId id, Op op) {
  const auto position = static_cast<std::size_t>(id);
  const bool whole = proven_divisible(steps_, tile_.steps);
  if (!scores_[position]) {
    Known known = known_numbers();
    for (std::size_t i = 0; i < known.size(); ++i) known[i] = known[i] || scores_[i];
    const Call call =
        write_call(text("x", pieces_.size(), "_"), id, sides({"step", {form_.step}}), known);
    out_.line(text("Scores x", id, ";"), at(id).remark);
    const auto slots = unrolled("i", "Scores::slots");
    const auto elements = unrolled("e", "Scores::elements");
    out_.line(text("const ", integer_, " step = tile * ", tile_.steps, " + Scores::column_of(e);"));
    const std::string outside =
        whole ? "" : text("step >= steps ? ", literal(neutral(op, dtype_)), " : ");
    out_.line(text("x", id, ".at(i, e) = ", outside, score(call), ";"));
    scores_[position] = true;
    outside_[id] = op;
    return;
  }
  const auto was = outside_.find(id);
  const bool fits = was == outside_.end() ? op == Op::sum : was->second == op;
  if (whole || fits) return;
  const auto slots = unrolled("i", "Scores::slots");
  const auto elements = unrolled("e", "Scores::elements");
  out_.line(text("const bool outside = tile * ", tile_.steps, " + Scores::column_of(e) >= steps;"));
  out_.line(text("if (outside) x", id, ".at(i, e) = ", literal(neutral(op, dtype_)), ";"));
  outside_[id] = op;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
