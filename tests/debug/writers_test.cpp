#include <doctest/doctest.h>
#include <unistd.h>  // unlink, rmdir

#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <sinter/base/error.hpp>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/debug/machine/system.hpp>
#include <sinter/debug/writers.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

std::string content_of(const std::string& path) {
  std::ostringstream result;
  result << std::ifstream(path, std::ios::binary).rdbuf();
  return result.str();
}

// crc32c, bit by bit, as RFC 3720 defines it.
std::uint32_t crc32c(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
  }
  return crc ^ 0xffffffff;
}

std::uint32_t masked(const std::string& bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

// The records of an event file, whose lengths and checksums are checked.
std::vector<std::string> records_of(const std::string& path) {
  const std::string file = content_of(path);
  std::vector<std::string> result;
  for (std::size_t at = 0; at < file.size();) {
    std::uint64_t length = 0;
    std::uint32_t of_length = 0, of_data = 0;
    REQUIRE(file.size() >= at + 16);
    std::memcpy(&length, &file[at], 8);
    std::memcpy(&of_length, &file[at + 8], 4);
    REQUIRE(of_length == masked(file.substr(at, 8)));
    REQUIRE(file.size() >= at + 16 + length);
    result.push_back(file.substr(at + 12, length));
    std::memcpy(&of_data, &file[at + 12 + length], 4);
    REQUIRE(of_data == masked(result.back()));
    at += 16 + length;
  }
  return result;
}

}  // namespace

TEST_CASE("writers: folders are made, and what is written is there at once") {
  const detail::compiler::TemporaryDirectory folder;
  const std::string path = folder.path() + "/a/b/file";
  detail::debug::AppendFile file("test", path, false, Where::current());
  CHECK(file.is_empty());
  file.write("one ");
  CHECK(detail::debug::small_file(path) == "one ");
  CHECK_FALSE(file.is_empty());
  detail::debug::AppendFile more("test", path, true, Where::current());
  more.write("two");
  CHECK(detail::debug::small_file(path) == "one two");
  unlink(path.c_str());
  rmdir((folder.path() + "/a/b").c_str());
  rmdir((folder.path() + "/a").c_str());
}

TEST_CASE("writers: a full disk is an error that says so") {
  detail::debug::AppendFile file("CsvWriter", "/dev/full", true, Where::current());
  CHECK_THROWS_WITH_AS(file.write("x"), doctest::Contains("No space left on device"), IoError);
}

TEST_CASE("writers: rows read back, texts with commas and quotes too") {
  const detail::compiler::TemporaryDirectory folder;
  const std::string path = folder.path() + "/loss.csv";
  CsvWriter log(path, {"step", "loss", "note, or none"});
  log.row({1, 0.1f, "plain"});
  log.row({std::int64_t{2}, 1e-30, std::string("a \"b\"\nc")});
  CHECK(content_of(path) ==
        "step,loss,\"note, or none\"\r\n1,0.1,plain\r\n2,1e-30,\"a \"\"b\"\"\nc\"\r\n");
}

TEST_CASE("writers: an appended file has one line of columns") {
  const detail::compiler::TemporaryDirectory folder;
  const std::string path = folder.path() + "/loss.csv";
  for (int run = 0; run < 2; ++run) {
    CsvWriter log(path, {"run"}, CsvWriter::Open::append);
    log.row({run});
  }
  CHECK(content_of(path) == "run\r\n0\r\n1\r\n");
  CsvWriter anew(path, {"run"});
  CHECK(content_of(path) == "run\r\n");
}

TEST_CASE("writers: a row has a cell for each column, and a file needs a place") {
  const detail::compiler::TemporaryDirectory folder;
  CsvWriter log(folder.path() + "/loss.csv", {"a", "b"});
  CHECK_THROWS_WITH_AS(log.row({1}), doctest::Contains("a row has a cell for each column"),
                       ValueError);
  CHECK_THROWS_WITH_AS(log.row({1, 2, 3}), doctest::Contains("writers_test.cpp:"), ValueError);
  CHECK(content_of(folder.path() + "/loss.csv") == "a,b\r\n");
  CHECK_THROWS_WITH_AS(CsvWriter("/proc/none/x.csv", {"a"}),
                       doctest::Contains("the file cannot be opened"), IoError);
}

TEST_CASE("writers: crc32c is that of RFC 3720") { CHECK(crc32c("123456789") == 0xe3069283u); }

TEST_CASE("writers: a scalar is the record that TensorBoard reads") {
  const detail::compiler::TemporaryDirectory folder;
  SummaryWriter writer(folder.path());
  writer.add_scalar("loss", 0.5, 300);
  writer.add_scalar("loss", full({}, 2.0f), 301);
  const std::vector<std::string> records = records_of(writer.path());
  REQUIRE(records.size() == 3);
  CHECK(records[0].substr(9) ==
        "\x1a\x0d"
        "brain.Event:2");
  const std::string value = std::string("\x0a\x04loss\x15\x00\x00\x00\x3f", 11);
  CHECK(records[1].substr(9) == "\x10\xac\x02\x2a\x0d\x0a\x0b" + value);
  CHECK(records[2].substr(records[2].size() - 4) == std::string("\x00\x00\x00\x40", 4));
}

TEST_CASE("writers: threads and writers share a folder") {
  const detail::compiler::TemporaryDirectory folder;
  SummaryWriter writer(folder.path()), other(folder.path());
  CHECK(writer.path() != other.path());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) writer.add_scalar("x", i, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(records_of(writer.path()).size() == 201);
  CHECK(records_of(other.path()).size() == 1);
}

TEST_CASE("writers: histograms leave out what is not finite") {
  const detail::compiler::TemporaryDirectory folder;
  SummaryWriter writer(folder.path());
  const float inf = std::numeric_limits<float>::infinity();
  writer.add_histogram("none", full({3}, inf), 0);
  writer.add_histogram("some", from_vector(std::vector<float>{1, inf, 2}, {3}), 0);
  const std::vector<std::string> records = records_of(writer.path());
  REQUIRE(records.size() == 2);
  CHECK(records[1].find("some") != std::string::npos);
  CHECK_THROWS_AS(writer.add_scalar("x", ones({2}), 0), UserError);
}

TEST_CASE("writers: images are PNG files, and others are refused") {
  const detail::compiler::TemporaryDirectory folder;
  SummaryWriter writer(folder.path());
  writer.add_image("x", full({3, 2, 5}, 0.5f), 1);
  writer.add_image("y", zeros({1, 4, 4}, u8), 1);
  const std::vector<std::string> records = records_of(writer.path());
  REQUIRE(records.size() == 3);
  for (const std::string part : {"\x89PNG\r\n\x1a\n", "IHDR", "IDAT", "IEND"}) {
    CHECK(records[1].find(part) != std::string::npos);
  }
  CHECK_THROWS_WITH_AS(writer.add_image("x", ones({2, 3, 4}), 0),
                       doctest::Contains("an image has 1, 3 or 4 channels"), ShapeError);
  CHECK_THROWS_AS(writer.add_image("x", ones({3, 4}), 0), ShapeError);
  CHECK_THROWS_AS(writer.add_image("x", ones({3, 4, 4}, i32), 0), DTypeError);
  CHECK_THROWS_WITH_AS(SummaryWriter("/proc/none"), doctest::Contains("cannot be opened"), IoError);
}
