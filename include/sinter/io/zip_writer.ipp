#pragma once

#include <algorithm>  // std::none_of
#include <vector>     // std::vector

#include <boost/crc.hpp>

#include <sinter/io/zip_writer.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

inline constexpr std::uint64_t version = 20, version_for_large_numbers = 45;
// 1980-01-01, so that equal tensors are equal files.
inline constexpr std::uint64_t zip_date = 0x210000;

// The zip64 extra field with the numbers that do not fit 32 bits; empty if there are none.
SINTER_INLINE std::string large_field(const std::vector<std::uint64_t>& numbers) {
  std::string result;
  if (numbers.empty()) return result;
  put(result, 2, 1);
  put(result, 2, 8 * numbers.size());
  for (const std::uint64_t number : numbers) put(result, 8, number);
  return result;
}

}  // namespace detail

// The part that a local record and its directory row share: everything up to the lengths of the
// fields after the name.
SINTER_INLINE std::string ZipWriter::shared_fields(const ZipEntry& entry,
                                                   std::size_t large_numbers) const {
  const std::uint64_t size = entry.end - entry.begin;
  const bool is_ascii = std::none_of(entry.name.begin(), entry.name.end(),
                                     [](char c) { return static_cast<unsigned char>(c) > 0x7f; });
  std::string result;
  put(result, 2, large_numbers > 0 ? detail::version_for_large_numbers : detail::version);
  put(result, 2, is_ascii ? 0 : 1u << 11);  // else the name is UTF-8
  put(result, 2, 0);                        // stored
  put(result, 4, detail::zip_date);
  put(result, 4, entry.checksum);
  put(result, 4, size >= large_ ? all_32_bits : size);
  put(result, 4, size >= large_ ? all_32_bits : size);
  put(result, 2, entry.name.size());
  put(result, 2, large_numbers > 0 ? 4 + 8 * large_numbers : 0);
  return result;
}

SINTER_INLINE void ZipWriter::add(const std::string& name,
                                  sinter::detail::Span<const std::string_view> parts) {
  boost::crc_32_type checksum;
  ZipEntry entry{.name = name};
  for (const std::string_view part : parts) {
    checksum.process_bytes(part.data(), part.size());
    entry.end += part.size();
  }
  entry.checksum = checksum.checksum();
  const std::uint64_t offset = file_.size();

  std::vector<std::uint64_t> numbers;
  if (entry.end >= large_) numbers = {entry.end, entry.end};
  file_.write(sinter::detail::text(local_record.signature, shared_fields(entry, numbers.size()),
                                   name, detail::large_field(numbers)));
  for (const std::string_view part : parts) file_.write(part);

  if (offset >= large_) numbers.push_back(offset);
  directory_ += entry_record.signature;
  put(directory_, 2, detail::version_for_large_numbers);  // version made by
  directory_ += shared_fields(entry, numbers.size());
  put(directory_, 8, 0);  // comment, disk, attributes
  put(directory_, 2, 0);  // 10 bytes in total
  put(directory_, 4, offset >= large_ ? all_32_bits : offset);
  directory_ += name + detail::large_field(numbers);
  ++count_;
}

// The zip64 end record and its locator, for directories that the end record cannot describe.
SINTER_INLINE std::string ZipWriter::large_directory() const {
  const std::uint64_t end = file_.size(), begin = end - directory_.size();
  std::string result(large_end_record.signature);
  put(result, 8, large_end_record.length - 12);  // of the rest of the record
  put(result, 2, detail::version_for_large_numbers);
  put(result, 2, detail::version_for_large_numbers);
  put(result, 8, 0);  // disks
  for (const std::uint64_t number : {count_, count_, end - begin, begin}) put(result, 8, number);
  result += large_locator_record.signature;
  put(result, 4, 0);  // disk
  put(result, 8, end);
  put(result, 4, 1);  // disks
  return result;
}

SINTER_INLINE void ZipWriter::finish() {
  const std::uint64_t begin = file_.size(), size = directory_.size();
  const bool is_large = count_ >= all_16_bits || begin >= large_ || size >= large_;
  file_.write(directory_);
  if (is_large) file_.write(large_directory());
  std::string last(end_record.signature);
  put(last, 4, 0);  // disks
  put(last, 2, is_large ? all_16_bits : count_);
  put(last, 2, is_large ? all_16_bits : count_);
  put(last, 4, is_large ? all_32_bits : size);
  put(last, 4, is_large ? all_32_bits : begin);
  put(last, 2, 0);  // comment
  file_.write(last);
}

}  // namespace sinter::inline SINTER_ABI::io
