#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include <sinter/base/error.hpp>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/debug/csv_writer.hpp>

using namespace sinter;

namespace {

std::string content_of(const std::string& path) {
  std::ostringstream result;
  result << std::ifstream(path, std::ios::binary).rdbuf();
  return result.str();
}

}  // namespace

TEST_CASE("csv_writer: rows read back, texts with commas and quotes too") {
  const detail::compiler::TemporaryDirectory folder;
  const std::string path = folder.path() + "/loss.csv";
  CsvWriter log(path, {"step", "loss", "note, or none"});
  log.row({1, 0.1f, "plain"});
  log.row({std::int64_t{2}, 1e-30, std::string("a \"b\"\nc")});
  CHECK(content_of(path) ==
        "step,loss,\"note, or none\"\r\n1,0.1,plain\r\n2,1e-30,\"a \"\"b\"\"\nc\"\r\n");
}

TEST_CASE("csv_writer: an appended file has one line of columns") {
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

TEST_CASE("csv_writer: a row has a cell for each column, and a file needs a place") {
  const detail::compiler::TemporaryDirectory folder;
  CsvWriter log(folder.path() + "/loss.csv", {"a", "b"});
  CHECK_THROWS_WITH_AS(log.row({1}), doctest::Contains("a row has a cell for each column"),
                       ValueError);
  CHECK_THROWS_WITH_AS(log.row({1, 2, 3}), doctest::Contains("csv_writer_test.cpp:"), ValueError);
  CHECK(content_of(folder.path() + "/loss.csv") == "a,b\r\n");
  CHECK_THROWS_WITH_AS(CsvWriter("/proc/none/x.csv", {"a"}),
                       doctest::Contains("the file cannot be opened"), IoError);
}
