#pragma once

#include <algorithm>  // std::count

#include <sinter/codegen/piece.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// The lanes of vectors in `kernel`, whose widest number decides.
SINTER_INLINE int lanes_for(const Kernel& kernel, int vector_bits) {
  return vector_bits == 0 ? 1 : vector_bits / (8 * lane_bytes(kernel));
}

SINTER_INLINE void mark_used(const Kernel& kernel, ValueId id, ValueId given,
                             std::vector<bool>& used) {
  const auto at = static_cast<std::size_t>(id);
  if (used[at]) return;
  used[at] = true;
  if (id == given) return;
  for (const ValueId operand : kernel.instructions[at].operands) {
    mark_used(kernel, operand, given, used);
  }
}

// What `store` writes, before it is rounded to the type of the memory: the store does that.
SINTER_INLINE ValueId before_rounding(const Kernel& kernel, const Instruction& store) {
  const ValueId id = store.operands[0];
  const Instruction& value = kernel.instructions[static_cast<std::size_t>(id)];
  const DType memory = kernel.arguments[static_cast<std::size_t>(store.argument)].dtype;
  const bool is_half = value.dtype == f16 || value.dtype == bf16;
  if (!is_half || value.dtype != memory || store.accumulate) return id;
  if (value.code != Code::compute || value.op != Op::cast) return id;
  const ValueId wide = value.operands[0];
  return kernel.instructions[static_cast<std::size_t>(wide)].dtype == f32 ? wide : id;
}

}  // namespace detail

SINTER_INLINE Extent PieceKernel::add(const Loop& loop, Span span) {
  kernel.serial = true;  // its loops stay in the order in which the caller knows them
  kernel.grid.push_back({loop.variable, loop.extent, 1});
  spans.push_back(span);
  if (span != Span::part) return 0;
  // Numbers that no kernel reaches, so that these symbols are none of its own.
  const auto id = static_cast<std::uint32_t>((1 << 24) + kernel.symbols.size());
  kernel.symbols.push_back(Extent::symbol(id));
  return kernel.symbols.back();
}

SINTER_INLINE void PieceKernel::add_matrix(DType dtype, Access access) {
  kernel.arguments.push_back({dtype, access, 0});
}

SINTER_INLINE std::vector<ValueId> PieceKernel::copy(const Kernel& from,
                                                     const std::vector<ValueId>& roots,
                                                     ValueId given, Extent index) {
  std::vector<bool> used(from.instructions.size(), false);
  for (const ValueId root : roots) {
    const Instruction& one = from.instructions[static_cast<std::size_t>(root)];
    const bool stores = one.code == Code::store;
    used[static_cast<std::size_t>(root)] = stores;
    detail::mark_used(from, stores ? detail::before_rounding(from, one) : root, given, used);
  }
  std::vector<ValueId> moved(from.instructions.size(), -1);
  kernel.stages.resize(1);
  for (std::size_t id = 0; id < from.instructions.size(); ++id) {
    if (!used[id]) continue;
    Instruction one = from.instructions[id];
    if (one.code == Code::store) one.operands[0] = detail::before_rounding(from, one);
    if (static_cast<ValueId>(id) == given) {
      Instruction load{.code = Code::load, .op = one.op, .dtype = one.dtype};
      load.argument = static_cast<std::int32_t>(kernel.arguments.size()) - 1;
      load.index = index;
      load.constant = constant(0, one.dtype);
      load.remark = one.remark;
      one = load;
    }
    for (ValueId& operand : one.operands) operand = moved[static_cast<std::size_t>(operand)];
    moved[id] = static_cast<ValueId>(kernel.instructions.size());
    kernel.stages[0].body.push_back(moved[id]);
    kernel.instructions.push_back(std::move(one));
  }
  std::vector<ValueId> result;
  for (const ValueId root : roots) result.push_back(moved[static_cast<std::size_t>(root)]);
  return result;
}

SINTER_INLINE void PieceKernel::store(ValueId value, Extent index) {
  Instruction store{.code = Code::store, .op = Op::input};
  store.dtype = kernel.instructions[static_cast<std::size_t>(value)].dtype;
  store.operands = {value};
  store.argument = static_cast<std::int32_t>(kernel.arguments.size()) - 1;
  store.index = index;
  kernel.stages[0].body.push_back(static_cast<ValueId>(kernel.instructions.size()));
  kernel.instructions.push_back(std::move(store));
}

