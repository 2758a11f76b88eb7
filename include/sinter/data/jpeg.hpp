#pragma once
// JPEG, by libjpeg (of libjpeg-turbo), which is opened at the first use.

#include <sinter/config.hpp>
#include <sinter/data/pixels.hpp>

namespace sinter::inline SINTER_ABI::data::detail {

bool is_jpeg(const FileBytes& file);

/// Throws IoError for a damaged file, one in CMYK, or without libjpeg.
Pixels read_jpeg(const FileBytes& file, bool as_rgb);

}  // namespace sinter::inline SINTER_ABI::data::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/data/jpeg.ipp>
#endif
