#pragma once

// The functions that a streamed kernel calls for single numbers, and what they are given.

#include <sinter/codegen/cuda_stream.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE PieceKernel CudaStream::new_piece(const std::vector<CudaSide>& sides) const {
  PieceKernel piece;
  piece.kernel.vector_axis = VectorAxis::grid;
  piece.kernel.arguments = form_.code.arguments;
  piece.kernel.symbols = form_.code.symbols;
  piece.kernel.checks_before = form_.code.checks_before;
  for (const CudaSide& side : sides) {
    for (const Loop& loop : side.loops) piece.add(loop, Span::given);
  }
  return piece;
}

// Those of a row, and `last`.
SINTER_INLINE std::vector<CudaSide> CudaStream::sides(const CudaSide& last) const {
  std::vector<CudaSide> result{{"batch", form_.batch}, {"row", {form_.row}}};
  if (!last.loops.empty()) result.push_back(last);
  return result;
}

namespace detail {

// Marks what `id` is computed from, up to what is known.
SINTER_INLINE void mark_needed(const Kernel& code, ValueId id, const std::vector<bool>& known,
                               std::vector<bool>& needed) {
  const auto at = static_cast<std::size_t>(id);
  if (needed[at]) return;
  needed[at] = true;
  const Instruction& one = code.instructions[at];
  if (known[at]) return;
  if (one.code == Code::store) {
    mark_needed(code, before_rounding(code, one), known, needed);
  } else {
    for (const ValueId operand : one.operands) mark_needed(code, operand, known, needed);
  }
  schedule::for_each_variable(one, [&](Extent variable) {
    const ValueId bind = schedule::bind_of(code, variable);
    if (bind >= 0) mark_needed(code, bind, known, needed);
  });
}

// `check`, which says where it is at fault: at 0 of the loops that `piece` does not have. Guards
// that always hold have it computed where the others are known.
SINTER_INLINE void place_check(const PieceKernel& piece, Instruction& check) {
  check.index = substitute(check.index, [&](Extent variable) {
    bool known = !variable.is_range() || schedule::bind_of(piece.kernel, variable) >= 0;
    for (const Loop& loop : piece.kernel.grid) known = known || same(loop.variable, variable);
    return known ? variable : Extent(0);
  });
  check.guards.push_back({check.index, check.index, check.index + 1});
}

}  // namespace detail

// Copies `roots` and what they need; what is known, `givens`, they read from arguments of their
// own. Returns the position of the first root.
SINTER_INLINE ValueId CudaStream::copy_into(PieceKernel& piece, const std::vector<ValueId>& roots,
                                            const Known& known,
                                            std::vector<ValueId>& givens) const {
  const Kernel& code = form_.code;
  std::vector<bool> needed(code.instructions.size(), false);
  for (const ValueId root : roots) detail::mark_needed(code, root, known, needed);
  std::vector<ValueId> moved(code.instructions.size(), -1);
  piece.kernel.stages.resize(1);
  for (std::size_t id = 0; id < needed.size(); ++id) {
    if (!needed[id]) continue;
    Instruction one = code.instructions[id];
    if (one.code == Code::store) one.operands[0] = detail::before_rounding(code, one);
    if (known[id]) {
      Instruction load{.code = Code::load, .op = one.op, .dtype = one.dtype};
      load.argument = static_cast<std::int32_t>(piece.kernel.arguments.size());
      load.constant = constant(0, one.dtype);
      load.remark = one.remark;
      piece.kernel.arguments.push_back({one.dtype, Access::read, 0});
      givens.push_back(static_cast<ValueId>(id));
      one = load;
    }
    if (schedule::can_fault(one)) detail::place_check(piece, one);
    for (ValueId& operand : one.operands) operand = moved[static_cast<std::size_t>(operand)];
    moved[id] = static_cast<ValueId>(piece.kernel.instructions.size());
    piece.kernel.stages[0].body.push_back(moved[id]);
    piece.kernel.instructions.push_back(std::move(one));
  }
  return moved[static_cast<std::size_t>(roots[0])];
}

// What tensor cores multiply is rounded to 16 bits, for which a power need not be exact to 24.
SINTER_INLINE std::string CudaStream::exp_name() const {
  return text(how_.mma ? "near_exp_" : "exp_", dtype_, "(");
}

SINTER_INLINE std::string CudaStream::with_near_exp(std::string code) const {
  const std::string from = text(" exp_", dtype_, "("), to = " " + exp_name();
  for (std::size_t i = 0; how_.mma && (i = code.find(from, i)) != std::string::npos;) {
    code.replace(i, from.size(), to);
  }
  return code;
}

// Writes a function for `root`, a number or a store.
SINTER_INLINE CudaStream::Call CudaStream::write_call(const std::string& kind, ValueId root,
                                                      const std::vector<CudaSide>& all,
                                                      const Known& known) {
  Call call;
  PieceKernel piece = new_piece(all);
  const ValueId value = copy_into(piece, {root}, known, call.givens);
  CudaPiece one(piece, all, 1, integer_);
  const std::string name = text(name_, "_", kind, root);
  const ValueId result = at(root).code == Code::store ? -1 : value;
  pieces_ += with_near_exp(one.number(name, result, call.givens.size()));
  call.head = text(name, "(", one.arguments(), form_.batch.empty() ? "" : "batch, ");
  return call;
}

