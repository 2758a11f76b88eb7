#pragma once
// Writes the prelude of generated kernels: the helpers that they call, in C++ or CUDA.

#include <span>    // std::span
#include <string>  // std::string

#include <sinter/base/source.hpp>
#include <sinter/codegen/cpp/prelude/helpers.hpp>
#include <sinter/codegen/cuda/prelude/helpers.hpp>
#include <sinter/codegen/text/prelude.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The definitions of all helpers that `kernels` call, each after the helpers that it calls itself.
inline std::string prelude(Language language, std::span<const Source> kernels) {
  return (language == Language::cpp ? cpp_helpers() : cuda_helpers()).prelude(kernels);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
