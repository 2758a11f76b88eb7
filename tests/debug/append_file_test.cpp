#include <doctest/doctest.h>

#include <sinter/base/error.hpp>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/debug/append_file.hpp>
#include <sinter/debug/system.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("append_file: folders are made, and what is written is there at once") {
  const compiler::TemporaryDirectory folder;
  const std::string path = folder.path() + "/a/b/file";
  debug::AppendFile file("test", path, false, Where::current());
  CHECK(file.is_empty());
  file.write("one ");
  CHECK(debug::small_file(path) == "one ");
  CHECK_FALSE(file.is_empty());
  debug::AppendFile more("test", path, true, Where::current());
  more.write("two");
  CHECK(debug::small_file(path) == "one two");
  unlink(path.c_str());
  rmdir((folder.path() + "/a/b").c_str());
  rmdir((folder.path() + "/a").c_str());
}

TEST_CASE("append_file: a full disk is an error that says so") {
  debug::AppendFile file("CsvWriter", "/dev/full", true, Where::current());
  CHECK_THROWS_WITH_AS(file.write("x"), doctest::Contains("No space left on device"), IoError);
}
