#pragma once
// What the texts of all products share: the names in them, memory, and the panels of the right
// operand.

#include <algorithm>    // std::min
#include <cstddef>      // std::ptrdiff_t, std::size_t
#include <cstdint>      // std::int32_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <tuple>        // std::tie
#include <utility>      // std::pair

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/product/pieces.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/extent/text.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

/// Splits arguments into those of the outer loops and the two of the last loop.
inline std::pair<std::string, std::string> split_last(const std::string& arguments) {
  const std::size_t comma = arguments.rfind(',', arguments.rfind(',') - 1);
  return {arguments.substr(0, comma), arguments.substr(comma)};
}

/// `index` at the first element along two sides.
inline Extent start_of(Extent index, const Vector<Loop>& side, const Vector<Loop>& other) {
  for (const Vector<Loop>* loops : {&side, &other}) {
    for (const Loop& loop : *loops) index = without(index, loop.variable);
  }
  return index;
}

// Comments cite lines of the user, which must not change a key.
inline std::string without_comments(std::string_view code) {
  std::string result;
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size() - 1) + 1;
    result += code.substr(0, std::min(end, code.find("//")));
    code.remove_prefix(end);
  }
  return result;
}

}  // namespace detail

class ProductWriter {
 public:
  explicit ProductWriter(const ProductDecision& how) : how_(how) {
    for (std::size_t i = 0; i < how.kernel.symbols.size(); ++i) {
      names_.emplace_back(how.kernel.symbols[i], text("n", i));
    }
  }

  /// The input whose packed panels are kept between calls, as an index into the kernel's buffers.
  schedule::PackedInput packed_input() const {
    return with_key(how_.packed_input_of(how_.packed_argument));
  }

 protected:
  using WriteRun = FunctionRef<void(const std::string& arguments, const std::string& offset)>;
  using Packing = ProductDecision::Packing;
  using Method = ProductDecision::Method;
  using Names = Vector<std::pair<Extent, std::string>>;

  std::string c(Extent extent) const {
    return c_text(extent, [&](Extent variable) {
      for (const auto& [known, name] : names_) {
        if (same(known, variable)) return name;
      }
      throw InternalError(text("codegen: ", variable, " is not a variable of this product"));
    });
  }

  std::string argument_name(std::int32_t argument) const { return text("in", argument); }

  /// The element type of panels.
  std::string type() const { return std::string(memory_type(how_.packed)); }

  schedule::PackedInput with_key(schedule::PackedInput packed) const {
    if (packed.input >= 0) packed.key = Hasher().add("panels").add(packing()).result();
    return packed;
  }

  /// For each loop over steps, its iteration in step `k`: {"k / 56", "k % 56"}.
  Vector<std::string> position_of_step() const {
    Vector<std::string> result;
    const Vector<Loop>& depth = how_.form.depth;
    for (std::size_t i = 0; i < how_.step_loops; ++i) {
      const Extent inner = count_of({depth.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                     depth.begin() + static_cast<std::ptrdiff_t>(how_.step_loops)});
      result.push_back(text("k", same(inner, 1) ? "" : text(" / ", inner),
                            i == 0 ? "" : text(" % ", depth[i].extent)));
    }
    return result;
  }

  /// The arguments of a piece that packs the block from step `k` to `next`.
  std::string block_arguments() const {
    std::string result;
    const Vector<std::string> position = position_of_step();
    for (const std::string& at : position) result += ", " + at;
    return result + (how_.step_loops == 1 ? ", next" : text(", ", position.back(), " + next - k"));
  }

  std::string batch_arguments() const {
    std::string result;
    for (std::size_t i = 0; i < how_.form.batch.size(); ++i) result += text(", b", i);
    return result;
  }

  /// "context, " for an epilogue that checks data.
  std::string context_argument() const {
    const bool checks = any_of(how_.kernel.instructions,
                               [](const Instruction& one) { return schedule::can_fault(one); });
    return checks ? "context, " : "";
  }

