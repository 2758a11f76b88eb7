#pragma once
// Writes row-tiled kernels: a function for each subkernel, and one that calls them tile by tile.

#include <array>        // std::array
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/product_text.hpp>
#include <sinter/codegen/cpp/row_tile_panels.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/tile/subkernels.hpp>
#include <sinter/schedule/tile/symbols.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/text.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// The memory of a row tile: what its subkernels pass on, and the panels of its products.
struct RowTileMemory {
  const Kernel& kernel;
  const schedule::Subkernels& parts;
  const Vector<SubkernelText>& texts;
  const schedule::CppLimits& limits;
  Writer& out;
  Vector<std::size_t> packed_parts{};  // parts whose panels may be kept from another call

  // With more rows, packing takes too small a part of the time.
  void find_packed_parts() {
    std::int64_t rows = 1;
    for (const Loop& loop : kernel.grid) {
      const std::int64_t most = bounds(loop.extent).max;
      rows = most == unbounded ? rows : saturating_multiply(rows, most);
    }
    if (rows > limits.most_rows_to_cache) return;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].packed_input.input >= 0) packed_parts.push_back(i);
    }
  }

  bool is_cached(std::size_t part) const { return contains(packed_parts, part); }

  Vector<schedule::PackedInput> packed_inputs() const {
    Vector<schedule::PackedInput> result;
    for (const std::size_t part : packed_parts) {
      result.push_back(texts[part].packed_input);
      std::int32_t& input = result.back().input;
      const std::int32_t argument = parts.kernels[part].arguments[input];
      input = static_cast<std::int32_t>(buffer(static_cast<std::size_t>(argument)));
    }
    return result;
  }

  // The first call packs all panels, on one thread.
  void write_packed_weights() {
    if (packed_parts.empty()) return;
    std::size_t next = buffer(kernel.arguments.size());
    std::string missing;
    for (const std::size_t i : packed_parts) {
      out.line({"long* const lasting", i, " = (long*)buffers[", next++,
                "];  // panels of all columns, if the first number is not 0"});
      out.line({"const bool is_packed", i, " = lasting", i, " && *lasting", i, " != 0;"});
      missing += text(missing.empty() ? "" : " || ", "(lasting", i, " && !is_packed", i, ")");
    }
    out.line({"const bool packs_all = ", missing, ";"});
    out.line("if (packs_all && thread > 0) return;");
    out.line("if (packs_all) threads = 1;");
  }

  void write_packed_flags() {
    for (const std::size_t i : packed_parts) {
      out.line({"if (packs_all && lasting", i, ") lasting", i, "[1] = 1;"});
    }
  }

  std::string number(Extent extent) const {
    return c_text(extent, [&](Extent variable) {
      const std::size_t outer = kernel.symbols.size(), row = outer + kernel.grid.size() - 1;
      const std::array<std::string, 4> own{"row", "live", "end", "last_end"};
      for (std::size_t i = 0; i < parts.symbols.size(); ++i) {
        if (!same(parts.symbols[i], variable)) continue;
        return i < outer ? text("n", i) : i < row ? text("i", i - outer) : own[i - row];
      }
      throw InternalError(text("codegen: ", variable, " is no size of its kernel"));
    });
  }

  bool is_local(std::size_t argument) const {
    return parts.arguments[argument].access == Access::local;
  }

  // Whether the argument has scratch memory of its own.
  bool owns_memory(std::size_t argument) const {
    return is_local(argument) && !parts.is_private[argument] &&
           parts.storage[argument] == static_cast<std::int32_t>(argument);
  }

  bool keeps_panels(std::size_t part) const { return !same(texts[part].panels, 0); }
  bool keeps_panels() const {
    return any_of(texts, [](const SubkernelText& one) { return !same(one.panels, 0); });
  }

  std::size_t buffer(std::size_t argument) const {
    std::size_t result = 0;
    for (std::size_t i = 0; i < argument; ++i) result += is_local(i) ? 0 : 1;
    return result;
  }

  // Writes the sizes of the panels of each part, and whether they are kept for all row tiles.
  void write_panel_sizes() {
    if (!keeps_panels()) return;
    std::string all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!keeps_panels(i)) continue;
      Extent elements = texts[i].panels;
      if (parts.clips()) elements = substitute(elements, parts.symbols.back(), parts.extent);
      out.line({"const long kept", i, " = (", number(elements), " * (long)sizeof(",
                memory_type(texts[i].dtype), ") + 63) / 64 * 64;"});
      all += text(all.empty() ? "" : " + ", "kept", i);
    }
    out.line(
        {"const long kept = ", all, " <= ", limits.most_kept_panel_bytes, " ? ", all, " : 0;"});
  }

  void write_memory(const std::string& name, const std::string& bytes) {
    write_scratch_memory(out, name, "char*", "char*", bytes);
    out.line({name, " += -(long)", name, " & 63;"});
  }

  void write_scratch() {
    std::string bytes = "64";
    for (std::size_t i = 0; i < parts.arguments.size(); ++i) {
      if (!owns_memory(i)) continue;
      const schedule::Argument& argument = parts.arguments[i];
      out.line({"const long bytes", i, " = (rows * ", number(argument.elements), " * (long)sizeof(",
                memory_type(argument.dtype), ") + 63) / 64 * 64;"});
      bytes += text(" + bytes", i);
    }
    if (bytes == "64") return;
    write_memory("place", bytes);
    for (std::size_t i = 0; i < parts.arguments.size(); ++i) {
      if (!is_local(i) || parts.is_private[i]) continue;
      const std::string_view type = memory_type(parts.arguments[i].dtype);
      if (!owns_memory(i)) {
        out.line({type, "* const row", i, " = row", parts.storage[i], ";"});
        continue;
      }
      out.line({type, "* const row", i, " = (", type, "*)place;"});
      out.line({"place += bytes", i, ";"});
    }
  }

  void write_panel_memory() {
    if (!keeps_panels()) return;
    // Panels that only one row tile reads are packed when it needs them, and stay in a near cache.
    out.line("const bool keeps_panels = kept > 0 && last - first > 1;");
    std::string own = "kept";
    for (const std::size_t i : packed_parts) own += text(" - (lasting", i, " ? kept", i, " : 0)");
    write_memory("panels", text("(keeps_panels ? ", own, " : 0) + 64"));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!keeps_panels(i)) continue;
      const std::string last = text("lasting", i, " ? ");
      out.line({"void* const panels", i, " = ",
                is_cached(i) ? last + text("(char*)lasting", i, " + 64 : ") : "",
                "keeps_panels ? panels : nullptr;"});
      out.line({"panels += ", is_cached(i) ? last + "0 : " : "", "kept", i, ";"});
      out.line({"long packed", i, " = -1;"});
    }
  }
};

