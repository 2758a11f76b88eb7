#pragma once

#include <sinter/codegen/cpp/finalizer.hpp>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/codegen/text/writer.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

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

}  // namespace sinter::inline SINTER_ABI::detail::codegen
