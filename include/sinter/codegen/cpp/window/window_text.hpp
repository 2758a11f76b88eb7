#pragma once
// Writes a product of windows: strips of the image in the L2 cache, blocks of weights in the L1
// cache, sums in registers, and an epilogue along the lines.

#include <string>  // std::string

#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/codegen/cpp/window/window_writer.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class WindowProductText final : private WindowWriter {
 public:
  /// Refers to `kernel` and `product`.
  WindowProductText(const Kernel& kernel, const WindowProduct& product, const CppOptions& options)
      : WindowWriter(weights_of(kernel, product, options), product) {}
  /// The text of the function `name`, after those that it calls.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported);
  using ProductWriter::packed_input;

 private:
  void write_tile(int points);
  void write_memory();
  void write_whole();
  void write_parts();
  void for_columns(Write body);
  void write_blocks(const std::string& from);
  void write_tiles(const std::string& from);
  std::string sums() const;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/window_text.ipp>
#endif
