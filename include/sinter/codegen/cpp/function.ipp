#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/codegen/cpp/nest/nest.hpp>
#include <sinter/codegen/cpp/nest/piece.hpp>
#include <sinter/codegen/cpp/nest/staged_windows.hpp>
#include <sinter/codegen/cpp/product/product_text.hpp>
#include <sinter/codegen/cpp/row_tile.hpp>
#include <sinter/codegen/cpp/window/gradient_text.hpp>
#include <sinter/codegen/cpp/window/window_text.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>
#include <sinter/schedule/loop/window_lines.hpp>

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
  const int bits =
      options.tuning.vector_bits != 0 ? options.tuning.vector_bits : options.target.vectors.bits;
  const bool vectors = kernel.vector_axis != VectorAxis::none && bits != 0;
  const int lanes = vectors ? bits / (8 * lane_bytes(kernel)) : 1;
  if (vectors) {
    const Kernel ordered = options.strict ? kernel : schedule::with_lines_inside(kernel);
    if (const auto staged = stage_windows(ordered, options.target.cpp)) {
      std::string result;
      for (const StagedWindow& one : staged->windows) {
        result += Piece(one.piece, options).function(staged_window_name(name, one.argument)) + "\n";
      }
      return result + Nest(*staged, lanes, options, name).function(name, linkage);
    }
    return Nest(ordered, lanes, options).function(name, linkage);
  }
  return Nest(kernel, lanes, options).function(name, linkage);
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
