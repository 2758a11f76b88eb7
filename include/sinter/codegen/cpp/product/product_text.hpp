#pragma once
// Writes a matrix product: operands packed into panels that fit in the caches, tiles of sums that
// stay in registers, and an epilogue while the sums are in a near cache.

#include <cstdint>  // std::int32_t, std::int64_t
#include <string>   // std::string
#include <utility>  // std::pair

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/product/packed_weights.hpp>
#include <sinter/codegen/cpp/product/pieces.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class ProductText {
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
  /// The input whose panels are kept between calls; `input` is the number of a buffer of the
  /// kernel.
  schedule::PackedInput packed_input() const {
    return with_key(packed_input_of(how_, how_.packed_argument));
  }
  /// The same for a caller that keeps and packs the panels itself.
  schedule::PackedInput caller_packed_input() const {
    return with_key(packed_input_of(how_, call_invariant_argument(how_)));
  }
  DType panel_dtype() const { return how_.packed; }

 private:
  using WriteRun = FunctionRef<void(const std::string& arguments, const std::string& offset)>;

  using Packing = ProductDecision::Packing;
  using Method = ProductDecision::Method;
  using Names = Vector<std::pair<Extent, std::string>>;

  /// The text that packs `right`, which is the same for all products that pack it alike.
  std::string packing() const;
  schedule::PackedInput with_key(schedule::PackedInput packed) const;
  std::string first_row() const { return how_.left == Packing::none ? "part.row" : "first"; }
  std::string last_row() const { return how_.left == Packing::none ? "part.rows" : "last"; }
  void write_prefetches();

  std::string c(Extent extent) const;
  std::string argument_name(std::int32_t argument) const;
  /// The element type of panels.
  std::string type() const { return std::string(memory_type(how_.packed)); }
  std::string packed_depth() const;
  /// For each loop over steps, its iteration in step `k`: {"k / 56", "k % 56"}.
  Vector<std::string> position_of_step() const;
  /// The arguments of a piece that packs the block from step `k` to `next`.
  std::string block_arguments() const;
  void write_input(ValueId id);
  void write_sizes();
  void write_part();
  void write_pack();
  void write_shared_panel();
  void write_scratch(const std::string& name, Extent elements, DType dtype);
  void write_unpacked();
  void write_memory();
  void write_packed_weights();
  void write_packed_weight_panel();
  void write_batch();
  void write_row_blocks();
  void write_panels();
  void write_depth_blocks();
  void write_panel();
  void write_panel_rows(const std::string& to);
  /// Interleaves pairs of rows, which lie `stride` apart.
  void write_paired_rows(const std::string& from, const std::string& stride);
  /// Packs `columns` columns, `step` apart, as columns of the panel from `to` on.
  void write_transposed(const std::string& from, const std::string& step,
                        const std::string& columns, const std::string& to);
  void write_tiles(const std::string& first, const std::string& last);
  void write_tile();
  void write_multiply(std::string_view column, const std::string& width);
  void write_few_rows();
  void write_epilogue();
  std::string right_address() const;
  void write_left();
  void write_transposed_left();
  std::string left_address() const;
  std::string block_offset(Extent index) const;
  std::string batch_arguments() const;
  /// Calls `body` with the arguments for the loops of a side from `begin` to `end`, and the offset
  /// of the first element from `begin`; in a loop over runs if the side has several loops.
  void for_runs(const Vector<Loop>& loops, const std::string& begin, const std::string& end,
                const std::string& name, WriteRun body);

  const ProductDecision how_;
  Vector<PrefetchedRows> prefetched_{};
  std::string name_{}, pieces_{};
  Names names_{};
  Writer out_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/product_text.ipp>
#endif
