#pragma once

// How the text of a product reads its operands: where they are, or through what was packed.

#include <sinter/codegen/product_text.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::codegen {

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
              at(form_.left).remark);
  };
  if (left_ == Packing::rows) {
    return for_runs(form_.rows, "first", "last", "row",
                    [&](const std::string& arguments, const std::string& offset) {
                      call(arguments,
                           text("block", offset.empty() ? "" : " + ", offset,
                                offset.empty() ? "" : " * ", offset.empty() ? "" : c(depth_)));
                    });
  }
  const auto columns =
      out_.block(text("for (long from = first; from < last; from += ", detail::column_rows, ")"));
  out_.line(text("const long to = least(from + ", detail::column_rows, ", last);"));
  for_runs(form_.rows, "from", "to", "row",
           [&](const std::string& arguments, const std::string& offset) {
             call(arguments, text("block + (from - first) * (", c(depth_), ")",
                                  offset.empty() ? "" : " + ", offset));
           });
}

// Writes the panel: rows of it from inputs that lie along the columns, else four columns at a time.
SINTER_INLINE void ProductText::write_panel() {
  if (right_ == Packing::columns) return write_panel_rows();
  if (copies_right_) {
    const std::string step = c(*flat_step(at(form_.right).index, form_.columns));
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
                 at(form_.right).remark);
           });
  write_transposed("columns", c(depth_), "live", "panel + four");
}

SINTER_INLINE void ProductText::write_panel_rows() {
  const auto write = [&](const std::string& arguments, const std::string& offset) {
    std::string given = arguments, last;
    if (packs_by_parts()) {  // the depth comes before the columns that lie side by side
      const std::size_t comma = given.rfind(',', given.rfind(',') - 1);
      last = given.substr(comma);
      given = given.substr(0, comma) + ", k, next";
    }
    out_.line(text(name_, "_right(buffers, sizes, panel", offset.empty() ? "" : " + ", offset,
                   batch_arguments(), given, last, ");"),
              at(form_.right).remark);
  };
  for_runs(form_.columns, "c", "c + width", "column", write);
}

SINTER_INLINE void ProductText::write_transposed(const std::string& from, const std::string& step,
                                                 const std::string& columns,
                                                 const std::string& to) {
  const std::string deep = packs_by_parts() ? text("(next - k) * (", c(inner_), ")") : c(depth_);
  out_.line(text("pack_", dtype_, "(", to, ", ", pitch_, ", ", from, ", ", step, ", ", columns,
                 ", ", deep, ");"),
            at(form_.right).remark);
}

// "in0 + 64*r, 64, 1": the rows of a tile, the step between them, that along the depth.
SINTER_INLINE std::string ProductText::left_address() const {
  const std::string from = depth_blocks_ ? text(" + k * (", c(inner_), ")") : "";
  if (left_ == Packing::rows) {
    return text("block + (r - first) * (", c(depth_), ")", from, ", ", c(depth_), ", 1");
  }
  if (left_ == Packing::columns) {
    const std::string n = text(detail::column_rows);
    const std::string step = from.empty() ? "" : text(from, " * ", n);
    return text("block + (r - first) / ", n, " * ", n, " * (", c(depth_), ") + (r - first) % ", n,
                step, ", 1, ", n);
  }
  const Extent index = at(form_.left).index;
  Extent base = index;
  for (const std::vector<Loop>* loops : {&form_.rows, &form_.depth}) {
    for (const Loop& loop : *loops) base = without(base, loop.variable);
  }
  const std::string row = c(*flat_step(index, form_.rows)),
                    step = c(*flat_step(index, form_.depth));
  return text(argument_name(at(form_.left).argument), same(base, 0) ? "" : text(" + ", c(base)),
              form_.rows.empty() ? "" : text(" + r * (", row, ")"),
              from.empty() ? "" : text(from, " * (", step, ")"), ", ", row, ", ", step);
}

// "in1 + 64*c": the first element of the panel.
SINTER_INLINE std::string ProductText::right_address() const {
  const Extent index = at(right_load()).index;
  Extent base = index;
  for (const std::vector<Loop>* loops : {&form_.columns, &form_.depth}) {
    for (const Loop& loop : *loops) base = without(base, loop.variable);
  }
  const std::string step = c(*flat_step(index, form_.depth));
  return text(argument_name(at(right_load()).argument), same(base, 0) ? "" : text(" + ", c(base)),
              " + c * (", c(*flat_step(index, form_.columns)), ")",
              packs_by_parts() ? text(" + k * (", c(inner_), ") * (", step, ")") : "");
}

}  // namespace sinter::inline SINTER_ABI::codegen
