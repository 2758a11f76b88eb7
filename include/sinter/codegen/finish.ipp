#pragma once

#include <sinter/codegen/blocks.hpp>
#include <sinter/codegen/finish.hpp>
#include <sinter/codegen/writer.hpp>

namespace sinter::inline SINTER_ABI::codegen {

namespace detail {

// As cpp_function, but that only this text sees it.
SINTER_INLINE std::string static_function(const schedule::Kernel& kernel, const std::string& name,
                                          const CppOptions& options) {
  std::string result = cpp_function(kernel, name, options);
  const std::string linkage = "extern \"C\" ", head = text(linkage, "void ", name, "(");
  return result.replace(result.find(head), linkage.size(), "static ") + "\n";
}

}  // namespace detail

SINTER_INLINE std::string function_with_finish(const schedule::Kernel& kernel,
                                               const std::string& name, const CppOptions& options) {
  if (kernel.finish.empty()) return cpp_function(kernel, name, options);
  std::string result = detail::static_function(kernel, name + "_main", options);
  Writer out;
  {
    const auto body = out.block(text("extern \"C\" void ", name,
                                     "(void* const* buffers, const long* sizes, "
                                     "Context* context, long thread, long threads)"));
    out.line(text(name, "_main(buffers, sizes, context, thread, threads);"));
    out.line("if (!ends_last(context, threads)) return;");
    std::size_t buffers = schedule::buffer_count(kernel), sizes = kernel.symbols.size();
    for (std::size_t i = 0; i < kernel.finish.size(); ++i) {
      const schedule::Kernel& last = kernel.finish[i];
      const std::string own = text(name, "_finish", i);
      result += detail::static_function(last, own, options);
      out.line(text(own, "(buffers + ", buffers, ", sizes + ", sizes, ", context, 0, 1);"));
      buffers += schedule::buffer_count(last);
      sizes += last.symbols.size();
    }
  }
  return result + out.str();
}

}  // namespace sinter::inline SINTER_ABI::codegen
