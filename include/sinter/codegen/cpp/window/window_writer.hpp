#pragma once
// What the texts of products of windows share: threads, images, panels of weights, strips, tiles
// along a line, and the epilogue.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/base/container/function_ref.hpp>
#include <sinter/codegen/cpp/product/product_writer.hpp>
#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class WindowWriter : protected ProductWriter {
 public:
  using ProductWriter::packed_input;

 protected:
  using Write = FunctionRef<void()>;

  /// Refers to `product`.
  WindowWriter(const ProductDecision& how, const WindowProduct& product)
      : ProductWriter(how), product_(product) {}

  /// The functions that all these products call, but for tiles; and their inputs, named in the body
  /// of the function.
  void write_pieces();
  void write_inputs();
  /// Shares strips or columns among threads. `staging` is the cost of a point that is staged, in
  /// rows of weights.
  void write_part(Extent staging);
  void write_panel_memory();
  /// Memory for the sums of a strip and some panels, and for those of one panel, one channel after
  /// the other.
  void write_sum_memory(Extent panels);
  /// A loop over the strips of all images, with the lines from "first" to "last" of each.
  void write_images(Write body);
  /// Packs the weights when they change; `body` packs those of the columns from "c" on in "panel".
  void write_panels(Write body);
  /// Stages planes; `planes` are those of the first loop, ", from, to", if there is one.
  void write_strip(const std::string& planes);
  /// Calls the tiles of a line of points: "name_tile4(sums, window, panel, steps, k > 0)".
  void write_line(std::int64_t points, const std::string& sums, const std::string& window);
  /// Finishes the columns from "c" on, whose sums are at `sums`.
  void write_epilogue(const std::string& sums);
  Extent panels() const;
  /// ", 0, 64": all planes of the first loop.
  std::string all_planes() const;

  const WindowProduct& product_;

 private:
  Vector<Loop> images() const;
  std::string strips() const;
  std::string outer_arguments() const;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/window_writer.ipp>
#endif
