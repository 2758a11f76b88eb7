#pragma once

#include <algorithm>         // std::min, std::sort
#include <array>             // std::array
#include <initializer_list>  // std::initializer_list
#include <set>               // std::set

#include <boost/crc.hpp>

#include <sinter/io/zip_reader.hpp>
#include <sinter/io/zip_record.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

[[noreturn]] SINTER_INLINE void refuse_archive(const InputFile& file, std::string what,
                                               const std::string& entry, std::string rule) {
  Flaw flaw{.what = std::move(what), .rule = std::move(rule)};
  if (!entry.empty()) flaw.facts.push_back({"entry", shown(entry)});
  refuse(file.access(), std::move(flaw));
}

// The record at `offset`; throws unless it ends before `limit`.
SINTER_INLINE std::string read_record(const InputFile& file, const ZipRecord& record,
                                      std::uint64_t offset, std::uint64_t limit) {
  if (offset <= limit && record.length <= limit - offset) {
    std::string result = file.read(offset, record.length);
    if (result.starts_with(record.signature)) return result;
  }
  refuse_archive(
      file, "a record of the archive is not where it should be", "",
      sinter::detail::text("at byte ", offset,
                           " there is a record that starts with PK, before byte ", limit));
}

// The location of the central directory.
struct ZipDirectory {
  std::uint64_t begin = 0, end = 0, count = 0;
};

// Finds the end record of the archive, which is followed by at most a comment.
SINTER_INLINE std::uint64_t find_end(const InputFile& file) {
  const std::uint64_t longest = end_record.length + all_16_bits;
  const std::uint64_t begin = file.size() - std::min(file.size(), longest);
  const std::string tail = file.read(begin, file.size() - begin);
  for (auto at = tail.rfind(end_record.signature); at != tail.npos;
       at = at == 0 ? tail.npos : tail.rfind(end_record.signature, at - 1)) {
    if (tail.size() - at < end_record.length) continue;
    if (number_at(tail, at + 20, 2) == tail.size() - at - end_record.length) return begin + at;
  }
  refuse_archive(file, "this is not an archive", "",
                 "npz files are zip archives, which end with PK56");
}

SINTER_INLINE ZipDirectory find_directory(const InputFile& file) {
  const std::uint64_t end = find_end(file);
  const std::string record = file.read(end, end_record.length);
  std::uint64_t limit = end;
  std::uint64_t count = number_at(record, 10, 2);
  std::uint64_t size = number_at(record, 12, 4), offset = number_at(record, 16, 4);
  if (count == all_16_bits || size == all_32_bits || offset == all_32_bits) {
    const std::uint64_t at = end - std::min<std::uint64_t>(end, large_locator_record.length);
    limit = number_at(read_record(file, large_locator_record, at, end), 8, 8);
    const std::string large = read_record(file, large_end_record, limit, at);
    count = number_at(large, 32, 8);
    size = number_at(large, 40, 8);
    offset = number_at(large, 48, 8);
  }
  if (offset > limit || size != limit - offset) {
    refuse_archive(file, "the directory of the archive is not where it should be", "",
                   "it ends where the last record starts");
  }
  return {offset, limit, count};
}

// A row of the directory: an entry and the offset of its local record.
struct ZipRow {
  ZipEntry entry;
  std::uint64_t record = 0;
};

// Reads the zip64 extra field, which holds only the numbers that do not fit 32 bits.
SINTER_INLINE void read_large_numbers(const InputFile& file, const std::string& name,
                                      std::string_view fields,
                                      std::initializer_list<std::uint64_t*> numbers) {
  std::string_view large;
  while (fields.size() >= 4) {
    const std::size_t length = number_at(fields, 2, 2);
    if (length > fields.size() - 4) break;
    if (number_at(fields, 0, 2) == 1) large = fields.substr(4, length);
    fields.remove_prefix(4 + length);
  }
  for (std::uint64_t* const number : numbers) {
    if (*number != all_32_bits) continue;
    if (large.size() < 8) {
      refuse_archive(file, "a size in the archive is missing", name,
                     "numbers above 32 bits are in a field of their own");
    }
    *number = number_at(large, 0, 8);
    large.remove_prefix(8);
  }
}

SINTER_INLINE void require_stored(const InputFile& file, const std::string& name,
                                  std::uint64_t flags, std::uint64_t method) {
  if ((flags & 1) != 0) {
    refuse_archive(file, "an array is encrypted", name, "arrays are stored as they are");
  }
  if (method == 0) return;
  refuse(file.access(),
         {.what = "an array is compressed",
          .facts = {{"entry", shown(name)}, {"method", sinter::detail::text(method)}},
          .rule = "arrays are stored as they are",
          .fix = "save it with numpy.savez, not with numpy.savez_compressed"});
}

