#pragma once
// Reads uncompressed zip archives, as used by npz.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/io/file.hpp>
#include <sinter/io/zip_record.hpp>

namespace sinter::inline SINTER_ABI::io {

/// The files of an archive, in file order.
///
/// Throws IoError if `file` is not an archive, or has files that are compressed, encrypted,
/// overlapping, or of the same name
std::vector<ZipEntry> read_zip_directory(const InputFile& file);

/// Verifies the checksum of `entry`; throws IoError if it differs.
void require_checksum(const InputFile& file, const ZipEntry& entry);

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/zip_reader.ipp>
#endif
