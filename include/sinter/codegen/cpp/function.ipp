#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/codegen/cpp/nest/nest.hpp>
#include <sinter/codegen/cpp/product/product_text.hpp>
#include <sinter/codegen/cpp/row_tile.hpp>
#include <sinter/codegen/cpp/window/gradient_text.hpp>
#include <sinter/codegen/cpp/window/window_text.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string cpp_function(const schedule::Kernel& kernel, const std::string& name,
                                       const CppOptions& options, Linkage linkage) {
  if (kernel.custom != nullptr) return custom_stages().function(kernel, name, linkage);
  if (is_row_tiled(kernel)) return row_tile_function(kernel, name, options, linkage);
  if (const auto form = product_form(kernel, options.strict)) {
    if (const auto windows = window_product(kernel, *form, options)) {
      return WindowProductText(kernel, *windows, options).function(name, linkage);
    }
    if (const auto gradient = window_gradient(kernel, *form, options)) {
      return WindowGradientText(kernel, *gradient, options).function(name, linkage);
    }
    return ProductText(kernel, *form, options).function(name, linkage);
  }
  return nest_function(kernel, name, options, linkage);
}

SINTER_INLINE std::string function_with_finalizers(const schedule::Kernel& kernel,
                                                   const std::string& name,
                                                   const CppOptions& options) {
  if (kernel.finalizers.empty()) return cpp_function(kernel, name, options);
  std::string result = cpp_function(kernel, name + "_main", options, Linkage::internal) + "\n";
  Writer out;
  {
    const auto body = out.block(function_head(name, Linkage::exported));
    out.line({name, "_main(buffers, sizes, context, thread, threads);"});
    out.line("if (!ends_last(context, threads)) return;");
    std::size_t buffers = schedule::buffer_count(kernel), sizes = kernel.symbols.size();
    for (std::size_t i = 0; i < kernel.finalizers.size(); ++i) {
      const schedule::Kernel& last = kernel.finalizers[i];
      const std::string own = text(name, "_finish", i);
      result += cpp_function(last, own, options, Linkage::internal) + "\n";
      out.line({own, "(buffers + ", buffers, ", sizes + ", sizes, ", context, 0, 1);"});
      buffers += schedule::buffer_count(last);
      sizes += last.symbols.size();
    }
  }
  return result + out.str();
}

SINTER_INLINE Vector<schedule::PackedInput> packed_inputs_of(const schedule::Kernel& kernel,
                                                             const CppOptions& options) {
  const bool has_invariant =
      any_of(kernel.arguments, [](const schedule::Argument& one) { return one.call_invariant; });
  if (!has_invariant) return {};
  if (is_row_tiled(kernel)) return packed_inputs_of_row_tile(kernel, options);
  const auto form = product_form(kernel, options.strict);
  if (!form) return {};
  if (window_gradient(kernel, *form, options)) return {};
  const auto windows = window_product(kernel, *form, options);
  const schedule::PackedInput packed =
      windows ? WindowProductText(kernel, *windows, options).packed_input()
              : ProductText(kernel, *form, options).packed_input();
  if (packed.input < 0) return {};
  return {packed};
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
