#pragma once
// Writes a product of 3 by 3 windows by Winograd's algorithm: transformed squares of a strip in the
// L2 cache, 16 products with transformed weights, and the inverse transform before the epilogue.

#include <string>  // std::string

#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/window/window_writer.hpp>
#include <sinter/codegen/cpp/window/winograd_product.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class WinogradText final : private WindowWriter {
 public:
  /// Refers to `kernel` and `product`.
  WinogradText(const Kernel& kernel, const WinogradProduct& product, const CppOptions& options)
      : WindowWriter(weights_of(kernel, product, options), product), winograd_(product) {}
  /// The text of the function `name`, after those that it calls.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported);
  using ProductWriter::packed_input;

 private:
  std::string vector() const;
  void write_tile(int squares);
  void write_memory();
  void write_weights();
  void write_squares();
  void write_group();
  void write_products();
  void write_points();

  const WinogradProduct& winograd_;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/winograd_text.ipp>
#endif
