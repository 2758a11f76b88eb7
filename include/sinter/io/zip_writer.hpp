#pragma once
// Writes uncompressed zip archives, as used by npz.

#include <cstdint>      // std::uint64_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/io/file.hpp>
#include <sinter/io/zip_record.hpp>

namespace sinter::inline SINTER_ABI::io {

/// Writes an archive, file by file. Deterministic: equal files give equal archives.
class ZipWriter {
 public:
  /// Numbers from `large` on are written as zip64, which some old programs cannot read.
  explicit ZipWriter(OutputFile& file, std::uint64_t large = all_32_bits)
      : file_(file), large_(large) {}

  /// Adds a file whose content is the concatenation of `parts`. Names are UTF-8 of at most 65535
  /// bytes.
  void add(const std::string& name, sinter::detail::Span<const std::string_view> parts);
  /// Writes the directory, which ends the archive.
  void finish();

 private:
  std::string shared_fields(const ZipEntry& entry, std::size_t large_numbers) const;
  std::string large_directory() const;

  OutputFile& file_;
  std::uint64_t large_;
  std::string directory_{};
  std::uint64_t count_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/zip_writer.ipp>
#endif
