#pragma once
// What the tests of files share: a folder of their own, bytes in and out, and the golden files.

#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/io/file.hpp>
#include <sinter/trace/core/evaluate.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace testing {

using namespace sinter;
using namespace sinter::detail;

/// A folder that is removed at the end.
struct Folder {
  compiler::TemporaryDirectory directory{};

  std::string operator/(const std::string& name) const { return directory.path() + "/" + name; }
  /// The number of files in it.
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(directory.path()), {});
  }
};

/// A file that tests/data/io/make.py wrote.
inline std::string golden(const std::string& name) {
  return std::string(SINTER_SOURCE_DIR) + "/tests/data/io/" + name;
}

inline std::string read_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// All elements equal, bit for bit.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  const Storage &x = elements_of(a), &y = elements_of(b);
  return same(a.type(), b.type()) && std::memcmp(host_bytes(x), host_bytes(y), x.bytes()) == 0;
}

/// `text` with the first `part` in it replaced, which has to be there.
inline std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const auto at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), by);
}

/// The report of the error of exactly the kind `Error` that `body` throws.
template <class Error, class Body>
std::string report_of(Body body) {
  try {
    body();
  } catch (const UserError& error) {
    INFO(error.what());
    CHECK(typeid(error) == typeid(Error));
    return error.what();
  }
  return "nothing was thrown";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// `body` throws an IoError that has `part`, a rule and a way out.
template <class Body>
void refuses(const std::string& part, Body body) {
  const std::string report = report_of<IoError>(body);
  INFO(report);
  INFO(part);
  CHECK(contains(report, part));
  CHECK(contains(report, "\n  file  "));
  CHECK(contains(report, "\n  rule  "));
  CHECK(contains(report, "\n  fix   "));
}

}  // namespace testing
