#pragma once
// What the classes that write a kernel share: its names, its text so far, and how it is written.

#include <span>    // std::span
#include <string>  // std::string

#include <sinter/codegen/text/names.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Writes an elementwise operation in the language of the text: apply() or apply_in_cuda().
using Apply = std::string (*)(Op op, std::span<const std::string> operands, const ValueType& from,
                              const ValueType& to);

/// A kernel whose text is being written.
struct KernelContext {
  Names names;
  Apply apply = nullptr;
  bool strict = false;  ///< Round after every operation, keep the order of sums.
  Tuning tuning{};
  Writer out{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
