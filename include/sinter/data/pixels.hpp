#pragma once
// Pixels as the libraries of image formats give them, and what their readers share.

#include <cstddef>  // std::size_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/file.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::data::detail {

using sinter::detail::disk::Access;

/// Rows from top to bottom, the channels of a pixel together.
struct Pixels {
  std::size_t width = 0, height = 0, channels = 0;
  std::vector<unsigned char> bytes{};

  std::size_t row_bytes() const { return width * channels; }
};

/// A whole file.
struct FileBytes {
  const Access& access;
  std::vector<unsigned char> bytes;
};

/// Throws IoError: the library says that the file is damaged.
[[noreturn]] void refuse_damaged(const Access& access, const char* format, const char* reason);
/// Throws IoError: there is no such library, or it lacks functions.
[[noreturn]] void refuse_without(const Access& access, const char* library, const std::string& why,
                                 const char* fix);

}  // namespace sinter::inline SINTER_ABI::data::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/data/pixels.ipp>
#endif