SINTER_INLINE Piece::Piece(const PieceKernel& piece, int vector_bits, bool strict)
    : Reductions(piece.kernel, detail::lanes_for(piece.kernel, vector_bits), strict),
      spans_(piece.spans),
      given_symbols_(piece.kernel.symbols.size() -
                     static_cast<std::size_t>(
                         std::count(piece.spans.begin(), piece.spans.end(), Span::part))) {}

SINTER_INLINE std::string Piece::function(const std::string& name) {
  {
    const auto body = out_.block(signature(name));
    write_used();
    write_depth(0, -1);
    write_loop(0);
  }
  return out_.str();
}

SINTER_INLINE std::string Piece::signature(const std::string& name) const {
  const auto matrix = static_cast<std::int32_t>(layout_.kernel.arguments.size()) - 1;
  const schedule::Argument& kept = layout_.kernel.arguments.back();
  std::string result = text("static __attribute__((noinline)) void ", name,
                            "(void* const* buffers, const long* sizes, ",
                            layout_.checks.empty() ? "" : "Context* context, ",
                            kept.access == Access::read ? "const " : "", memory_type(kept.dtype),
                            "* ", argument_name(matrix));
  for (int position = 0; position < layout_.grid_depth(); ++position) {
    const Span span = spans_[static_cast<std::size_t>(position)];
    if (span == Span::given) result += text(", long ", loop_name(0, position));
    if (span == Span::part) result += text(", long ", first(position), ", long ", last(position));
  }
  return result + ")";
}

// The buffers that are read or written, and the sizes.
SINTER_INLINE void Piece::write_used() {
  std::vector<bool> used(layout_.kernel.arguments.size(), false);
  for (const Instruction& one : layout_.kernel.instructions) {
    if (one.argument >= 0) used[static_cast<std::size_t>(one.argument)] = true;
  }
  for (std::size_t i = 0; i + 1 < used.size(); ++i) {
    if (!used[i]) continue;
    const schedule::Argument& argument = layout_.kernel.arguments[i];
    const std::string type =
        text(argument.access == Access::read ? "const " : "", memory_type(argument.dtype), "*");
    out_.line(text(type, " const ", argument_name(static_cast<std::int32_t>(i)), " = (", type,
                   ")buffers[", layout_.parameters[i], "];"));
  }
  for (std::size_t i = 0; i < given_symbols_; ++i) {
    out_.line(text("const long n", i, " = sizes[", i, "];"));
  }
}

SINTER_INLINE std::string Piece::first(int position) const {
  std::size_t symbol = given_symbols_;
  for (int i = 0; i < position; ++i) symbol += spans_[static_cast<std::size_t>(i)] == Span::part;
  return spans_[static_cast<std::size_t>(position)] == Span::part ? text("n", symbol) : "0";
}

SINTER_INLINE std::string Piece::last(int position) const {
  if (spans_[static_cast<std::size_t>(position)] == Span::part) return text("last", position);
  return c_index(layout_.loop(0, position).extent, 0, {});
}

SINTER_INLINE void Piece::write_loop(int position) {
  if (position == layout_.grid_depth()) return write_innermost(0);
  if (spans_[static_cast<std::size_t>(position)] == Span::given) {
    return write_inside(position, false);
  }
  const std::string name = loop_name(0, position), end = last(position);
  const std::string start = text("long ", name, " = ", first(position), ";");
  if (lanes_ == 1 || position != layout_.vector_loop(0)) {
    const auto block = out_.block(text("for (", start, " ", name, " < ", end, "; ++", name, ")"));
    return write_inside(position, false);
  }
  out_.line(start);
  {
    const auto block = out_.block(
        text("for (; ", name, " + ", lanes_, " <= ", end, "; ", name, " += ", lanes_, ")"));
    write_inside(position, false);
  }
  const auto block = out_.block(text("if (", name, " < ", end, ")"));
  out_.line(text("const long lanes = ", end, " - ", name, ";"));
  write_inside(position, true);
}

SINTER_INLINE void Piece::write_inside(int position, bool masked) {
  const bool vector = lanes_ > 1 && position == layout_.vector_loop(0);
  masked_ = masked;
  frames_.push_back({loop_name(0, position), 1, vector ? lanes_ : 1});
  if (position + 1 < layout_.grid_depth()) write_depth(position + 1, -1);
  write_loop(position + 1);
  frames_.pop_back();
  masked_ = false;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