struct RowTileText {
  const Kernel& kernel;
  const std::string& name;
  const schedule::Target& target;
  schedule::Subkernels parts;
  Vector<SubkernelText> texts{};
  Writer out{};
  RowTileMemory memory{kernel, parts, texts, target.cpp, out};
  bool shares_columns = false;  // whether threads share columns too

  RowTileText(const Kernel& whole, const std::string& called, const CppOptions& options)
      : kernel(whole),
        name(called),
        target(options.target),
        parts(schedule::subkernels_of(whole, !options.strict, target)) {
    for (std::size_t i = 0; i < parts.kernels.size(); ++i) {
      texts.push_back(subkernel_text(parts, i, whole.grid.size() - 1, part_name(i), options));
    }
    memory.find_packed_parts();
    shares_columns = parts.can_share_columns() && row_step() > 1;
  }

  std::string function(Linkage linkage) {
    std::string result;
    for (const SubkernelText& one : texts) result += one.text + "\n";
    {
      const auto body = out.block(function_head(name, linkage));
      write_body();
      memory.write_packed_flags();
    }
    return result + out.str();
  }

  std::string part_name(std::size_t i) const { return text(name, "_part", i); }

  std::int64_t row_step() const {
    const bool tiles = any_of(texts, [](const SubkernelText& one) { return one.has_tiles; });
    return tiles ? target.cpp.tile_rows : 1;
  }

  Extent outer_points() const {
    Extent result = 1;
    for (std::size_t i = 0; i + 1 < kernel.grid.size(); ++i) result *= kernel.grid[i].extent;
    return result;
  }

