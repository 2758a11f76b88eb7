#pragma once
// Writes a matrix product: operands packed into panels that fit in the caches, tiles of sums that
// stay in registers, and what is done to the sums while they are near.

#include <cstdint>  // std::int32_t, std::int64_t
#include <string>   // std::string
#include <utility>  // std::pair
#include <vector>   // std::vector

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
              KeptPanels kept = {}, bool by_columns = false);
  /// The text of the function that is called `name`, behind those that it calls. Where it keeps
  /// panels, `name`_pack(buffers, sizes) is one of those: what has to write them; by columns, it
  /// takes `thread` and `threads` too, and writes those of a thread.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported);
  /// Whether it has panels to keep, and how many numbers of which type they are.
  bool keeps() const { return how_.keeps(); }
  Extent kept_elements() const { return codegen::kept_elements(how_); }
  /// How many columns are not shared among threads.
  int column_step() const { return how_.column_step(); }
  /// What outlasts a call with the memory of an input; `input` is the number of a buffer of the
  /// kernel.
  schedule::Kept lasting() const { return with_key(lasting_of(how_, how_.lasting)); }
  /// The same of a caller that has the panels, and packs them itself.
  schedule::Kept steady_panels() const { return with_key(lasting_of(how_, steady_source(how_))); }
  DType kept_dtype() const { return how_.packed; }

 private:
  using Packing = ProductDecision::Packing;
  using Method = ProductDecision::Method;
  using Names = std::vector<std::pair<Extent, std::string>>;

  /// The text of how it is packed: the same for all that pack it alike.
  std::string packing() const;
  schedule::Kept with_key(schedule::Kept kept) const;
  std::string first_row() const { return how_.left == Packing::none ? "part.row" : "first"; }
  std::string last_row() const { return how_.left == Packing::none ? "part.rows" : "last"; }
  void write_prefetches();

  std::string c(Extent extent) const;
  std::string argument_name(std::int32_t argument) const;
  /// Of panels.
  std::string type() const { return std::string(memory_type(how_.packed)); }
  std::string packed_depth() const;
  void write_input(ValueId id);
  void write_sizes();
  void write_part();
  void write_pack();
  void write_kept_panel();
  void write_scratch(const std::string& name, Extent elements, DType dtype);
  void write_unpacked();
  void write_memory();
  void write_lasting();
  void write_lasting_panel();
  void write_batch();
  void write_row_blocks();
  void write_panels();
  void write_depth_blocks();
  void write_panel();
  void write_panel_rows(const std::string& to);
  /// Writes pairs of the rows that lie `stride` apart.
  void write_paired_rows(const std::string& from, const std::string& stride);
  /// Writes `columns` columns, `step` apart, as those of the panel from `to` on.
  void write_transposed(const std::string& from, const std::string& step,
                        const std::string& columns, const std::string& to);
  void write_tiles(const std::string& first, const std::string& last);
  void write_tile();
  void write_multiply(std::string_view column, const std::string& width);
  void write_few_rows();
  std::string dots() const;
  std::string few_rows_helper() const;
  void write_finish();
  std::string right_address() const;
  void write_left();
  void write_turned_left();
  /// The helper for a tile of `width` columns at most.
  std::string multiply(const std::string& width) const;
  std::string left_address() const;
  std::string batch_arguments() const;
  /// Calls `body` with the arguments for the loops of a side, from `begin` to `end`, and where its
  /// first element is, counted from `begin`; in a loop over runs if there are several loops.
  template <class Body>
  void for_runs(const std::vector<Loop>& loops, const std::string& begin, const std::string& end,
                const std::string& name, Body body);

  const ProductDecision how_;
  std::vector<PrefetchedRows> prefetched_{};
  std::string name_{}, pieces_{};
  Names names_{};
  Writer out_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/product_text.ipp>
#endif
