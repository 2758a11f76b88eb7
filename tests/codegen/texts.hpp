#pragma once
// Searches in generated text.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/codegen/text/helper_text.hpp>

#include "cases.hpp"

namespace kernels {

/// The kernels `sources` as one program.
inline std::string cuda_program(const Vector<Source>& sources,
                                const codegen::CudaOptions& options = {}) {
  std::string all = codegen::cuda_prelude(sources, options);
  for (const Source& source : sources) all += source.text;
  return all;
}

inline bool contains(std::string_view text, std::string_view piece) {
  return text.find(piece) != std::string_view::npos;
}

inline int count(std::string_view text, std::string_view piece) {
  int result = 0;
  for (std::size_t at = text.find(piece); at != std::string_view::npos;
       at = text.find(piece, at + 1)) {
    ++result;
  }
  return result;
}

/// True if `first` is in the text, and `second` after it.
inline bool in_order(std::string_view text, std::string_view first, std::string_view second) {
  const std::size_t at = text.find(first);
  return at != std::string_view::npos && text.find(second, at) != std::string_view::npos;
}

inline std::string cpp_text(const Kernel& kernel, const codegen::CppOptions& options = {}) {
  return codegen::emit_cpp(kernel, options).text;
}

inline std::string cuda_text(const Kernel& kernel) { return codegen::emit_cuda(kernel, {}).text; }

/// A text that calls every helper of `table`, on each type and with each of `lanes`. Helpers of one
/// number are called on vectors only `by_lanes`.
template <class Table>
std::string calls_of(const Table& table, const std::vector<int>& lanes, bool by_lanes = true) {
  std::string result;
  const auto add = [&](const codegen::Helper& helper, std::string_view name,
                       std::string_view type) {
    for (const int count : lanes) {
      const bool one = count == 1 && helper.lanes != codegen::Lanes::vector &&
                       helper.lanes != codegen::Lanes::native;
      if ((count == 1 && !one) || (count > 1 && type == "bool")) continue;
      if (count > 1 && !by_lanes && helper.lanes == codegen::Lanes::one) continue;
      result += count == 1 ? text(name, "_", type, " ") : text(name, "_", type, "x", count, " ");
    }
  };
  for (const codegen::Helper& helper : table) {
    codegen::detail::for_each_word(helper.names, [&](std::string_view name) {
      if (helper.types.empty()) result += text(name, " ");
      codegen::detail::for_each_word(helper.types,
                                     [&](std::string_view type) { add(helper, name, type); });
    });
  }
  return result;
}

}  // namespace kernels