  void write_body() {
    codegen::write_sizes(out, kernel.symbols.size());
    memory.write_packed_weights();
    memory.write_panel_sizes();
    write_rows();
    shares_columns ? write_partition() : write_share();
    memory.write_scratch();
    memory.write_panel_memory();
    const std::string_view item = shares_columns ? "item" : "block";
    const auto loop = out.block({"for (long ", item, " = first; ", item, " < last; ++", item, ")"});
    if (shares_columns) {
      out.line("const long part = item / (outer * blocks), block = item % (outer * blocks);");
    }
    write_tile_rows();
    for (std::size_t i = 0; i < texts.size(); ++i) write_call(i);
  }

  // Chooses the rows of a row tile: what its subkernels pass on fits in a cache, the last-level one
  // if the panels are there. Loops that end at the row (causal masks) ask for few rows.
  void write_rows() {
    Extent bytes = 1;
    for (std::size_t i = 0; i < parts.arguments.size(); ++i) {
      const schedule::Argument& argument = parts.arguments[i];
      if (memory.owns_memory(i)) bytes += argument.elements * Extent(info(argument.dtype).size);
    }
    out.line({"const long all = ", memory.number(kernel.grid.back().extent), ";"});
    out.line({"const long bytes = ", memory.number(bytes), ";"});
    out.line({"const long far = ", target.row_tiles.tile_bytes,
              " / bytes, near = ", target.cpp.scratch_bytes, " / bytes;"});
    const std::string all = text("least(far, ", target.row_tiles.most_tile_rows, ")");
    const std::string with_panels = text("kept > 0 && kept <= ", 4 * target.cpp.scratch_bytes,
                                         " ? near < 48 ? least(far, 48) : least(near, 192) : ");
    out.line({"long most = ", memory.keeps_panels() ? with_panels : "", all, ";"});
    if (parts.clips()) out.line("most = least(most, all / 8 > 24 ? all / 8 : 24);");
    const std::int64_t fewest = (shares_columns ? 8 : 2) * row_step();
    out.line({"if (most < ", fewest, ") most = ", fewest, ";"});
  }

