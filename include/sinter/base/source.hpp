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
  Hash key{};  ///< Of what the kernel computes, not of its text, which names lines of the user.
};

}  // namespace sinter::inline SINTER_ABI::detail