// Steps without effect can be at fault all the same.
SINTER_INLINE void CudaStream::write_checks() {
  if (form_.checks.empty()) return;
  const std::vector<CudaSide> all = sides({"step", {form_.step}});
  PieceKernel piece = new_piece(all);
  std::vector<ValueId> givens;
  copy_into(piece, form_.checks, Known(form_.code.instructions.size(), false), givens);
  CudaPiece one(piece, all, 1, integer_);
  const std::string function = name_ + "_checks";
  pieces_ += one.number(function, -1, 0);
  const std::string tile = text(" * ", tile_.steps);
  const std::string first = form_.before ? "0" : "end" + tile;
  const std::string last = form_.before ? "begin" + tile : "steps";
  const auto steps = out_.block(text("for (", integer_, " step = ", first,
                                     " + threadIdx.x; step < ", last, "; step += Lines::threads)"));
  const auto lines = out_.block(
      text("for (", integer_, " line = row0; line < min(row0 + ", tile_.rows, ", rows); ++line)"));
  out_.line(
      text(function, "(", one.arguments(), form_.batch.empty() ? "" : "batch, ", "line, step);"));
}

SINTER_INLINE void CudaStream::write_operand(Matrix& matrix) {
  if (matrix.copied) return;
  const CudaSide line{matrix.of_rows ? "row" : "step", {matrix.of_rows ? form_.row : form_.step}};
  const std::vector<CudaSide> all{{"batch", form_.batch}, line, {"k", matrix.inner}};
  PieceKernel piece = new_piece(all);
  std::vector<ValueId> givens;
  const Known nothing(form_.code.instructions.size(), false);
  const ValueId value = copy_into(piece, {matrix.value}, nothing, givens);
  CudaPiece one(piece, all, 1, integer_);
  const std::string name = text(name_, "_", matrix.name);
  pieces_ += one.operand(name, value, how_.dtype);
  matrix.call = text(name, "(", one.arguments(), form_.batch.empty() ? "" : "batch, ");
}

// A number of the row that is not computed again for each step.
SINTER_INLINE bool CudaStream::is_row_number(ValueId id) const {
  const schedule::StreamFacts& depends = facts(id);
  return !depends.step && !depends.inner && heavy_[static_cast<std::size_t>(id)] &&
         at(id).code != Code::store && at(id).code != Code::bind;
}

// What is known to what is computed for a step or a column: numbers of the row, dots, sums.
SINTER_INLINE CudaStream::Known CudaStream::known_numbers() const {
  Known known(form_.code.instructions.size(), false);
  for (std::size_t id = 0; id < known.size(); ++id) {
    known[id] =
        is_row_number(static_cast<ValueId>(id)) || form_.code.instructions[id].code == Code::reduce;
  }
  return known;
}

// The numbers of the row that `root` takes.
SINTER_INLINE std::vector<ValueId> CudaStream::row_numbers_of(ValueId root) const {
  const Known known = known_numbers();
  std::vector<bool> needed(known.size(), false);
  detail::mark_needed(form_.code, root, known, needed);
  std::vector<ValueId> result;
  for (std::size_t id = 0; id < needed.size(); ++id) {
    const bool found = needed[id] && is_row_number(static_cast<ValueId>(id));
    if (found) result.push_back(static_cast<ValueId>(id));
  }
  return result;
}

SINTER_INLINE bool CudaStream::is_total(ValueId id) const {
  for (const StreamTotal& total : form_.totals) {
    if (total.result == id) return true;
  }
  return false;
}

// Declares "r12", a number for each row of a thread, unless that is there already. It is computed
// from totals, which are.
SINTER_INLINE void CudaStream::declare_row_number(ValueId id) {
  if (rows_known_[static_cast<std::size_t>(id)]) return;
  rows_known_[static_cast<std::size_t>(id)] = true;
  out_.line(text(type_name({at(id).dtype}), " r", id, "[Scores::slots];"));
  const auto loop = unrolled("i", "Scores::slots");
  out_.line(text("r", id, "[i] = ", row_number(id), ";"));
}

// The text of a number of row `i`.
SINTER_INLINE std::string CudaStream::row_number(ValueId id) {
  if (is_total(id)) return text("r", id, "[i]");
  auto found = row_calls_.find(id);
  if (found == row_calls_.end()) {
    Known totals(form_.code.instructions.size(), false);
    for (const StreamTotal& total : form_.totals) {
      totals[static_cast<std::size_t>(total.result)] = true;
    }
    found = row_calls_.emplace(id, write_call("row", id, sides({}), totals)).first;
  }
  std::string result = found->second.head + "row[i]";
  for (const ValueId given : found->second.givens) result += text(", r", given, "[i]");
  return result + ")";
}

// The text of a score of row `i`, element `e`.
SINTER_INLINE std::string CudaStream::score(const Call& call) const {
  std::string result = call.head + "row[i], step";
  for (const ValueId given : call.givens) {
    const auto position = static_cast<std::size_t>(given);
    const char* const name = shifts_[position] ? "h" : "r";
    result +=
        is_row_number(given) ? text(", ", name, given, "[i]") : text(", x", given, ".at(i, e)");
  }
  return result + ")";
}

SINTER_INLINE Writer::Block CudaStream::unrolled(const std::string& variable,
                                                 const std::string& count) {
  out_.line("#pragma unroll");
  return out_.block(
      text("for (int ", variable, " = 0; ", variable, " < ", count, "; ++", variable, ")"));
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
