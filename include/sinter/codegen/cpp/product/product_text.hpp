#pragma once
// Writes a matrix product: operands packed into panels that fit in the caches, tiles of sums that
// stay in registers, and an epilogue while the sums are in a near cache.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/product/pieces.hpp>
#include <sinter/codegen/cpp/product/product_writer.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class ProductText final : private ProductWriter {
 public:
  /// With `by_columns`, threads share the columns, and nothing else.
  ProductText(const Kernel& kernel, const ProductForm& form, const CppOptions& options,
              SharedPanels shared = {}, bool by_columns = false);
  /// The text of the function `name`, after those that it calls. If the caller keeps the panels,
  /// one of these is `name`_pack(buffers, sizes), which packs them; by columns, it takes `thread`
  /// and `threads` too, and packs those of one thread.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported);
  /// Whether the caller may keep its panels, and their number of elements.
  bool has_shared_panels() const { return how_.has_shared_panels(); }
  Extent shared_panel_elements() const { return codegen::shared_panel_elements(how_); }
  /// How many columns stay with one thread.
  int column_step() const { return how_.column_step(); }
  using ProductWriter::packed_input;
  /// The same for a caller that keeps and packs the panels itself.
  schedule::PackedInput caller_packed_input() const {
    return with_key(packed_input_of(how_, call_invariant_argument(how_)));
  }
  DType panel_dtype() const { return how_.packed; }

 private:
  std::string first_row() const { return how_.left == Packing::none ? "part.row" : "first"; }
  std::string last_row() const { return how_.left == Packing::none ? "part.rows" : "last"; }
  void write_prefetches();
  void write_sizes();
  void write_part();
  void write_pack();
  void write_shared_panel();
  void write_memory();
  void write_packed_weight_panel();
  void write_batch();
  void write_row_blocks();
  void write_panels();
  void write_depth_blocks();
  void write_tiles(const std::string& first, const std::string& last);
  void write_tile();
  void write_multiply(std::string_view column, const std::string& width);
  void write_few_rows();
  void write_epilogue();
  void write_left();
  void write_transposed_left();
  std::string left_address() const;
  std::string block_offset(Extent index) const;

  Vector<PrefetchedRows> prefetched_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/product_text.ipp>
#endif
