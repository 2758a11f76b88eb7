#pragma once
// Generated source: what codegen hands to compile.

#include <cstdint>  // std::uint8_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

enum class Language : std::uint8_t { cpp, cuda };

/// The text of one kernel, or of the prelude that kernels share.
struct Source {
  Language language{};
  std::string name{};  ///< The function that the text defines, with C linkage.
  std::string text{};
  /// Of the code, and of the helpers that it calls; not of its comments, which name lines of the
  /// user.
  Hash key{};
};

}  // namespace sinter::inline SINTER_ABI::detail
