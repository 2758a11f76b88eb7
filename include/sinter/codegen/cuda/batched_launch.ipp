#pragma once

#include <bit>          // std::bit_ceil
#include <string_view>  // std::string_view

#include <sinter/base/text.hpp>
#include <sinter/codegen/cuda/batched_launch.hpp>
#include <sinter/codegen/cuda/kernel_head.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/schedule/launch/batched.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

SINTER_INLINE void replace_all(std::string& in, std::string_view what, std::string_view with) {
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at)) {
    in.replace(at, what.size(), with);
    at += with.size();
  }
}

// Entries are sorted by their first block, and unused entries begin after the last block: a binary
// search finds the last entry that begins at or before this block.
SINTER_INLINE void write_entry_search(const schedule::Kernel& kernel, Writer& out) {
  const auto parts = static_cast<std::size_t>(kernel.batch_capacity);
  const std::size_t words = schedule::table_words_per_kernel(kernel);
  const std::size_t steps = std::bit_ceil(parts) / 2;
  out.line("int part = 0;  // first word of the entry");
  const auto loop =
      out.block({"for (int step = ", steps * words, "; step >= ", words, "; step /= 2)"});
  const std::string fits =
      std::bit_ceil(parts) == parts ? "" : text("part + step < ", parts * words, " && ");
  out.line({"if (", fits, "table.words[part + step] <= blockIdx.x) part += step;"});
}

}  // namespace detail

SINTER_INLINE std::string batched_function(const std::string& function,
                                           const schedule::Kernel& kernel,
                                           const std::string& name) {
  const detail::CudaHead head = detail::head_of(function);
  const std::size_t words = schedule::table_words_per_kernel(kernel);
  const std::string type = "parts" + name.substr(name.rfind('_'));
  Writer out;
  out.line({"// Up to ", kernel.batch_capacity,
            " batched launches. Each entry: first block, then arguments."});
  out.line("// The last word is the total number of blocks.");
  out.line({"struct ", type, " {"});
  out.line({"  long words[", schedule::table_words(kernel), "];"});
  out.line("};");
  {
    const auto body = out.block({function.substr(head.start, head.open + 1 - head.start),
                                 "const __grid_constant__ ", type, " table)"});
    detail::write_entry_search(kernel, out);
    out.line("const unsigned block = blockIdx.x - table.words[part];");
    out.line({"const unsigned blocks = table.words[part + ", words, "] - table.words[part];"});
    for (std::size_t i = 0; i + 1 < words; ++i) {
      const detail::CudaParameter& one = head.parameters[i];
      const std::string word = text("table.words[part + ", i + 1, "];");
      out.line({one.type, " ", one.name, " = (", one.type, ")", word});
    }
  }
  const std::string& written = out.str();  // ends with a closing brace, which belongs after `body`
  std::string body = function.substr(head.close + 4);
  detail::replace_all(body, "blockIdx.x", "block");
  detail::replace_all(body, "gridDim.x", "blocks");
  return text(function.substr(0, head.start), written.substr(0, written.rfind('}')), body);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
