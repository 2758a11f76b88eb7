// Numbers in records of zip archives.

#include <sinter/io/zip_record.hpp>

#include <doctest/doctest.h>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("zip_record: numbers have their least significant byte first") {
  std::string bytes = "#";
  io::put(bytes, 2, 0x1234);
  io::put(bytes, 8, 0xfedcba9876543210);
  CHECK(bytes == "#\x34\x12\x10\x32\x54\x76\x98\xba\xdc\xfe");
  CHECK(io::number_at(bytes, 1, 2) == 0x1234);
  CHECK(io::number_at(bytes, 3, 4) == 0x76543210);
  CHECK(io::number_at(bytes, 3, 8) == 0xfedcba9876543210);
}

TEST_CASE("zip_record: every record starts with its own four bytes") {
  for (const io::ZipRecord& record : {io::local_record, io::entry_record, io::end_record,
                                      io::large_end_record, io::large_locator_record}) {
    CHECK(record.signature.size() == 4);
    CHECK(record.signature.starts_with("PK"));
    CHECK(record.length > record.signature.size());
  }
}
