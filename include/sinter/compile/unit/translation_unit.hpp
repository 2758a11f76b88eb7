#pragma once
// What is compiled at once: the kernels of a recording, each of them once.

#include <cstdint>  // std::uint8_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/source.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Whether a * b + c may be rounded once. `off` is what strict numerics need.
enum class Contraction : std::uint8_t { fast, off };

/// Who makes vectors of the loops: the text, with vector types, which compiles in two thirds of the
/// time; or the compiler, from scalar loops.
enum class Vectors : std::uint8_t { in_text, by_compiler };

/// Kernels with what they share. Kernels that compute the same, by their key, may occur many times.
struct TranslationUnit {
  Language language = Language::cpp;
  std::string prelude{};  ///< Text before the kernels: types, helper functions.
  std::vector<Source> kernels{};
  /// "sm_90" for CUDA. For C++, what -march takes; "" is this machine.
  std::string architecture{};
  Contraction contraction = Contraction::fast;
  Vectors vectors = Vectors::in_text;
};

/// A kernel of a text that is ready to compile.
struct Member {
  Hash key{};
  std::string symbol{};  ///< The name of its function; not that of the Source where two agree.
};

struct UnitText {
  std::string text{};
  std::vector<Member> members{};  ///< In the order of the text, without repetitions.
};

/// The text of `kernel`, whose function is called `symbol` instead.
std::string renamed_text(const Source& kernel, const std::string& symbol);

/// The text of `unit`, each kernel once.
UnitText assemble(const TranslationUnit& unit);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/unit/translation_unit.ipp>
#endif
