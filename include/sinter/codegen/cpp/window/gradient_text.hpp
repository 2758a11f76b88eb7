#pragma once
// Writes a sum over all windows of images: blocks of lines, whose images are staged in the L2 cache
// and whose gradients in the L1 cache; sums in registers; an epilogue behind the last block.

#include <string>  // std::string

#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/product/product_writer.hpp>
#include <sinter/codegen/cpp/window/window_gradient.hpp>
#include <sinter/codegen/cpp/window/window_tile.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class WindowGradientText final : private ProductWriter {
 public:
  /// Refers to `kernel` and `product`.
  WindowGradientText(const Kernel& kernel, const WindowGradient& product, const CppOptions& options)
      : ProductWriter(panels_of(kernel, product, options)), product_(product) {}
  /// The text of the function `name`, after those that it calls.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported);

 private:
  std::int64_t rows() const { return product_.all_channels() * product_.positions(); }
  std::int64_t last_group() const { return product_.all_channels() % product_.group; }
  std::string tile_name(std::int64_t channels, std::int64_t part) const;
  std::string tiles() const;
  std::string tile(std::int64_t channels, std::int64_t part) const;
  void write_part();
  void write_memory();
  void write_blocks();
  void write_panels();
  void write_channels();
  void write_group(std::int64_t channels);
  void write_epilogue();
  void write_zeros();

  const WindowGradient& product_;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/gradient_text.ipp>
#endif
