#pragma once

// How the text of a product reads its operands: where they are, or through what was packed.

#include <tuple>    // std::tie
#include <utility>  // std::pair

#include <sinter/codegen/product_text.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// The arguments of the outer loops, and the two of the last one.
SINTER_INLINE std::pair<std::string, std::string> split_last(const std::string& arguments) {
  const std::size_t comma = arguments.rfind(',', arguments.rfind(',') - 1);
  return {arguments.substr(0, comma), arguments.substr(comma)};
}

// `index` at the first element along two sides.
SINTER_INLINE Extent start_of(Extent index, const std::vector<Loop>& side,
                              const std::vector<Loop>& other) {
  for (const std::vector<Loop>* loops : {&side, &other}) {
    for (const Loop& loop : *loops) index = without(index, loop.variable);
  }
  return index;
}

}  // namespace detail

template <class Body>
void ProductText::for_runs(const std::vector<Loop>& loops, const std::string& begin,
                           const std::string& end, const std::string& name, Body body) {
  if (loops.empty()) return body("", "");
  if (loops.size() == 1) return body(text(", ", begin, ", ", end), "");
  const std::string extent = c(loops.back().extent);
  const auto run = out_.block(text("for (long ", name, " = ", begin, "; ", name, " < ", end, ";)"));
  out_.line(text("const long ", name, "_at = ", name, " % (", extent, ");"));
  out_.line(text("const long ", name, "_end = least((", extent, "), ", name, "_at + ", end, " - ",
                 name, ");"));
  std::string arguments;
  for (std::size_t i = 0; i + 1 < loops.size(); ++i) {
    const Extent inner =
        count_of({loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, loops.end()});
    arguments += text(", ", name, " / (", c(inner), ")",
                      i == 0 ? "" : text(" % (", c(loops[i].extent), ")"));
  }
  body(text(arguments, ", ", name, "_at, ", name, "_end"), text("(", name, " - (", begin, "))"));
  out_.line(text(name, " += ", name, "_end - ", name, "_at;"));
}

SINTER_INLINE void ProductText::write_left() {
  const auto call = [&](const std::string& arguments, const std::string& where) {
    out_.line(text(name_, "_left(buffers, sizes, ", where, batch_arguments(), arguments, ");"),
              at(left_value_).remark);
  };
  if (left_ == Packing::rows) {
    return for_runs(form_.rows, "first", "last", "row",
                    [&](const std::string& arguments, const std::string& offset) {
                      call(arguments,
                           text("block", offset.empty() ? "" : " + ", offset,
                                offset.empty() ? "" : text(" * (", c(block_pitch_), ")")));
                    });
  }
  const auto columns =
      out_.block(text("for (long from = first; from < last; from += ", detail::column_rows, ")"));
  out_.line(text("const long to = least(from + ", detail::column_rows, ", last);"));
  if (left_ == Packing::turned) return write_turned_left();
  for_runs(form_.rows, "from", "to", "row",
           [&](const std::string& arguments, const std::string& offset) {
             call(arguments, text("block + (from - first) * (", c(depth_), ")",
                                  offset.empty() ? "" : " + ", offset));
           });
}

// Rows `from` to `to` of the block.
SINTER_INLINE void ProductText::write_turned_left() {
  const auto turn = [&](const std::string& along, const std::string& from, const std::string& step,
                        const std::string& columns) {
    out_.line(text("transpose_", pairs_ ? "u16" : text(dtype_), "(block + (from - first) * (",
                   c(block_pitch_), ")", along, ", ", c(block_pitch_), ", ", from, ", ", step, ", ",
                   columns, ", to - from);"),
              at(left_value_).remark);
  };
  if (turns_left_) {
    const Extent index = at(left_value_).index;
    const Extent base = detail::start_of(index, form_.rows, form_.depth);
    const std::string start = same(base, 0) ? "" : text(" + ", c(base));
    return turn("", text(argument_name(at(left_value_).argument), start, " + from"),
                c(*flat_step(index, form_.depth)), c(depth_));
  }
  const std::string steps = c(form_.depth[0].extent), inner = c(inner_);
  const auto parts =
      out_.block(text("for (long k = 0; k < ", steps, "; k += ", c(turned_steps_), ")"));
  out_.line(text("const long next = least(k + ", c(turned_steps_), ", ", steps, ");"));
  for_runs(form_.rows, "from", "to", "row",
           [&](const std::string& arguments, const std::string& offset) {
             const auto [before, last] = detail::split_last(arguments);
             out_.line(text(name_, "_left(buffers, sizes, left", offset.empty() ? "" : " + ",
                            offset, batch_arguments(), before, ", k, next", last, ");"),
                       at(left_value_).remark);
           });
  turn(text(" + k * (", inner, ")"), "left", text(detail::column_rows),
       text("(next - k) * (", inner, ")"));
}

