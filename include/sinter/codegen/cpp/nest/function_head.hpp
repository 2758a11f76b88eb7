#pragma once
// Writes the head of the function of a kernel.

#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Who calls a function: the runtime; other functions of the text; or these, without inlining it
/// into their loops, where registers would be short.
enum class Linkage : std::uint8_t { exported, internal, not_inlined };

/// The head of the function `name` of a kernel.
inline std::string function_head(const std::string& name, Linkage linkage) {
  const std::string_view before = linkage == Linkage::exported ? "extern \"C\" "
                                  : linkage == Linkage::not_inlined
                                      ? "static __attribute__((noinline)) "
                                      : "static ";
  return text(before, "void ", name,
              "(void* const* buffers, const long* sizes, Context* context, "
              "long thread, "
              "long threads)");
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
