#pragma once
// The kernels that are compiled together, without duplicates.

#include <cstdint>  // std::uint8_t
#include <string>   // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/base/source.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Whether a * b + c may be rounded once. `off` is what strict numerics need.
enum class Contraction : std::uint8_t { fast, off };

/// Who vectorizes: the text, with vector types, which compiles in two thirds of the time; or the
/// compiler, from scalar loops.
enum class Vectors : std::uint8_t { in_text, by_compiler };

/// Kernels and their shared prelude. Kernels with equal keys may occur many times.
struct TranslationUnit {
  Language language = Language::cpp;
  std::string prelude{};  ///< Text before the kernels: types, helper functions.
  Vector<Source> kernels{};
  /// "sm_90" for CUDA. For C++, what -march takes; "" is this machine.
  std::string architecture{};
  Contraction contraction = Contraction::fast;
  Vectors vectors = Vectors::in_text;
};

/// A kernel in a UnitText.
struct Member {
  Hash key{};
  std::string symbol{};  ///< The name of its function; differs from Source::name if two are equal.
};

struct UnitText {
  std::string text{};
  Vector<Member> members{};  ///< In the order of the text, without duplicates.
};

/// The text of `kernel`, with its function renamed to `symbol`.
std::string renamed_text(const Source& kernel, const std::string& symbol);

/// The text of `unit`, each kernel once.
UnitText assemble(const TranslationUnit& unit);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/unit/translation_unit.ipp>
#endif
