#pragma once

#include <algorithm>  // std::any_of
#include <array>      // std::array
#include <vector>     // std::vector

#include <sinter/base/error.hpp>
#include <sinter/codegen/block_panels.hpp>
#include <sinter/codegen/blocks.hpp>
#include <sinter/codegen/nest.hpp>
#include <sinter/codegen/product_text.hpp>
#include <sinter/codegen/scalar.hpp>
#include <sinter/codegen/writer.hpp>
#include <sinter/schedule/block_names.hpp>
#include <sinter/schedule/block_parts.hpp>
#include <sinter/symbol/extent_text.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::codegen {

namespace detail {

/// Of the scratch of a block: half of the second cache of a core, less what streams through it.
inline constexpr std::int64_t near_bytes = 384 * 1024;
/// Of the scratch of a block which is more than that, and lies in the last cache.
inline constexpr std::int64_t far_bytes = 4096 * 1024;
/// Of the panels that a thread keeps.
inline constexpr std::int64_t most_kept_bytes = 16384 * 1024;
/// Rows that a tile has, of which a block is a multiple.
inline constexpr std::int64_t block_step = 6;

class Blocks {
 public:
  Blocks(const Kernel& kernel, const std::string& name, const CppOptions& options)
      : kernel_(kernel), name_(name), parts_(schedule::parts_of(kernel, !options.strict)) {
    for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
      texts_.push_back(part_text(parts_, i, kernel.grid.size() - 1, part_name(i), options));
    }
  }

  std::string function() {
    std::string result;
    for (std::size_t i = 0; i < texts_.size(); ++i) result += part(i) + "\n";
    {
      const auto body = out_.block(text("extern \"C\" void ", name_,
                                        "(void* const* buffers, const long* sizes, "
                                        "Context* context, long thread, long threads)"));
      write_body();
    }
    return result + out_.str();
  }

 private:
  std::string part_name(std::size_t i) const { return text(name_, "_part", i); }

  // A function of its own, which gcc does not put into the loop over blocks.
  std::string part(std::size_t i) const {
    std::string result = texts_[i].text;
    const std::string head = text("extern \"C\" void ", part_name(i), "(");
    const std::size_t at = result.find(head);
    if (at == std::string::npos) throw InternalError("codegen: a part of a block has no function");
    return result.replace(at, head.size(),
                          text("static __attribute__((noinline)) void ", part_name(i), "("));
  }

  std::string number(Extent extent) const {
    return c_text(extent, [&](Extent variable) {
      const std::size_t outer = kernel_.symbols.size(), row = outer + kernel_.grid.size() - 1;
      const std::array<std::string, 4> own{"row", "live", "end", "last_end"};
      for (std::size_t i = 0; i < parts_.symbols.size(); ++i) {
        if (!same(parts_.symbols[i], variable)) continue;
        return i < outer ? text("n", i) : i < row ? text("i", i - outer) : own[i - row];
      }
      throw InternalError(text("codegen: ", variable, " is no size of its kernel"));
    });
  }

  bool is_local(std::size_t argument) const {
    return parts_.arguments[argument].access == Access::local;
  }

  // Whether it has memory of its own.
  bool is_kept(std::size_t argument) const {
    return is_local(argument) && !parts_.single[argument] &&
           parts_.homes[argument] == static_cast<std::int32_t>(argument);
  }

  bool keeps(std::size_t part) const { return !same(texts_[part].panels, 0); }
  bool keeps() const {
    return std::any_of(texts_.begin(), texts_.end(),
                       [](const PartText& one) { return !same(one.panels, 0); });
  }

  Extent outer_points() const {
    Extent result = 1;
    for (std::size_t i = 0; i + 1 < kernel_.grid.size(); ++i) result *= kernel_.grid[i].extent;
    return result;
  }

  void write_body() {
    for (std::size_t i = 0; i < kernel_.symbols.size(); ++i) {
      out_.line(text("const long n", i, " = sizes[", i, "];"));
    }
    write_panel_sizes();
    write_rows();
    write_share();
    write_scratch();
    write_panel_memory();
    const auto loop = out_.block("for (long block = first; block < last; ++block)");
    write_place();
    for (std::size_t i = 0; i < texts_.size(); ++i) write_call(i);
  }