  /// Calls `body` with the arguments for the loops of a side from `begin` to `end`, and the offset
  /// of the first element from `begin`; in a loop over runs if the side has several loops.
  void for_runs(const Vector<Loop>& loops, const std::string& begin, const std::string& end,
                const std::string& name, WriteRun body) {
    if (loops.empty()) return body("", "");
    if (loops.size() == 1) return body(text(", ", begin, ", ", end), "");
    const std::string extent = c(loops.back().extent);
    const auto run = out_.block({"for (long ", name, " = ", begin, "; ", name, " < ", end, ";)"});
    out_.line({"const long ", name, "_at = ", name, " % (", extent, ");"});
    out_.line({"const long ", name, "_end = least((", extent, "), ", name, "_at + ", end, " - ",
               name, ");"});
    std::string arguments;
    for (std::size_t i = 0; i + 1 < loops.size(); ++i) {
      const Extent inner =
          count_of({loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, loops.end()});
      arguments += text(", ", name, " / (", c(inner), ")",
                        i == 0 ? "" : text(" % (", c(loops[i].extent), ")"));
    }
    body(text(arguments, ", ", name, "_at, ", name, "_end"), text("(", name, " - (", begin, "))"));
    out_.line({name, " += ", name, "_end - ", name, "_at;"});
  }

