#pragma once

// Panels that stay where they are from one call of a product to the next.

#include <sinter/codegen/product_text.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE Extent ProductText::kept_elements() const {
  return floor_div(kept_.columns + (pitch_ - 1), pitch_) * pitch_ * panel_depth(kept_.depth);
}

// The function that writes all panels, each of them as deep as the largest product.
SINTER_INLINE void ProductText::write_pack() {
  {
    const auto body = out_.block(text("static __attribute__((noinline)) void ", name_,
                                      "_pack(void* const* buffers, const long* sizes",
                                      by_columns_ ? ", long thread, long threads)" : ")"));
    if (copies_right_) write_input(right_value_);
    for (std::size_t i = 0; i < kernel_.symbols.size(); ++i) {
      out_.line(text("const long n", i, " = sizes[", i, "];"));
    }
    if (!copies_right_) write_unpacked();
    const std::string share = text("share(", c(columns_), ", ", pitch_, ", thread");
    if (by_columns_) out_.line(text("const long last = ", share, " + 1, threads);"));
    const std::string first = by_columns_ ? share + ", threads)" : "0";
    const std::string last = by_columns_ ? "last" : c(columns_);
    const auto panels =
        out_.block(text("for (long c = ", first, "; c < ", last, "; c += ", pitch_, ")"));
    out_.line(text("const long width = least(", last, " - c, ", pitch_, ");"));
    out_.line(text(type(), "* const panel = (", type(), "*)buffers[", kept_.buffer, "] + c * (",
                   c(panel_depth(kept_.depth)), ");"));
    write_panel();
  }
  pieces_ += out_.str();
  out_ = Writer();
}

// The panel at hand: the one that was kept, or written anew.
SINTER_INLINE void ProductText::write_kept_panel() {
  const std::string kept = text("((", type(), "*)buffers[", kept_.buffer, "])");
  out_.line(text(type(), "* const panel = ", kept, " ? ", kept, " + c * (",
                 c(panel_depth(kept_.depth)), ") : own;"));
  const auto block = out_.block("if (panel == own)");
  write_panel();
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
