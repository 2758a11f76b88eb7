#pragma once
// How the functions of kernels begin.

#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Who calls a function: the runtime; other functions of the text; or these,
/// but so that it is not put into their loops, where registers would be short.
enum class Linkage : std::uint8_t { exported, internal, apart };

/// The head of the function `name` of a kernel.
inline std::string function_head(const std::string& name, Linkage linkage) {
  const std::string_view before = linkage == Linkage::exported ? "extern \"C\" "
                                  : linkage == Linkage::apart  ? "static __attribute__((noinline)) "
                                                               : "static ";
  return text(before, "void ", name,
              "(void* const* buffers, const long* sizes, Context* context, "
              "long thread, "
              "long threads)");
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