  /// Declares the iterations of `loops` at `flat`, an index over all of them: "b0", "b1".
  void write_positions(const Vector<Loop>& loops, const std::string& flat) {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const Extent inner =
          count_of({loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, loops.end()});
      out_.line({"const long b", i, " = ", flat, same(inner, 1) ? "" : text(" / (", c(inner), ")"),
                 i == 0 ? "" : text(" % (", c(loops[i].extent), ")"), ";"});
      names_.emplace_back(loops[i].variable, text("b", i));
    }
  }

  void write_input(ValueId id) {
    const schedule::Argument& input =
        how_.kernel.arguments[static_cast<std::size_t>(how_.at(id).argument)];
    const auto stored = memory_type(input.dtype);
    out_.line({"const ", stored, "* const ", argument_name(how_.at(id).argument), " = (const ",
               stored, "*)buffers[", how_.at(id).argument, "];"},
              how_.at(id).remark);
  }

  void write_scratch(const std::string& name, Extent elements, DType dtype) {
    write_memory(out_, name, dtype, elements, c(elements), how_.limits().panel_bytes);
  }

  /// Declares memory that holds values of `right` until they are packed into a panel.
  void write_unpacked() {
    if (how_.right == Packing::rows) write_scratch("columns", how_.column_pitch() * 4, how_.packed);
    if (how_.right == Packing::columns && how_.uses_bf16_dot) {
      write_scratch("rows",
                    (how_.has_shared_panels() ? how_.depth : how_.deepest_panel()) * how_.pitch,
                    how_.packed);
    }
  }

  /// Packs the panel, one micro-panel after the other.
  void write_panel() {
    if (how_.micro_pitch == how_.pitch) return write_columns({"panel", "c", "width"});
    const auto parts =
        out_.block({"for (long side = 0; side < width; side += ", how_.micro_pitch, ")"});
    out_.line({type(), "* const micro = panel + side * (", c(how_.micro_panel_depth()), ");"});
    out_.line({"const long begin = c + side, wide = least(width - side, ", how_.micro_pitch, ");"});
    write_columns({"micro", "begin", "wide"});
  }

  /// Declares the panels that are kept between calls.
  void write_packed_weights() {
    std::size_t buffers = schedule::buffer_count(how_.kernel);
    for (const Kernel& last : how_.kernel.finalizers) buffers += schedule::buffer_count(last);
    out_.line({"long* const kept = (long*)buffers[", buffers,
               "];  // panels of all columns, if the first number is not 0"});
    out_.line("const bool is_packed = kept && *kept != 0, packs_all = kept && !is_packed;");
    out_.line("if (packs_all && thread > 0) return;");
    out_.line("if (packs_all) threads = 1;");
  }

  /// "in1 + 64*c": the first element of the panel of `column`, in place.
  std::string right_address(const std::string& column = "c") const {
    const Extent index = how_.at(how_.right_load()).index;
    const Extent base = detail::start_of(index, how_.form.columns, how_.form.depth);
    const std::string step = c(*flat_step(index, how_.form.depth));
    return text(
        argument_name(how_.at(how_.right_load()).argument),
        same(base, 0) ? "" : text(" + ", c(base)), " + ", column, " * (",
        c(*flat_step(index, how_.form.columns)), ")",
        how_.packs_by_depth_blocks() ? text(" + k * (", c(how_.inner), ") * (", step, ")") : "");
  }

  const ProductDecision how_;
  std::string name_{}, pieces_{};
  Names names_{};
  Writer out_{};

 private:
  /// The text that packs `right`, which is the same for all products that pack it alike.
  std::string packing() const {
    ProductWriter other(how_);
    if (!how_.right_is_input) other.pieces_ += right_piece(how_, "");
    other.write_panel();
    const std::string all = other.pieces_ + other.out_.str();
    return text(how_.pitch, " in ", how_.micro_pitch, " x ", how_.depth, " x ", how_.columns,
                how_.transforms_panels ? ", transformed" : "", "\n", detail::without_comments(all));
  }

  // How much of the depth write_panel() packs.
  std::string packed_depth() const {
    return how_.packs_by_depth_blocks() ? text("(next - k) * (", c(how_.inner), ")")
                                        : c(how_.depth);
  }

  /// The names of three variables: the memory of some columns, the first one, and their number.
  struct PanelColumns {
    std::string panel{}, first{}, width{};
  };

  // Packs an operand that is contiguous along the columns row by row, and any other four columns at
  // a time.
  void write_columns(const PanelColumns& to) {
    if (how_.right == Packing::columns && !how_.uses_bf16_dot)
      return write_panel_rows(to.panel, to);
    if (how_.right == Packing::columns && how_.right_is_input) {
      return write_paired_rows(right_address(to.first),
                               c(*flat_step(how_.at(how_.right_value).index, how_.form.depth)));
    }
    if (how_.right == Packing::columns) {
      write_panel_rows("rows", to);
      return write_paired_rows("rows", text(how_.pitch));
    }
    if (how_.right_is_input) {
      const std::string step = c(*flat_step(how_.at(how_.right_value).index, how_.form.columns));
      return write_transposed(right_address(to.first), step, to.width, to.panel);
    }
    const auto four = out_.block({"for (long four = 0; four < ", to.width, "; four += 4)"});
    out_.line({"const long live = least(", to.width, " - four, 4);"});
    for_runs(how_.form.columns, to.first + " + four", to.first + " + four + live", "column",
             [&](const std::string& arguments, const std::string& offset) {
               out_.line(
                   text(name_, "_right(buffers, sizes, columns", offset.empty() ? "" : " + ",
                        offset, offset.empty() ? "" : text(" * (", c(how_.column_pitch()), ")"),
                        batch_arguments(), arguments,
                        how_.packs_by_depth_blocks() ? block_arguments() : "", ");"),
                   how_.at(how_.right_value).remark);
             });
    write_transposed("columns", c(how_.column_pitch()), "live",
                     text(to.panel, how_.uses_bf16_dot ? " + 2 * four" : " + four"));
  }

  void write_panel_rows(const std::string& to, const PanelColumns& columns) {
    const auto write = [&](const std::string& arguments, const std::string& offset) {
      std::string given = arguments, last;
      if (how_.packs_by_depth_blocks()) {  // the depth comes before the last loop of the columns
        std::tie(given, last) = detail::split_last(arguments);
        given += block_arguments();
      }
      out_.line({name_, "_right(buffers, sizes, ", to, offset.empty() ? "" : " + ", offset,
                 batch_arguments(), given, last, ");"},
                how_.at(how_.right_value).remark);
    };
    for_runs(how_.form.columns, columns.first, text(columns.first, " + ", columns.width), "column",
             write);
  }

  /// Interleaves pairs of rows, which lie `stride` apart.
  void write_paired_rows(const std::string& from, const std::string& stride) {
    out_.line({"pair_rows_", how_.packed, "(panel, ", how_.pitch, ", ", from, ", ", stride,
               ", width, ", packed_depth(), ");"},
              how_.at(how_.right_value).remark);
  }

  /// Packs `columns` columns, `step` apart, as columns of the panel from `to` on.
  void write_transposed(const std::string& from, const std::string& step,
                        const std::string& columns, const std::string& to) {
    out_.line({"pack_", how_.uses_bf16_dot ? "pairs_" : "", how_.packed, "(", to, ", ",
               how_.micro_pitch, ", ", from, ", ", step, ", ", columns, ", ", packed_depth(), ");"},
              how_.at(how_.right_value).remark);
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
