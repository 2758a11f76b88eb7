#pragma once

#include <algorithm>  // std::any_of
#include <vector>     // std::vector

#include <sinter/codegen/block_memory.ipp>
#include <sinter/codegen/blocks.hpp>
#include <sinter/codegen/nest.hpp>
#include <sinter/codegen/product_text.hpp>
#include <sinter/codegen/writer.hpp>
#include <sinter/schedule/block_limits.hpp>
#include <sinter/schedule/block_names.hpp>

namespace sinter::inline SINTER_ABI::codegen {

namespace detail {

/// Of the scratch of a block: half of the second cache of a core, less what streams through it.
inline constexpr std::int64_t near_bytes = 384 * 1024;
/// Rows that a tile has, of which a block is a multiple.
inline constexpr std::int64_t block_step = 6;

struct Blocks : BlockMemory {
  const std::string& name;

  Blocks(const Kernel& whole, const std::string& called, const CppOptions& options)
      : BlockMemory{whole, schedule::parts_of(whole, !options.strict)}, name(called) {
    for (std::size_t i = 0; i < parts.parts.size(); ++i) {
      texts.push_back(part_text(parts, i, whole.grid.size() - 1, part_name(i), options));
    }
    find_lasting();
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
    write_share();
    write_scratch();
    write_panel_memory();
    const auto loop = out.block("for (long block = first; block < last; ++block)");
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
    out.line(text("if (most < ", 2 * block_step, ") most = ", 2 * block_step, ";"));
  }

  // As many blocks for each thread, an even number if late ones are longer, unless there is work
  // enough outside of them.
  void write_share() {
    out.line("long blocks = all > most ? (all + most - 1) / most : 1;");
    out.line(text("const long outer = ", number(outer_points()), ";"));
    out.line(text("const long turns = ", parts.clips() ? "2 * threads;" : "threads;"));
    out.line("if (outer % threads != 0) blocks = (blocks + turns - 1) / turns * turns;");
    out.line(text("long rows = ((all + blocks - 1) / blocks + ", block_step - 1, ") / ", block_step,
                  " * ", block_step, ";"));
    out.line(text("if (rows < ", block_step, ") rows = ", block_step, ";"));
    out.line("blocks = (all + rows - 1) / rows;");
    out.line("const long first = share(outer * blocks, 1, thread, threads);");
    out.line("const long last = share(outer * blocks, 1, thread + 1, threads);");
    out.line("if (first >= last) return;");
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
    out.line(text(part_name(i), "(buffers", i, ", part_sizes, context, 0, 1);"));
  }

  void write_pack(std::size_t i) {
    const std::string now = texts[i].per_outer ? "block / blocks" : "0";
    const auto pack =
        out.block(text("if (panels", i, " != nullptr && packed", i, " != ", now, ")"));
    write_sizes("all_sizes", "last_end");
    out.line(text(part_name(i), "_pack(buffers", i, ", all_sizes);"));
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

}  // namespace sinter::inline SINTER_ABI::codegen
