// Writing archives.

#include <sinter/io/zip_reader.hpp>
#include <sinter/io/zip_writer.hpp>

#include <array>

#include "io/support.hpp"

using namespace testing;

namespace {

io::Access access(const std::string& path) { return {"test", path, Where::current()}; }

// "name=content " of each file of the archive, whose checksums are those of the directory.
std::string content_of(const std::string& path) {
  const io::InputFile file(access(path));
  std::string result;
  for (const io::ZipEntry& entry : io::read_zip_directory(file)) {
    io::require_checksum(file, entry);
    result += entry.name + "=" + file.read(entry.begin, entry.end - entry.begin) + " ";
  }
  return result;
}

// Writes three files; numbers from `large` on in 64 bits.
void write(const std::string& path, std::uint64_t large) {
  io::OutputFile file(access(path));
  io::ZipWriter archive(file, large);
  archive.add("a", std::array<std::string_view, 2>{"01234", "56789"});
  archive.add("empty", {});
  archive.add("\u00e4", std::array<std::string_view, 1>{"third"});
  archive.finish();
  file.commit();
}

}  // namespace

TEST_CASE("zip_writer: files come back by name") {
  const Folder folder;
  write(folder / "a", 0xffffffff);
  CHECK(content_of(folder / "a") == "a=0123456789 empty= \u00e4=third ");
  CHECK_FALSE(contains(read_bytes(folder / "a"), "PK\6\6"));
}

TEST_CASE("zip_writer: numbers that do not fit 32 bits are in fields of their own") {
  const Folder folder;
  for (const std::uint64_t large : {0u, 5u, 7u, 40u, 60u, 100u, 113u, 146u, 147u}) {
    write(folder / "a", large);
    CHECK(content_of(folder / "a") == "a=0123456789 empty= \u00e4=third ");
    CHECK(contains(read_bytes(folder / "a"), "PK\6\6") == (large < 147));
  }
}

TEST_CASE("zip_writer: there may be more files than 16 bits count") {
  const Folder folder;
  {
    io::OutputFile file(access(folder / "a"));
    io::ZipWriter archive(file);
    for (int i = 0; i < 70000; ++i) archive.add(text(i), {});
    archive.finish();
    file.commit();
  }
  CHECK(io::read_zip_directory(io::InputFile(access(folder / "a"))).size() == 70000);
}

TEST_CASE("zip_writer: equal files are equal archives") {
  const Folder folder;
  write(folder / "a", 0xffffffff);
  write(folder / "b", 0xffffffff);
  CHECK(read_bytes(folder / "a") == read_bytes(folder / "b"));
}