// Reads and removes the first row of `directory`.
SINTER_INLINE ZipRow read_row(const InputFile& file, std::string_view& directory) {
  const auto lengths = [&] {
    return std::array{number_at(directory, 28, 2), number_at(directory, 30, 2),
                      number_at(directory, 32, 2)};
  };
  const bool starts =
      directory.size() >= entry_record.length && directory.starts_with(entry_record.signature);
  const auto [name_length, fields_length, comment_length] =
      starts ? lengths() : std::array<std::uint64_t, 3>{};
  const std::size_t length = entry_record.length + name_length + fields_length + comment_length;
  if (!starts || length > directory.size()) {
    refuse_archive(file, "the directory of the archive is cut", "",
                   "it has as many rows as the last record says");
  }
  ZipRow result{.entry = {.name = std::string(directory.substr(entry_record.length, name_length))}};
  const std::string& name = result.entry.name;
  require_stored(file, name, number_at(directory, 8, 2), number_at(directory, 10, 2));
  std::uint64_t stored = number_at(directory, 20, 4), size = number_at(directory, 24, 4);
  result.record = number_at(directory, 42, 4);
  result.entry.checksum = static_cast<std::uint32_t>(number_at(directory, 16, 4));
  read_large_numbers(file, name, directory.substr(entry_record.length + name_length, fields_length),
                     {&size, &stored, &result.record});
  if (stored != size) {
    refuse_archive(file, "an array has two sizes", name, "arrays are stored as they are");
  }
  result.entry.end = size;  // as if it began at 0
  directory.remove_prefix(length);
  return result;
}

// Locates the bytes of an entry after its local record; they must end before `limit`.
SINTER_INLINE void find_bytes(const InputFile& file, ZipRow& row, std::uint64_t limit) {
  const std::string record = read_record(file, local_record, row.record, limit);
  const std::uint64_t name_length = number_at(record, 26, 2);
  const std::uint64_t begin =
      row.record + local_record.length + name_length + number_at(record, 28, 2);
  ZipEntry& entry = row.entry;
  const bool is_inside = begin <= limit && entry.end <= limit - begin;
  if (!is_inside || name_length != entry.name.size() ||
      file.read(row.record + local_record.length, name_length) != entry.name) {
    refuse_archive(file, "an array is not where the directory says", entry.name,
                   "the record of each array has its name and lies before the directory");
  }
  entry.begin = begin;
  entry.end += begin;
}

SINTER_INLINE void require_apart(const InputFile& file, const std::vector<ZipRow>& rows) {
  std::set<std::string_view> names;
  std::uint64_t end = 0;
  for (const ZipRow& row : rows) {
    if (row.record < end || !names.insert(row.entry.name).second) {
      refuse_archive(file, "two arrays share bytes or a name", row.entry.name,
                     "each array has its own");
    }
    end = row.entry.end;
  }
}

}  // namespace detail

SINTER_INLINE std::vector<ZipEntry> read_zip_directory(const InputFile& file) {
  const detail::ZipDirectory place = detail::find_directory(file);
  const std::string bytes = file.read(place.begin, place.end - place.begin);
  std::string_view directory = bytes;
  std::vector<detail::ZipRow> rows;
  for (std::uint64_t i = 0; i < place.count; ++i) {
    rows.push_back(detail::read_row(file, directory));
    detail::find_bytes(file, rows.back(), place.begin);
  }
  if (!directory.empty()) {
    detail::refuse_archive(file, "the directory of the archive has extra rows", "",
                           "it has as many rows as the last record says");
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.record < b.record; });
  detail::require_apart(file, rows);
  std::vector<ZipEntry> result;
  for (detail::ZipRow& row : rows) result.push_back(std::move(row.entry));
  return result;
}

SINTER_INLINE void require_checksum(const InputFile& file, const ZipEntry& entry) {
  constexpr std::uint64_t most = std::uint64_t{1} << 20;
  boost::crc_32_type checksum;
  for (std::uint64_t at = entry.begin; at < entry.end; at += most) {
    const std::string bytes = file.read(at, std::min(most, entry.end - at));
    checksum.process_bytes(bytes.data(), bytes.size());
  }
  if (checksum.checksum() == entry.checksum) return;
  detail::refuse_archive(file, "the bytes of an array are not those that were written", entry.name,
                         "their checksum is that of the directory");
}

}  // namespace sinter::inline SINTER_ABI::io