// Writes the panel: rows of it from inputs that lie along the columns, else four columns at a time.
SINTER_INLINE void ProductText::write_panel() {
  if (right_ == Packing::columns && !pairs_) return write_panel_rows("panel");
  if (right_ == Packing::columns && copies_right_) {
    return write_paired_rows(right_address(), c(*flat_step(at(right_value_).index, form_.depth)));
  }
  if (right_ == Packing::columns) {
    write_panel_rows("rows");
    return write_paired_rows("rows", text(pitch_));
  }
  if (copies_right_) {
    const std::string step = c(*flat_step(at(right_value_).index, form_.columns));
    return write_transposed(right_address(), step, "width", "panel");
  }
  const auto four = out_.block("for (long four = 0; four < width; four += 4)");
  out_.line("const long live = least(width - four, 4);");
  for_runs(form_.columns, "c + four", "c + four + live", "column",
           [&](const std::string& arguments, const std::string& offset) {
             out_.line(
                 text(name_, "_right(buffers, sizes, columns", offset.empty() ? "" : " + ", offset,
                      offset.empty() ? "" : text(" * (", c(depth_), ")"), batch_arguments(),
                      arguments, packs_by_parts() ? ", k, next" : "", ");"),
                 at(right_value_).remark);
           });
  write_transposed("columns", c(depth_), "live", pairs_ ? "panel + 2 * four" : "panel + four");
}

SINTER_INLINE void ProductText::write_panel_rows(const std::string& to) {
  const auto write = [&](const std::string& arguments, const std::string& offset) {
    std::string given = arguments, last;
    if (packs_by_parts()) {  // the depth comes before the columns that lie side by side
      std::tie(given, last) = detail::split_last(arguments);
      given += ", k, next";
    }
    out_.line(text(name_, "_right(buffers, sizes, ", to, offset.empty() ? "" : " + ", offset,
                   batch_arguments(), given, last, ");"),
              at(right_value_).remark);
  };
  for_runs(form_.columns, "c", "c + width", "column", write);
}

SINTER_INLINE void ProductText::write_transposed(const std::string& from, const std::string& step,
                                                 const std::string& columns,
                                                 const std::string& to) {
  out_.line(text("pack_", pairs_ ? "pairs_" : "", packed_, "(", to, ", ", pitch_, ", ", from, ", ",
                 step, ", ", columns, ", ", packed_depth(), ");"),
            at(right_value_).remark);
}

SINTER_INLINE void ProductText::write_paired_rows(const std::string& from,
                                                  const std::string& stride) {
  out_.line(text("pair_rows_", packed_, "(panel, ", pitch_, ", ", from, ", ", stride, ", width, ",
                 packed_depth(), ");"),
            at(right_value_).remark);
}

// How much of the depth write_panel() packs.
SINTER_INLINE std::string ProductText::packed_depth() const {
  return packs_by_parts() ? text("(next - k) * (", c(inner_), ")") : c(depth_);
}

// "in0 + 64*r, 64, 1": the rows of a tile, the step between them, that along the depth if it may be
// any.
SINTER_INLINE std::string ProductText::left_address() const {
  const bool along = pairs_ || method_ == Method::dots;
  const std::string from = depth_blocks_ ? text(" + k * (", c(inner_), ")") : "";
  if (left_ == Packing::columns) {
    const std::string n = text(detail::column_rows);
    const std::string step = from.empty() ? "" : text(from, " * ", n);
    return text("block + (r - first) / ", n, " * ", n, " * (", c(depth_), ") + (r - first) % ", n,
                step, ", 1, ", n);
  }
  if (left_ != Packing::none) {
    return text("block + (r - first) * (", c(block_pitch_), ")", from, ", ", c(block_pitch_),
                along ? "" : ", 1");
  }
  const Extent index = at(left_value_).index;
  const Extent base = detail::start_of(index, form_.rows, form_.depth);
  const std::string row = c(*flat_step(index, form_.rows)),
                    step = c(*flat_step(index, form_.depth));
  return text(argument_name(at(left_value_).argument), same(base, 0) ? "" : text(" + ", c(base)),
              form_.rows.empty() ? "" : text(" + r * (", row, ")"),
              from.empty() ? "" : text(from, " * (", step, ")"), ", ", row,
              along ? "" : text(", ", step));
}

// "in1 + 64*c": the first element of the panel.
SINTER_INLINE std::string ProductText::right_address() const {
  const Extent index = at(right_load()).index;
  const Extent base = detail::start_of(index, form_.columns, form_.depth);
  const std::string step = c(*flat_step(index, form_.depth));
  return text(argument_name(at(right_load()).argument), same(base, 0) ? "" : text(" + ", c(base)),
              " + c * (", c(*flat_step(index, form_.columns)), ")",
              packs_by_parts() ? text(" + k * (", c(inner_), ") * (", step, ")") : "");
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
