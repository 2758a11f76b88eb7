#pragma once
// What the texts of all products share: the names in them, memory, and the panels of the right
// operand.

#include <cstdint>  // std::int32_t
#include <string>   // std::string
#include <utility>  // std::pair

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/product/packed_weights.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class ProductWriter {
 public:
  explicit ProductWriter(const ProductDecision& how);
  /// The input whose packed panels are kept between calls, as an index into the kernel's buffers.
  schedule::PackedInput packed_input() const {
    return with_key(packed_input_of(how_, how_.packed_argument));
  }

 protected:
  using WriteRun = FunctionRef<void(const std::string& arguments, const std::string& offset)>;
  using Packing = ProductDecision::Packing;
  using Method = ProductDecision::Method;
  using Names = Vector<std::pair<Extent, std::string>>;

  std::string c(Extent extent) const;
  std::string argument_name(std::int32_t argument) const;
  /// The element type of panels.
  std::string type() const { return std::string(memory_type(how_.packed)); }
  schedule::PackedInput with_key(schedule::PackedInput packed) const;
  /// For each loop over steps, its iteration in step `k`: {"k / 56", "k % 56"}.
  Vector<std::string> position_of_step() const;
  /// The arguments of a piece that packs the block from step `k` to `next`.
  std::string block_arguments() const;
  std::string batch_arguments() const;
  /// "context, " for an epilogue that checks data.
  std::string context_argument() const;
  /// Calls `body` with the arguments for the loops of a side from `begin` to `end`, and the offset
  /// of the first element from `begin`; in a loop over runs if the side has several loops.
  void for_runs(const Vector<Loop>& loops, const std::string& begin, const std::string& end,
                const std::string& name, WriteRun body);
  /// Declares the iterations of `loops` at `flat`, an index over all of them: "b0", "b1".
  void write_positions(const Vector<Loop>& loops, const std::string& flat);

  void write_input(ValueId id);
  void write_scratch(const std::string& name, Extent elements, DType dtype);
  /// Declares memory that holds values of `right` until they are packed into a panel.
  void write_unpacked();
  /// Packs the panel, one micro-panel after the other.
  void write_panel();
  /// Declares the panels that are kept between calls.
  void write_packed_weights();
  /// "in1 + 64*c": the first element of the panel of `column`, in place.
  std::string right_address(const std::string& column = "c") const;

  const ProductDecision how_;
  std::string name_{}, pieces_{};
  Names names_{};
  Writer out_{};

 private:
  /// The text that packs `right`, which is the same for all products that pack it alike.
  std::string packing() const;
  std::string packed_depth() const;
  /// The names of three variables: the memory of some columns, the first one, and their number.
  struct PanelColumns {
    std::string panel{}, first{}, width{};
  };
  void write_columns(const PanelColumns& to);
  void write_panel_rows(const std::string& to, const PanelColumns& columns);
  /// Interleaves pairs of rows, which lie `stride` apart.
  void write_paired_rows(const std::string& from, const std::string& stride);
  /// Packs `columns` columns, `step` apart, as columns of the panel from `to` on.
  void write_transposed(const std::string& from, const std::string& step,
                        const std::string& columns, const std::string& to);
};

namespace detail {

/// `index` at the first element along two sides.
Extent start_of(Extent index, const Vector<Loop>& side, const Vector<Loop>& other);
/// Splits arguments into those of the outer loops and the two of the last loop.
std::pair<std::string, std::string> split_last(const std::string& arguments);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/product_writer.ipp>
#endif
