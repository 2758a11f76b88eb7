// Reading untrusted archives.

#include <sinter/io/zip_reader.hpp>

#include "io/support.hpp"

using namespace testing;

namespace {

// Reads the directory of an archive of these bytes.
std::vector<io::ZipEntry> directory_of(const std::string& bytes) {
  static const Folder folder;
  write_bytes(folder / "a", bytes);
  return io::read_zip_directory(io::InputFile({"test", folder / "a", Where::current()}));
}

// The archive of three arrays with a number of `width` bytes, `offset` behind the last `signature`,
// replaced.
std::string with(std::string_view signature, std::size_t offset, std::size_t width,
                 std::uint64_t number) {
  std::string bytes = read_bytes(golden("stored.npz"));
  const auto at = bytes.rfind(signature);
  REQUIRE(at != std::string::npos);
  std::string by;
  io::put(by, width, number);
  return bytes.replace(at + offset, width, by);
}

}  // namespace

TEST_CASE("zip_reader: the files of an archive are found where they are") {
  const std::string bytes = read_bytes(golden("stored.npz"));
  const auto entries = directory_of(bytes);
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].name == "f32.npy");
  for (const io::ZipEntry& entry : entries) {
    CHECK(bytes.substr(entry.begin, 6) == "\x93NUMPY");
    CHECK(entry.end > entry.begin);
  }
}

TEST_CASE("zip_reader: a comment at the end may look like the end") {
  CHECK(directory_of(read_bytes(golden("commented.npz"))).size() == 1);
}

TEST_CASE("zip_reader: directories that lie are refused") {
  const std::string_view row = "PK\1\2", last = "PK\5\6", local = "PK\3\4";
  refuses("not an archive", [] { directory_of(""); });
  refuses("not an archive", [] { directory_of("PK\5\6"); });
  refuses("not an archive", [&] { directory_of(with(last, 20, 2, 1)); });
  refuses("directory of the archive is not", [&] { directory_of(with(last, 16, 4, 1)); });
  refuses("directory of the archive is not", [&] { directory_of(with(last, 12, 4, 1)); });
  refuses("not where it should be", [&] { directory_of(with(last, 16, 4, 0xffffffff)); });
  refuses("extra rows", [&] { directory_of(with(last, 10, 2, 2)); });
  refuses("is cut", [&] { directory_of(with(last, 10, 2, 4)); });
  refuses("is cut", [&] { directory_of(with(row, 0, 1, 0)); });
  refuses("is cut", [&] { directory_of(with(row, 28, 2, 0xffff)); });
  refuses("compressed", [&] { directory_of(with(row, 10, 2, 8)); });
  refuses("encrypted", [&] { directory_of(with(row, 8, 2, 1)); });
  refuses("two sizes", [&] { directory_of(with(row, 24, 4, 1)); });
  refuses("size in the archive is missing", [&] { directory_of(with(row, 24, 4, 0xffffffff)); });
  refuses("PK, before byte", [&] { directory_of(with(row, 42, 4, 1)); });
  refuses("PK, before byte", [&] { directory_of(with(row, 42, 4, 0xfffffffe)); });
  refuses("not where the directory says", [&] { directory_of(with(row, 42, 4, 0)); });
  refuses("not where the directory says", [&] { directory_of(with(local, 26, 2, 6)); });
  refuses("not where the directory says", [&] { directory_of(with(local, 28, 2, 0xffff)); });
  refuses("not where the directory says", [&] { directory_of(with(local, 30, 1, 'x')); });
}

TEST_CASE("zip_reader: files that overlap, or have one name, are refused") {
  const std::string bytes = read_bytes(golden("commented.npz"));
  const auto start = bytes.find("PK\1\2"), end = bytes.find("PK\5\6");
  const std::string row = bytes.substr(start, end - start);
  std::string twice = bytes.substr(0, start) + row + row + bytes.substr(end);
  const auto last = end + row.size();
  std::string numbers;
  io::put(numbers, 2, 2);
  io::put(numbers, 2, 2);
  io::put(numbers, 4, 2 * row.size());
  twice.replace(last + 8, 8, numbers);
  refuses("two arrays share bytes or a name\n", [&] { directory_of(twice); });
}

TEST_CASE("zip_reader: bytes that are not those of the checksum are refused") {
  const Folder folder;
  std::string bytes = read_bytes(golden("stored.npz"));
  const auto entries = directory_of(bytes);
  bytes[entries[1].end - 1] ^= 1;
  write_bytes(folder / "a", bytes);
  const io::InputFile file({"test", folder / "a", Where::current()});
  io::require_checksum(file, entries[0]);
  refuses("entry i64.npy", [&] { io::require_checksum(file, entries[1]); });
  io::require_checksum(file, entries[2]);
}
