#pragma once

// The memory of a block: of what passes between its parts, and of the panels of its products.

#include <algorithm>  // std::any_of
#include <array>      // std::array
#include <utility>    // std::move
#include <vector>     // std::vector

#include <sinter/base/error.hpp>
#include <sinter/codegen/block_panels.hpp>
#include <sinter/codegen/blocks.hpp>
#include <sinter/codegen/scalar.hpp>
#include <sinter/codegen/writer.hpp>
#include <sinter/schedule/block_parts.hpp>
#include <sinter/symbol/extent_text.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::codegen::detail {

/// Of the panels that a thread keeps.
inline constexpr std::int64_t most_kept_bytes = 16384 * 1024;

struct BlockMemory {
  const Kernel& kernel;
  schedule::BlockParts parts;
  std::vector<PartText> texts{};
  Writer out{};
  std::int64_t lasting = -1;  // the part whose panels, the largest, may be of another call

  // Only where there are not so many rows that packing does not matter.
  void find_lasting() {
    std::int64_t rows = 1;
    for (const Loop& loop : kernel.grid) {
      const std::int64_t most = bounds(loop.extent).max;
      rows = most == unbounded ? rows : saturating_multiply(rows, most);
    }
    if (rows > most_rows_to_keep) return;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].lasting.input < 0 || texts[i].lasting.bytes <= most) continue;
      lasting = static_cast<std::int64_t>(i);
      most = texts[i].lasting.bytes;
    }
  }

  schedule::Kept kept() const {
    if (lasting < 0) return {};
    const auto part = static_cast<std::size_t>(lasting);
    schedule::Kept result = texts[part].lasting;
    const auto input = static_cast<std::size_t>(result.input);
    result.input = static_cast<std::int32_t>(
        buffer(static_cast<std::size_t>(parts.parts[part].arguments[input])));
    return result;
  }

  // The first call of all packs the panels in one thread.
  void write_lasting() {
    if (lasting < 0) return;
    out.line(text("long* const lasting = (long*)buffers[", buffer(kernel.arguments.size()),
                  "];  // panels of all columns, if the first number is not 0"));
    out.line("const bool is_packed = lasting && *lasting != 0;");
    out.line("const bool packs_all = lasting && !is_packed;");
    out.line("if (packs_all && thread > 0) return;");
    out.line("if (packs_all) threads = 1;");
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

  // Whether it has memory of its own.
  bool is_kept(std::size_t argument) const {
    return is_local(argument) && !parts.single[argument] &&
           parts.homes[argument] == static_cast<std::int32_t>(argument);
  }

  bool keeps(std::size_t part) const { return !same(texts[part].panels, 0); }
  bool keeps() const {
    return std::any_of(texts.begin(), texts.end(),
                       [](const PartText& one) { return !same(one.panels, 0); });
  }

  std::size_t buffer(std::size_t argument) const {
    std::size_t result = 0;
    for (std::size_t i = 0; i < argument; ++i) result += is_local(i) ? 0 : 1;
    return result;
  }

  // How much memory the panels of each part take, and whether they are kept.
  void write_panel_sizes() {
    if (!keeps()) return;
    std::string all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!keeps(i)) continue;
      Extent elements = texts[i].panels;
      if (parts.clips()) elements = substitute(elements, parts.symbols.back(), parts.extent);
      out.line(text("const long kept", i, " = (", number(elements), " * (long)sizeof(",
                    memory_type(texts[i].dtype), ") + 63) / 64 * 64;"));
      all += text(all.empty() ? "" : " + ", "kept", i);
    }
    out.line(text("const long kept = ", all, " <= ", most_kept_bytes, " ? ", all, " : 0;"));
  }

  void write_memory(const std::string& name, const std::string& bytes) {
    out.line(text("const Scratch memory_", name, "(", bytes, ");"));
    out.line(text("char* ", name, " = (char*)memory_", name, ".place(memory_", name,
                  ".heap ? nullptr : __builtin_alloca_with_align(memory_", name, ".bytes, 512));"));
    out.line(text(name, " += -(long)", name, " & 63;"));
  }

  void write_scratch() {
    std::string bytes = "64";
    for (std::size_t i = 0; i < parts.arguments.size(); ++i) {
      if (!is_kept(i)) continue;
      const schedule::Argument& argument = parts.arguments[i];
      out.line(text("const long bytes", i, " = (rows * ", number(argument.elements),
                    " * (long)sizeof(", memory_type(argument.dtype), ") + 63) / 64 * 64;"));
      bytes += text(" + bytes", i);
    }
    if (bytes == "64") return;
    write_memory("place", bytes);
    for (std::size_t i = 0; i < parts.arguments.size(); ++i) {
      if (!is_local(i) || parts.single[i]) continue;
      const std::string_view type = memory_type(parts.arguments[i].dtype);
      if (!is_kept(i)) {
        out.line(text(type, "* const row", i, " = row", parts.homes[i], ";"));
        continue;
      }
      out.line(text(type, "* const row", i, " = (", type, "*)place;"));
      out.line(text("place += bytes", i, ";"));
    }
  }

  void write_panel_memory() {
    if (!keeps()) return;
    write_memory("panels", lasting < 0 ? "kept + 64"
                                       : text("(kept > 0 ? kept - (lasting ? kept", lasting,
                                              " : 0) : 0) + 64"));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!keeps(i)) continue;
      const bool lasts = lasting == static_cast<std::int64_t>(i);
      const std::string own = lasts ? "lasting ? (char*)lasting + 64 : " : "";
      out.line(text("void* const panels", i, " = ", own, "kept > 0 ? panels : nullptr;"));
      out.line(text("panels += ", lasts ? "lasting ? 0 : " : "", "kept", i, ";"));
      out.line(text("long packed", i, " = ", lasts ? "is_packed ? 0 : " : "", "-1;"));
    }
  }
};

}  // namespace sinter::inline SINTER_ABI::codegen::detail
