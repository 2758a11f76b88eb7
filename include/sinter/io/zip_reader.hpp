#pragma once
// Reads archives of files that are stored as they are, in the zip format, as npz files use it.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/io/file.hpp>
#include <sinter/io/zip_record.hpp>

namespace sinter::inline SINTER_ABI::io {

/// The files of an archive, in the order of their bytes.
///
/// Throws IoError if `file` is no archive, or has files that are compressed, encrypted, of the same
/// name, or that overlap
std::vector<ZipEntry> read_zip_directory(const InputFile& file);

/// Throws IoError unless the bytes of `entry` are those that were written.
void require_checksum(const InputFile& file, const ZipEntry& entry);

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/zip_reader.ipp>
#endif