  // Threads share columns too, where that is faster than sharing rows alone.
  void write_partition() {
    std::string products;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const SubkernelText& one = texts[i];
      if (!parts.kernels[i].is_product) continue;
      const std::string cost = text(memory.keeps_panels(i) ? target.cpp.packing_cost : 0);
      products += text(products.empty() ? "{" : ", {", memory.number(one.depth), ", ",
                       memory.number(one.columns), ", ", one.column_step, ", ",
                       memory.is_cached(i) ? text("is_packed", i, " ? 0 : ", cost) : cost, "}");
    }
    const Extent before = parts.operations_before() * target.cpp.operation_cost;
    out.line({"const long outer = ", memory.number(outer_points()), ";"});
    out.line({"const Cut::Product products[] = {", products, "};"});
    out.line({"const Cut cut(all, most, ", row_step(), ", outer, ", memory.number(before),
              ", products, threads);"});
    out.line("const long rows = cut.rows, blocks = cut.blocks, parts = cut.parts;");
    write_items("outer * blocks * parts");
  }

  void write_items(std::string_view items) {
    out.line({"const long first = share(", items, ", 1, thread, threads);"});
    out.line({"const long last = share(", items, ", 1, thread + 1, threads);"});
    out.line("if (first >= last) return;");
  }

  // Gives each thread the same number of row tiles, an even one if late tiles take longer, unless
  // the outer loops have enough work.
  void write_share() {
    out.line("long blocks = all > most ? (all + most - 1) / most : 1;");
    out.line({"const long outer = ", memory.number(outer_points()), ";"});
    out.line({"const long turns = ", parts.clips() ? "2 * threads;" : "threads;"});
    out.line("if (outer % threads != 0) blocks = (blocks + turns - 1) / turns * turns;");
    const std::int64_t step = row_step();
    out.line(
        {"long rows = ((all + blocks - 1) / blocks + ", step - 1, ") / ", step, " * ", step, ";"});
    out.line({"if (rows < ", step, ") rows = ", step, ";"});
    out.line("blocks = (all + rows - 1) / rows;");
    write_items("outer * blocks");
  }

  // Writes the rows of the tile. Where loops end at the row, a late tile follows an early one, so
  // that pairs of tiles have about the same work.
  void write_tile_rows() {
    std::string rest = "block / blocks";
    for (std::size_t i = kernel.grid.size() - 1; i-- > 0;) {
      const std::string extent = memory.number(kernel.grid[i].extent);
      out.line({"const long i", i, " = ", rest, i == 0 ? ";" : text(" % ", extent, ";")});
      rest = text("(", rest, ") / ", extent);
    }
    if (parts.clips()) {
      out.line("const long turn = block % blocks;");
      out.line("const long row = (turn % 2 ? blocks - 1 - turn / 2 : turn / 2) * rows;");
    } else {
      out.line("const long row = block % blocks * rows;");
    }
    out.line("const long live = all - row < rows ? all - row : rows;");
    if (parts.clips()) {
      write_end("last_end", parts.last_end);
      write_end("end", parts.end);
    }
    write_sizes("part_sizes", "end");
  }

  // Writes where loops end whose remaining iterations have no effect, in whole vectors. They run
  // over one vector at least, so that a row without any effective iteration gets the result of
  // neutral ones: NaN if it divides by their sum.
  void write_end(const std::string& end_name, Extent end) {
    const std::string extent = memory.number(parts.extent);
    out.line({"const long ", end_name, "_needed = (", memory.number(end), " + 31) / 32 * 32;"});
    out.line({"const long ", end_name, " = least(", end_name, "_needed < 32 ? 32 : ", end_name,
              "_needed, ", extent, ");"});
  }

  void write_sizes(const std::string& sizes_name, const std::string& end) {
    std::string sizes;
    for (std::size_t i = 0; i < kernel.symbols.size(); ++i) sizes += text("n", i, ", ");
    for (std::size_t i = 0; i + 1 < kernel.grid.size(); ++i) sizes += text("i", i, ", ");
    const std::string ends = parts.clips() ? text(", ", end, ", last_end") : std::string();
    out.line({"const long ", sizes_name, "[] = {", sizes, "row, live", ends, "};"});
  }

  void write_call(std::size_t i) {
    std::string buffers;
    for (const std::int32_t argument : parts.kernels[i].arguments) {
      buffers += buffers.empty() ? "" : ", ";
      const auto position = static_cast<std::size_t>(argument);
      buffers += memory.is_local(position) ? text("row", argument)
                                           : text("buffers[", memory.buffer(position), "]");
    }
    if (memory.keeps_panels(i)) buffers += text(", panels", i);
    out.line({"void* const buffers", i, "[] = {", buffers, "};"});
    if (memory.keeps_panels(i)) write_pack(i);
    const bool by_columns = shares_columns && parts.kernels[i].is_product;
    out.line({part_name(i), "(buffers", i, ", part_sizes, context, ",
              by_columns ? "part, parts);" : "0, 1);"});
  }

  void write_pack(std::size_t i) {
    const bool per_outer = texts[i].per_outer;
    const std::string_view now = shares_columns ? (per_outer ? "item / blocks" : "part")
                                                : (per_outer ? "block / blocks" : "0");
    const std::string missing = memory.is_cached(i) ? text(" && !is_packed", i) : "";
    const auto pack =
        out.block({"if (panels", i, " != nullptr", missing, " && packed", i, " != ", now, ")"});
    write_sizes("all_sizes", "last_end");
    out.line({part_name(i), "_pack(buffers", i, ", all_sizes",
              shares_columns ? ", part, parts" : "", ");"});
    out.line({"packed", i, " = ", now, ";"});
  }
};

}  // namespace detail

/// The text of `kernel`, a row-tiled one, as the function `name`. What its subkernels pass on is in
/// scratch memory of a thread, for as many rows at a time as fit in a cache.
inline std::string row_tile_function(const schedule::Kernel& kernel, const std::string& name,
                                     const CppOptions& options,
                                     Linkage linkage = Linkage::exported) {
  return detail::RowTileText(kernel, name, options).function(linkage);
}

/// The inputs whose packed panels the text of `kernel`, a row-tiled one, keeps between calls.
inline Vector<schedule::PackedInput> packed_inputs_of_row_tile(const schedule::Kernel& kernel,
                                                               const CppOptions& options) {
  return detail::RowTileText(kernel, "block", options).memory.packed_inputs();
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
