#pragma once

// The memory of a block: of what passes between its parts, and of the panels of its products.

#include <algorithm>  // std::any_of, std::find
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

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

/// Of the panels that a thread keeps.
inline constexpr std::int64_t most_kept_bytes = 16384 * 1024;

struct BlockMemory {
  const Kernel& kernel;
  schedule::BlockParts parts;
  std::vector<PartText> texts{};
  Writer out{};
  std::vector<std::size_t> lasting{};  // the parts whose panels may be of another call

  // Only where there are not so many rows that packing does not matter.
  void find_lasting() {
    std::int64_t rows = 1;
    for (const Loop& loop : kernel.grid) {
      const std::int64_t most = bounds(loop.extent).max;
      rows = most == unbounded ? rows : saturating_multiply(rows, most);
    }
    if (rows > most_rows_to_keep) return;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].lasting.input >= 0) lasting.push_back(i);
    }
  }

  bool lasts(std::size_t part) const {
    return std::find(lasting.begin(), lasting.end(), part) != lasting.end();
  }

  std::vector<schedule::Kept> kept() const {
    std::vector<schedule::Kept> result;
    for (const std::size_t part : lasting) {
      result.push_back(texts[part].lasting);
      std::int32_t& input = result.back().input;
      const std::int32_t argument = parts.parts[part].arguments[static_cast<std::size_t>(input)];
      input = static_cast<std::int32_t>(buffer(static_cast<std::size_t>(argument)));
    }
    return result;
  }

  // The first call of all packs the panels in one thread.
  void write_lasting() {
    if (lasting.empty()) return;
    std::size_t next = buffer(kernel.arguments.size());
    std::string missing;
    for (const std::size_t i : lasting) {
      out.line(text("long* const lasting", i, " = (long*)buffers[", next++,
                    "];  // panels of all columns, if the first number is not 0"));
      out.line(text("const bool is_packed", i, " = lasting", i, " && *lasting", i, " != 0;"));
      missing += text(missing.empty() ? "" : " || ", "(lasting", i, " && !is_packed", i, ")");
    }
    out.line(text("const bool packs_all = ", missing, ";"));
    out.line("if (packs_all && thread > 0) return;");
    out.line("if (packs_all) threads = 1;");
  }

  void write_packed() {
    for (const std::size_t i : lasting) {
      out.line(text("if (packs_all && lasting", i, ") lasting", i, "[1] = 1;"));
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
    // What one block alone reads is packed when it is needed, and stays near.
    out.line("const bool keeps_panels = kept > 0 && last - first > 1;");
    std::string own = "kept";
    for (const std::size_t i : lasting) own += text(" - (lasting", i, " ? kept", i, " : 0)");
    write_memory("panels", text("(keeps_panels ? ", own, " : 0) + 64"));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!keeps(i)) continue;
      const std::string last = text("lasting", i, " ? ");
      out.line(text("void* const panels", i, " = ",
                    lasts(i) ? last + text("(char*)lasting", i, " + 64 : ") : "",
                    "keeps_panels ? panels : nullptr;"));
      out.line(text("panels += ", lasts(i) ? last + "0 : " : "", "kept", i, ";"));
      out.line(text("long packed", i, " = -1;"));
    }
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
