#pragma once

#include <algorithm>    // std::any_of
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/codegen/block_memory.ipp>
#include <sinter/codegen/blocks.hpp>
#include <sinter/codegen/nest.hpp>
#include <sinter/codegen/product_text.hpp>
#include <sinter/codegen/writer.hpp>
#include <sinter/schedule/block_limits.hpp>
#include <sinter/schedule/block_names.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

/// Of the scratch of a block: half of the second cache of a core, less what streams through it.
inline constexpr std::int64_t near_bytes = 384 * 1024;
/// Rows that a tile has, of which a block is a multiple if one of its products has tiles.
inline constexpr std::int64_t rows_of_tile = 6;

/// What an operation on the elements of a row takes, in multiply-adds.
inline constexpr int operation_cost = 3;

struct Blocks : BlockMemory {
  const std::string& name;
  bool divides = false;  // whether threads share columns too

  Blocks(const Kernel& whole, const std::string& called, const CppOptions& options)
      : BlockMemory{whole, schedule::parts_of(whole, !options.strict)}, name(called) {
    for (std::size_t i = 0; i < parts.parts.size(); ++i) {
      texts.push_back(part_text(parts, i, whole.grid.size() - 1, part_name(i), options));
    }
    find_lasting();
    divides = parts.divides() && block_step() > 1;
  }

  std::string function(Linkage linkage) {
    std::string result;
    for (const PartText& one : texts) result += one.text + "\n";
    {
      const auto body = out.block(function_head(name, linkage));
      write_body();
      write_packed();
    }
    return result + out.str();
  }

  std::string part_name(std::size_t i) const { return text(name, "_part", i); }

  std::int64_t block_step() const {
    const bool tiles =
        std::any_of(texts.begin(), texts.end(), [](const PartText& one) { return one.has_tiles; });
    return tiles ? rows_of_tile : 1;
  }

  Extent outer_points() const {
    Extent result = 1;
    for (std::size_t i = 0; i + 1 < kernel.grid.size(); ++i) result *= kernel.grid[i].extent;
    return result;
  }

