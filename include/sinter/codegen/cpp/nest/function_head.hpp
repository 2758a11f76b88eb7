#pragma once
// Writes the head of the function of a kernel, and what it declares first.

#include <algorithm>    // std::max
#include <cstddef>      // std::size_t
#include <cstdint>      // std::int32_t, std::int64_t, std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/text.hpp>
#include <sinter/codegen/text/names.hpp>
#include <sinter/codegen/text/writer.hpp>
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

/// Declares the pointer to the argument at `position`.
inline void write_buffer(Writer& out, const Names& names, std::size_t position) {
  const std::string type = pointer_type(names.layout.kernel.arguments[position]);
  out.line({type, " const ", names.argument_name(static_cast<std::int32_t>(position)), " = (", type,
            ")buffers[", names.layout.parameters[position], "];"});
}

/// Declares `name`, a pointer to memory of `bytes` for a thread, on the stack where it is small.
inline void write_scratch_memory(Writer& out, const std::string& name, std::string_view declared,
                                 std::string_view type, const std::string& bytes) {
  out.line({"const Scratch memory_", name, "(", bytes, ");"});
  out.line({declared, " ", name, " = (", type, ")memory_", name, ".place(memory_", name,
            ".heap ? nullptr : __builtin_alloca_with_align(memory_", name, ".bytes, 512));"});
}

/// Declares `name`, memory of a thread for `elements`, which are `count` in C: an array of at most
/// `most_bytes`, or a pointer.
inline void write_memory(Writer& out, const std::string& name, DType dtype, Extent elements,
                         const std::string& count, std::int64_t most_bytes) {
  const std::string type(memory_type(dtype));
  const auto size = static_cast<std::int64_t>(info(dtype).size);
  if (elements.is_number() && elements.number() * size <= most_bytes) {
    const std::int64_t fixed = std::max<std::int64_t>(elements.number(), 1);
    return out.line({"alignas(64) ", type, " ", name, "[", fixed, "];"});
  }
  write_scratch_memory(out, name, type + "* const", type + "*",
                       text(count, " * (long)sizeof(", type, ")"));
}

/// Declares the first `count` sizes.
inline void write_sizes(Writer& out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out.line({"const long n", i, " = sizes[", i, "];"});
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
