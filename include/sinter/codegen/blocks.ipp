#pragma once

#include <vector>  // std::vector

#include <sinter/base/error.hpp>
#include <sinter/codegen/blocks.hpp>
#include <sinter/codegen/nest.hpp>
#include <sinter/codegen/product_text.hpp>
#include <sinter/codegen/scalar.hpp>
#include <sinter/codegen/writer.hpp>
#include <sinter/schedule/block_parts.hpp>
#include <sinter/symbol/extent_text.hpp>

namespace sinter::inline SINTER_ABI::codegen {

namespace detail {

/// Of the scratch of a block: half of the second cache of a core, less what streams through it.
inline constexpr std::int64_t block_bytes = 384 * 1024;

class Blocks {
 public:
  Blocks(const Kernel& kernel, const CppOptions& options)
      : kernel_(kernel), options_(options), parts_(schedule::parts_of(kernel, !options.strict)) {}

  std::string text_of(const std::string& name) {
    std::string result;
    for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
      result += part(name, i) + "\n";
    }
    {
      const auto body = out_.block(text("extern \"C\" void ", name,
                                        "(void* const* buffers, const long* sizes, "
                                        "Context* context, long thread, long threads)"));
      write_body(name);
    }
    return result + out_.str();
  }

 private:
  static std::string part_name(const std::string& name, std::size_t i) {
    return text(name, "_part", i);
  }

  // A function of its own, which gcc does not put into the loop over blocks.
  std::string part(const std::string& name, std::size_t i) const {
    std::string result = cpp_function(parts_.parts[i].kernel, part_name(name, i), options_);
    const std::string head = text("extern \"C\" void ", part_name(name, i), "(");
    const std::size_t at = result.find(head);
    if (at == std::string::npos) throw InternalError("codegen: a part of a block has no function");
    return result.replace(at, head.size(),
                          text("static __attribute__((noinline)) void ", part_name(name, i), "("));
  }