  // How much memory the panels of each part take, and whether they are kept.
  void write_panel_sizes() {
    if (!keeps()) return;
    std::string all;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (!keeps(i)) continue;
      Extent elements = texts_[i].panels;
      if (parts_.clips()) elements = substitute(elements, parts_.symbols.back(), parts_.extent);
      out_.line(text("const long kept", i, " = (", number(elements), " * (long)sizeof(",
                     memory_type(texts_[i].dtype), ") + 63) / 64 * 64;"));
      all += text(all.empty() ? "" : " + ", "kept", i);
    }
    out_.line(text("const long kept = ", all, " <= ", most_kept_bytes, " ? ", all, " : 0;"));
  }

  // How many rows are a block: what passes between its parts fits in a cache, the last one if that
  // is where the panels are. Loops that end with the rows ask for few.
  void write_rows() {
    Extent bytes = 1;
    for (std::size_t i = 0; i < parts_.arguments.size(); ++i) {
      const schedule::Argument& argument = parts_.arguments[i];
      if (is_kept(i)) bytes += argument.elements * Extent(info(argument.dtype).size);
    }
    out_.line(text("const long all = ", number(kernel_.grid.back().extent), ";"));
    out_.line(text("const long bytes = ", number(bytes), ";"));
    out_.line(text("const long far = ", far_bytes, " / bytes, near = ", near_bytes, " / bytes;"));
    const std::string all = text("least(far, ", schedule::detail::most_block_rows, ")");
    const std::string kept = text("kept > 0 && kept <= ", 4 * near_bytes,
                                  " ? near < 48 ? least(far, 48) : least(near, 192) : ");
    out_.line(text("long most = ", keeps() ? kept : "", all, ";"));
    if (parts_.clips()) out_.line("most = least(most, all / 8 > 24 ? all / 8 : 24);");
    out_.line(text("if (most < ", 2 * block_step, ") most = ", 2 * block_step, ";"));
  }

  // As many blocks for each thread, unless there is work enough outside of them.
  void write_share() {
    out_.line("long blocks = all > most ? (all + most - 1) / most : 1;");
    out_.line(text("const long outer = ", number(outer_points()), ";"));
    out_.line("if (outer % threads != 0) blocks = (blocks + threads - 1) / threads * threads;");
    out_.line(text("long rows = ((all + blocks - 1) / blocks + ", block_step - 1, ") / ",
                   block_step, " * ", block_step, ";"));
    out_.line(text("if (rows < ", block_step, ") rows = ", block_step, ";"));
    out_.line("blocks = (all + rows - 1) / rows;");
    out_.line("const long first = share(outer * blocks, 1, thread, threads);");
    out_.line("const long last = share(outer * blocks, 1, thread + 1, threads);");
    out_.line("if (first >= last) return;");
  }

  void write_memory(const std::string& name, const std::string& bytes) {
    out_.line(text("const Scratch memory_", name, "(", bytes, ");"));
    out_.line(text("char* ", name, " = (char*)memory_", name, ".place(memory_", name,
                   ".heap ? nullptr : __builtin_alloca_with_align(memory_", name,
                   ".bytes, 512));"));
    out_.line(text(name, " += -(long)", name, " & 63;"));
  }

  void write_scratch() {
    std::string bytes = "64";
    for (std::size_t i = 0; i < parts_.arguments.size(); ++i) {
      if (!is_kept(i)) continue;
      const schedule::Argument& argument = parts_.arguments[i];
      out_.line(text("const long bytes", i, " = (rows * ", number(argument.elements),
                     " * (long)sizeof(", memory_type(argument.dtype), ") + 63) / 64 * 64;"));
      bytes += text(" + bytes", i);
    }
    if (bytes == "64") return;
    write_memory("place", bytes);
    for (std::size_t i = 0; i < parts_.arguments.size(); ++i) {
      if (!is_local(i) || parts_.single[i]) continue;
      const std::string_view type = memory_type(parts_.arguments[i].dtype);
      if (!is_kept(i)) {
        out_.line(text(type, "* const row", i, " = row", parts_.homes[i], ";"));
        continue;
      }
      out_.line(text(type, "* const row", i, " = (", type, "*)place;"));
      out_.line(text("place += bytes", i, ";"));
    }
  }

  void write_panel_memory() {
    if (!keeps()) return;
    write_memory("panels", "kept + 64");
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (!keeps(i)) continue;
      out_.line(text("void* const panels", i, " = kept > 0 ? panels : nullptr;"));
      out_.line(text("panels += kept", i, ";"));
      out_.line(text("long packed", i, " = -1;"));
    }
  }

  // Which rows these are. Where loops end with the rows, a late block follows an early one, so that
  // threads that share an outer step have about the same work.
  void write_place() {
    std::string rest = "block / blocks";
    for (std::size_t i = kernel_.grid.size() - 1; i-- > 0;) {
      const std::string extent = number(kernel_.grid[i].extent);
      out_.line(text("const long i", i, " = ", rest, i == 0 ? ";" : text(" % ", extent, ";")));
      rest = text("(", rest, ") / ", extent);
    }
    if (parts_.clips()) {
      out_.line("const long turn = block % blocks;");
      out_.line("const long row = (turn % 2 ? blocks - 1 - turn / 2 : turn / 2) * rows;");
    } else {
      out_.line("const long row = block % blocks * rows;");
    }
    out_.line("const long live = all - row < rows ? all - row : rows;");
    if (parts_.clips()) {
      write_end("last_end", parts_.last_end);
      write_end("end", parts_.end);
    }
    write_sizes("part_sizes", "end");
  }

  // Where loops end of which the rest has no effect, in whole vectors.
  void write_end(const std::string& name, Extent end) {
    const std::string extent = number(parts_.extent);
    out_.line(text("const long ", name, "_needed = (", number(end), " + 31) / 32 * 32;"));
    out_.line(text("const long ", name, " = ", name, "_needed < 0 ? 0 : least(", name, "_needed, ",
                   extent, ");"));
  }

  void write_sizes(const std::string& name, const std::string& end) {
    std::string sizes;
    for (std::size_t i = 0; i < kernel_.symbols.size(); ++i) sizes += text("n", i, ", ");
    for (std::size_t i = 0; i + 1 < kernel_.grid.size(); ++i) sizes += text("i", i, ", ");
    const std::string ends = parts_.clips() ? text(", ", end, ", last_end") : std::string();
    out_.line(text("const long ", name, "[] = {", sizes, "row, live", ends, "};"));
  }

  void write_call(std::size_t i) {
    std::string buffers;
    for (const std::int32_t argument : parts_.parts[i].arguments) {
      buffers += buffers.empty() ? "" : ", ";
      const auto position = static_cast<std::size_t>(argument);
      buffers +=
          is_local(position) ? text("row", argument) : text("buffers[", buffer(position), "]");
    }
    if (keeps(i)) buffers += text(", panels", i);
    out_.line(text("void* const buffers", i, "[] = {", buffers, "};"));
    if (keeps(i)) write_pack(i);
    out_.line(text(part_name(i), "(buffers", i, ", part_sizes, context, 0, 1);"));
  }

  void write_pack(std::size_t i) {
    const std::string now = texts_[i].per_outer ? "block / blocks" : "0";
    const auto pack =
        out_.block(text("if (panels", i, " != nullptr && packed", i, " != ", now, ")"));
    write_sizes("all_sizes", "last_end");
    out_.line(text(part_name(i), "_pack(buffers", i, ", all_sizes);"));
    out_.line(text("packed", i, " = ", now, ";"));
  }

  std::size_t buffer(std::size_t argument) const {
    std::size_t result = 0;
    for (std::size_t i = 0; i < argument; ++i) result += is_local(i) ? 0 : 1;
    return result;
  }

  const Kernel& kernel_;
  const std::string& name_;
  schedule::BlockParts parts_;
  std::vector<PartText> texts_{};
  Writer out_{};
};

}  // namespace detail

SINTER_INLINE std::string block_function(const schedule::Kernel& kernel, const std::string& name,
                                         const CppOptions& options) {
  return detail::Blocks(kernel, name, options).function();
}

SINTER_INLINE std::string cpp_function(const schedule::Kernel& kernel, const std::string& name,
                                       const CppOptions& options) {
  if (is_block(kernel)) return block_function(kernel, name, options);
  if (const auto form = product_form(kernel, options.strict)) {
    return ProductText(kernel, *form, options.vector_bits, options.strict, options.tuning)
        .function(name);
  }
  const int bits =
      options.tuning.vector_bits != 0 ? options.tuning.vector_bits : options.vector_bits;
  const bool vectors = kernel.vector_axis != VectorAxis::none && bits != 0;
  const int lanes = vectors ? bits / (8 * lane_bytes(kernel)) : 1;
  return Nest(kernel, lanes, options.strict, options.tuning).function(name);
}

}  // namespace sinter::inline SINTER_ABI::codegen
