#pragma once
// The records of zip archives and their encoding, shared by reader and writer.
// Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT

#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint64_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::io {

/// A file in an archive.
struct ZipEntry {
  std::string name{};
  std::uint64_t begin = 0;  ///< The offset of its bytes in the archive.
  std::uint64_t end = 0;
  std::uint32_t checksum = 0;
};

/// The signature of each record, and its length without variable-length fields.
struct ZipRecord {
  std::string_view signature;
  std::size_t length;
};
inline constexpr ZipRecord local_record{"PK\3\4", 30};
inline constexpr ZipRecord entry_record{"PK\1\2", 46};
inline constexpr ZipRecord end_record{"PK\5\6", 22};
inline constexpr ZipRecord large_end_record{"PK\6\6", 56};
inline constexpr ZipRecord large_locator_record{"PK\6\7", 20};

inline constexpr std::uint64_t all_16_bits = 0xffff, all_32_bits = 0xffffffff;

/// A number of `width` bytes at position `at`, the least significant byte first.
inline std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t result = 0;
  for (std::size_t i = width; i > 0; --i) {
    result = result << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return result;
}

/// Appends a number of `width` bytes, the least significant byte first.
inline void put(std::string& bytes, std::size_t width, std::uint64_t number) {
  for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(number >> 8 * i & 0xff);
}

}  // namespace sinter::inline SINTER_ABI::io