  void write_body() {
    for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
      out.line(text("const long n", i, " = sizes[", i, "];"));
    }
    write_lasting();
    write_panel_sizes();
    write_rows();
    divides ? write_cut() : write_share();
    write_scratch();
    write_panel_memory();
    const std::string_view item = divides ? "item" : "block";
    const auto loop =
        out.block(text("for (long ", item, " = first; ", item, " < last; ++", item, ")"));
    if (divides) {
      out.line("const long part = item / (outer * blocks), block = item % (outer * blocks);");
    }
    write_place();
    for (std::size_t i = 0; i < texts.size(); ++i) write_call(i);
  }

  // How many rows are a block: what passes between its parts fits in a cache, the last one if that
  // is where the panels are. Loops that end with the rows ask for few.
  void write_rows() {
    Extent bytes = 1;
    for (std::size_t i = 0; i < parts.arguments.size(); ++i) {
      const schedule::Argument& argument = parts.arguments[i];
      if (is_kept(i)) bytes += argument.elements * Extent(info(argument.dtype).size);
    }
    out.line(text("const long all = ", number(kernel.grid.back().extent), ";"));
    out.line(text("const long bytes = ", number(bytes), ";"));
    out.line(text("const long far = ", schedule::detail::block_bytes,
                  " / bytes, near = ", near_bytes, " / bytes;"));
    const std::string all = text("least(far, ", schedule::detail::most_block_rows, ")");
    const std::string kept = text("kept > 0 && kept <= ", 4 * near_bytes,
                                  " ? near < 48 ? least(far, 48) : least(near, 192) : ");
    out.line(text("long most = ", keeps() ? kept : "", all, ";"));
    if (parts.clips()) out.line("most = least(most, all / 8 > 24 ? all / 8 : 24);");
    const std::int64_t fewest = (divides ? 8 : 2) * block_step();
    out.line(text("if (most < ", fewest, ") most = ", fewest, ";"));
  }

  // Threads share columns too, where that takes them less time than rows alone.
  void write_cut() {
    std::string products;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const PartText& one = texts[i];
      if (!parts.parts[i].is_product) continue;
      const std::string cost = text(keeps(i) ? packing_cost : 0);
      products +=
          text(products.empty() ? "{" : ", {", number(one.depth), ", ", number(one.columns), ", ",
               one.column_step, ", ", lasts(i) ? text("is_packed", i, " ? 0 : ", cost) : cost, "}");
    }
    const Extent before = parts.operations_before() * operation_cost;
    out.line(text("const long outer = ", number(outer_points()), ";"));
    out.line(text("const Cut::Product products[] = {", products, "};"));
    out.line(text("const Cut cut(all, most, ", block_step(), ", outer, ", number(before),
                  ", products, threads);"));
    out.line("const long rows = cut.rows, blocks = cut.blocks, parts = cut.parts;");
    write_items("outer * blocks * parts");
  }

  void write_items(std::string_view items) {
    out.line(text("const long first = share(", items, ", 1, thread, threads);"));
    out.line(text("const long last = share(", items, ", 1, thread + 1, threads);"));
    out.line("if (first >= last) return;");
  }

  // As many blocks for each thread, an even number if late ones are longer, unless there is work
  // enough outside of them.
  void write_share() {
    out.line("long blocks = all > most ? (all + most - 1) / most : 1;");
    out.line(text("const long outer = ", number(outer_points()), ";"));
    out.line(text("const long turns = ", parts.clips() ? "2 * threads;" : "threads;"));
    out.line("if (outer % threads != 0) blocks = (blocks + turns - 1) / turns * turns;");
    const std::int64_t step = block_step();
    out.line(text("long rows = ((all + blocks - 1) / blocks + ", step - 1, ") / ", step, " * ",
                  step, ";"));
    out.line(text("if (rows < ", step, ") rows = ", step, ";"));
    out.line("blocks = (all + rows - 1) / rows;");
    write_items("outer * blocks");
  }

  // Which rows these are. Where loops end with the rows, a late block follows an early one, so that
  // pairs of blocks have about the same work.
  void write_place() {
    std::string rest = "block / blocks";
    for (std::size_t i = kernel.grid.size() - 1; i-- > 0;) {
      const std::string extent = number(kernel.grid[i].extent);
      out.line(text("const long i", i, " = ", rest, i == 0 ? ";" : text(" % ", extent, ";")));
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

  // Where loops end of which the rest has no effect, in whole vectors; one at least, from which a
  // row without any step of its own gets what its neutral steps give: NaN, if it divides by their
  // sum.
  void write_end(const std::string& end_name, Extent end) {
    const std::string extent = number(parts.extent);
    out.line(text("const long ", end_name, "_needed = (", number(end), " + 31) / 32 * 32;"));
    out.line(text("const long ", end_name, " = least(", end_name, "_needed < 32 ? 32 : ", end_name,
                  "_needed, ", extent, ");"));
  }

  void write_sizes(const std::string& sizes_name, const std::string& end) {
    std::string sizes;
    for (std::size_t i = 0; i < kernel.symbols.size(); ++i) sizes += text("n", i, ", ");
    for (std::size_t i = 0; i + 1 < kernel.grid.size(); ++i) sizes += text("i", i, ", ");
    const std::string ends = parts.clips() ? text(", ", end, ", last_end") : std::string();
    out.line(text("const long ", sizes_name, "[] = {", sizes, "row, live", ends, "};"));
  }

  void write_call(std::size_t i) {
    std::string buffers;
    for (const std::int32_t argument : parts.parts[i].arguments) {
      buffers += buffers.empty() ? "" : ", ";
      const auto position = static_cast<std::size_t>(argument);
      buffers +=
          is_local(position) ? text("row", argument) : text("buffers[", buffer(position), "]");
    }
    if (keeps(i)) buffers += text(", panels", i);
    out.line(text("void* const buffers", i, "[] = {", buffers, "};"));
    if (keeps(i)) write_pack(i);
    const bool shares = divides && parts.parts[i].is_product;
    out.line(text(part_name(i), "(buffers", i, ", part_sizes, context, ",
                  shares ? "part, parts);" : "0, 1);"));
  }

  void write_pack(std::size_t i) {
    const bool per_outer = texts[i].per_outer;
    const std::string_view now =
        divides ? (per_outer ? "item / blocks" : "part") : (per_outer ? "block / blocks" : "0");
    const std::string missing = lasts(i) ? text(" && !is_packed", i) : "";
    const auto pack =
        out.block(text("if (panels", i, " != nullptr", missing, " && packed", i, " != ", now, ")"));
    write_sizes("all_sizes", "last_end");
    out.line(text(part_name(i), "_pack(buffers", i, ", all_sizes", divides ? ", part, parts" : "",
                  ");"));
    out.line(text("packed", i, " = ", now, ";"));
  }
};

}  // namespace detail

SINTER_INLINE std::string block_function(const schedule::Kernel& kernel, const std::string& name,
                                         const CppOptions& options, Linkage linkage) {
  return detail::Blocks(kernel, name, options).function(linkage);
}

SINTER_INLINE std::string cpp_function(const schedule::Kernel& kernel, const std::string& name,
                                       const CppOptions& options, Linkage linkage) {
  if (is_block(kernel)) return block_function(kernel, name, options, linkage);
  if (const auto form = product_form(kernel, options.strict)) {
    return ProductText(kernel, *form, options).function(name, linkage);
  }
  const int bits =
      options.tuning.vector_bits != 0 ? options.tuning.vector_bits : options.vector_bits;
  const bool vectors = kernel.vector_axis != VectorAxis::none && bits != 0;
  const int lanes = vectors ? bits / (8 * lane_bytes(kernel)) : 1;
  return Nest(kernel, lanes, options.strict, options.tuning).function(name, linkage);
}

SINTER_INLINE std::vector<schedule::Kept> kept_by(const schedule::Kernel& kernel,
                                                  const CppOptions& options) {
  const bool steady = std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                                  [](const schedule::Argument& one) { return one.steady; });
  if (!steady || !kernel.finish.empty()) return {};
  if (is_block(kernel)) return detail::Blocks(kernel, "block", options).kept();
  const auto form = product_form(kernel, options.strict);
  if (!form) return {};
  const schedule::Kept kept = ProductText(kernel, *form, options).lasting();
  if (kept.input < 0) return {};
  return {kept};
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