  std::string number(Extent extent) const {
    return c_text(extent, [&](Extent variable) {
      const std::size_t outer = kernel_.symbols.size(), row = outer + kernel_.grid.size() - 1;
      for (std::size_t i = 0; i < parts_.symbols.size(); ++i) {
        if (!same(parts_.symbols[i], variable)) continue;
        return i < outer  ? text("n", i)
               : i < row  ? text("i", i - outer)
               : i == row ? std::string("row")
                          : std::string("live");
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

  void write_body(const std::string& name) {
    for (std::size_t i = 0; i < kernel_.symbols.size(); ++i) {
      out_.line(text("const long n", i, " = sizes[", i, "];"));
    }
    write_size();
    write_share();
    write_scratch();
    const auto loop = out_.block("for (long block = first; block < last; ++block)");
    write_rows();
    for (std::size_t i = 0; i < parts_.parts.size(); ++i) write_call(name, i);
  }

  // How many rows are a block: their scratch fits in the cache, and there are eight blocks to share
  // if there are rows enough.
  void write_size() {
    Extent bytes = 1, points = 1;
    for (std::size_t i = 0; i < parts_.arguments.size(); ++i) {
      const schedule::Argument& argument = parts_.arguments[i];
      if (!is_kept(i)) continue;
      bytes += argument.elements * Extent(info(argument.dtype).size);
    }
    for (const Loop& loop : kernel_.grid) points *= loop.extent;
    out_.line(text("const long fitting = ", block_bytes, " / ", number(bytes), ";"));
    out_.line(text("const long fair = (", number(points), " + 7) / 8;"));
    out_.line("const long most = fitting < fair ? fitting : fair;");
    out_.line("const long rows = most < 12 ? 12 : most > 96 ? 96 : most / 12 * 12;");
  }

  void write_share() {
    Extent outer = 1;
    for (std::size_t i = 0; i + 1 < kernel_.grid.size(); ++i) outer *= kernel_.grid[i].extent;
    const std::string all = number(kernel_.grid.back().extent);
    out_.line(text("const long blocks = (", all, " + rows - 1) / rows;"));
    const std::string count = text(number(outer), " * blocks");
    out_.line(text("const long first = share(", count, ", 1, thread, threads);"));
    out_.line(text("const long last = share(", count, ", 1, thread + 1, threads);"));
    out_.line("if (first >= last) return;");
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
    out_.line(text("const Scratch memory(", bytes, ");"));
    out_.line(
        "char* place = (char*)memory.place(memory.heap ? nullptr : "
        "__builtin_alloca_with_align(memory.bytes, 512));");
    out_.line("place += -(long)place & 63;");
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

  void write_rows() {
    const std::string all = number(kernel_.grid.back().extent);
    std::string rest = "block / blocks";
    for (std::size_t i = kernel_.grid.size() - 1; i-- > 0;) {
      const std::string extent = number(kernel_.grid[i].extent);
      out_.line(text("const long i", i, " = ", rest, i == 0 ? ";" : text(" % ", extent, ";")));
      rest = text("(", rest, ") / ", extent);
    }
    out_.line("const long row = block % blocks * rows;");
    out_.line(text("const long live = ", all, " - row < rows ? ", all, " - row : rows;"));
    std::string sizes;
    for (std::size_t i = 0; i < kernel_.symbols.size(); ++i) sizes += text("n", i, ", ");
    for (std::size_t i = 0; i + 1 < kernel_.grid.size(); ++i) sizes += text("i", i, ", ");
    out_.line(text("const long part_sizes[] = {", sizes,
                   write_end() ? "row, live, end};" : "row, live};"));
  }

  // Declares where loops end of which the rest has no effect, in whole vectors.
  bool write_end() {
    if (same(parts_.end, -1)) return false;
    const std::string extent = number(parts_.extent);
    out_.line(text("const long needed = (", number(parts_.end), " + 31) / 32 * 32;"));
    out_.line(
        text("const long end = needed < 0 ? 0 : needed < ", extent, " ? needed : ", extent, ";"));
    return true;
  }

  void write_call(const std::string& name, std::size_t i) {
    std::string buffers;
    for (const std::int32_t argument : parts_.parts[i].arguments) {
      buffers += buffers.empty() ? "" : ", ";
      const auto position = static_cast<std::size_t>(argument);
      buffers +=
          is_local(position) ? text("row", argument) : text("buffers[", buffer(position), "]");
    }
    out_.line(text("void* const buffers", i, "[] = {", buffers, "};"));
    out_.line(text(part_name(name, i), "(buffers", i, ", part_sizes, context, 0, 1);"));
  }

  std::size_t buffer(std::size_t argument) const {
    std::size_t result = 0;
    for (std::size_t i = 0; i < argument; ++i) result += is_local(i) ? 0 : 1;
    return result;
  }

  const Kernel& kernel_;
  CppOptions options_;
  schedule::BlockParts parts_;
  Writer out_;
};

}  // namespace detail

SINTER_INLINE std::string block_function(const schedule::Kernel& kernel, const std::string& name,
                                         const CppOptions& options) {
  return detail::Blocks(kernel, options).text_of(name);
}

SINTER_INLINE std::string cpp_function(const schedule::Kernel& kernel, const std::string& name,
                                       const CppOptions& options) {
  if (is_block(kernel)) return block_function(kernel, name, options);
  if (const auto form = product_form(kernel, options.strict)) {
    return ProductText(kernel, *form, options.vector_bits, options.strict).function(name);
  }
  const int lanes = kernel.vector_axis == VectorAxis::none || options.vector_bits == 0
                        ? 1
                        : options.vector_bits / (8 * lane_bytes(kernel));
  return Nest(kernel, lanes, options.strict).function(name);
}

}  // namespace sinter::inline SINTER_ABI::codegen
