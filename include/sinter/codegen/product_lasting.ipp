#pragma once

// Panels that are kept with the memory of an input: packed once, read in each call until it
// changes.

#include <algorithm>    // std::any_of, std::min
#include <string_view>  // std::string_view

#include <sinter/codegen/product_text.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

inline constexpr std::int64_t lasting_head = 64;

// Comments name lines of the user, and change nothing.
SINTER_INLINE std::string without_comments(std::string_view code) {
  std::string result;
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size() - 1) + 1;
    const std::string_view line = code.substr(0, end);
    result += line.substr(0, line.find("//"));
    code.remove_prefix(end);
  }
  return result;
}

}  // namespace detail

// The one steady argument from which `right` is computed, the same for all of the batch; else -1.
SINTER_INLINE std::int32_t ProductText::source_of_right() const {
  std::vector<bool> used(kernel_.instructions.size(), false);
  detail::mark_used(kernel_, right_value_, -1, used);
  std::int32_t result = -1;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const Instruction& one = kernel_.instructions[i];
    if (one.code == Code::random) return -1;
    for (const Extent extent : extents_of(one)) {
      const auto depends = [&](const Loop& loop) { return depends_on(extent, loop.variable); };
      if (std::any_of(form_.batch.begin(), form_.batch.end(), depends)) return -1;
      for (const Extent variable : variables(extent)) {
        if (variable.is_symbol()) return -1;
      }
    }
    if (one.code != Code::load) continue;
    if (result >= 0 && result != one.argument) return -1;
    if (!kernel_.arguments[static_cast<std::size_t>(one.argument)].steady) return -1;
    result = one.argument;
  }
  return result;
}

// The argument whose panels are worth memory of their own; else -1.
SINTER_INLINE std::int32_t ProductText::steady_source() const {
  if (!columns_.is_number() || !depth_.is_number() || packs_by_parts()) return -1;
  if (options_.tuning != Tuning{}) return -1;  // its panels are no others' panels
  const std::int32_t source = source_of_right();
  if (source < 0) return -1;
  const schedule::Argument& argument = kernel_.arguments[static_cast<std::size_t>(source)];
  const auto size = static_cast<std::int64_t>(info(argument.dtype).size);
  const bool small = argument.elements.is_number() &&
                     lasting_of(source).bytes <= 2 * argument.elements.number() * size + (1 << 16);
  return small ? source : -1;
}

SINTER_INLINE void ProductText::choose_lasting() {
  const std::int64_t high = bounds(rows_).max;
  if (high != unbounded && high > most_rows_to_keep) return;
  if (kept_.buffer < 0) lasting_ = steady_source();
}

SINTER_INLINE schedule::Kept ProductText::lasting_of(std::int32_t source) const {
  if (source < 0) return {};
  const std::int64_t panels = (columns_.number() + pitch_ - 1) / pitch_;
  const std::int64_t elements = panels * pitch_ * panel_depth(depth_).number();
  std::int32_t buffer = 0;
  for (std::int32_t i = 0; i < source; ++i) {
    buffer += kernel_.arguments[static_cast<std::size_t>(i)].access != Access::local;
  }
  return {.input = buffer,
          .bytes = detail::lasting_head + elements * static_cast<std::int64_t>(info(packed_).size)};
}

SINTER_INLINE void ProductText::write_lasting() {
  std::int64_t buffers = 0;
  for (const schedule::Argument& argument : kernel_.arguments) {
    buffers += argument.access != Access::local;
  }
  out_.line(text("long* const kept = (long*)buffers[", buffers,
                 "];  // panels of all columns, if the first number is not 0"));
  out_.line("const bool is_packed = kept && *kept != 0, packs_all = kept && !is_packed;");
  out_.line("if (packs_all && thread > 0) return;");
  out_.line("if (packs_all) threads = 1;");
}

SINTER_INLINE void ProductText::write_lasting_panel() {
  out_.line(text(type(), "* const panel = kept ? (", type(), "*)(kept + ", detail::lasting_head / 8,
                 ") + c * (", panel_depth(depth_), ") : own;"));
  const auto packs = out_.block("if (!is_packed)");
  write_panel();
}

SINTER_INLINE std::string ProductText::packing() const {
  ProductText other(kernel_, form_, options_);
  if (!copies_right_) other.write_right_piece();
  other.write_panel();
  const std::string all = other.pieces_ + other.out_.str();
  return text(pitch_, " x ", depth_, " x ", columns_, "\n", detail::without_comments(all));
}

SINTER_INLINE schedule::Kept ProductText::with_key(schedule::Kept kept) const {
  if (kept.input >= 0) kept.key = Hasher().add("panels").add(packing()).result();
  return kept;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
