#pragma once
// Writes a product of windows: strips of the image in the L2 cache, blocks of weights in the L1
// cache, sums in registers, and an epilogue along the lines. By Winograd's algorithm, there are
// transformed input tiles of a strip, 16 products with transformed weights, and the output
// transform.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/base/container/function_ref.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/product/product_writer.hpp>
#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class WindowProductText final : private ProductWriter {
 public:
  /// Refers to `kernel` and `product`.
  WindowProductText(const Kernel& kernel, const WindowProduct& product, const CppOptions& options)
      : ProductWriter(weights_of(kernel, product, options)), product_(product) {}
  /// The text of the function `name`, after those that it calls.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported);
  using ProductWriter::packed_input;

 private:
  using Write = FunctionRef<void()>;

  Vector<Loop> images() const;
  std::string strips() const;
  std::string outer_arguments() const;
  Extent panels() const;
  std::int64_t strip_images() const;
  std::int64_t line_rows() const;
  std::string tile(int rows) const;
  std::string sums() const;

  void write_part();
  void write_memory();
  void write_images();
  void write_panels();
  void for_columns(Write body, const std::string& first = "part.column",
                   const std::string& last = "part.columns");
  void write_strip(const std::string& planes);
  void write_whole();
  void write_parts();
  void write_blocks(const std::string& from);
  void write_tiles(const std::string& from);
  void write_line(const std::string& sums, const std::string& window);
  void write_epilogue();

  // By Winograd's algorithm: see winograd.hpp.
  std::string vector() const;
  std::string image_offset(std::int64_t elements) const;
  void for_images(Write body);
  void write_winograd_memory();
  void write_winograd_weights();
  void write_input_tiles();
  void write_groups();
  void write_products();
  void write_outputs();

  const WindowProduct& product_;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/window_text.ipp>
#endif
