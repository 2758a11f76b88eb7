#pragma once
// PNG, by libpng16, which is opened at the first use.

#include <sinter/config.hpp>
#include <sinter/data/pixels.hpp>

namespace sinter::inline SINTER_ABI::data::detail {

bool is_png(const FileBytes& file);

/// Throws IoError for a damaged file, or without libpng.
Pixels read_png(const FileBytes& file, bool as_rgb);

/// The bytes of a PNG file. Throws IoError without libpng.
std::vector<unsigned char> png_bytes(const Pixels& pixels, const Access& access);

}  // namespace sinter::inline SINTER_ABI::data::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/data/png.ipp>
#endif
