#include <sinter/jit/fingerprint.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sinter/base/hash.hpp>

namespace fs = std::filesystem;

namespace {

const fs::path include = fs::path(SINTER_SOURCE_DIR) / "include" / "sinter";

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The files on which the text of kernels depends, in a fixed order.
std::vector<fs::path> sources() {
  std::vector<fs::path> result{include / "base" / "philox.hpp", include / "base" / "fault.hpp",
                               include / "base" / "dtype.hpp", include / "graph" / "op.hpp"};
  for (const char* folder : {"symbol", "pass", "schedule", "codegen"}) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(include / folder)) {
      files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    result.insert(result.end(), files.begin(), files.end());
  }
  return result;
}

std::string hash_of_sources() {
  sinter::detail::Hasher hasher;
  for (const fs::path& path : sources()) {
    hasher.add(path.filename().string()).add(read(path));
  }
  return to_string(hasher.result());
}

}  // namespace

TEST_CASE("generator_fingerprint: is that of the sources of the stages that write kernels") {
  const std::string expected = hash_of_sources();
  if (std::getenv("SINTER_UPDATE_GOLDEN") != nullptr) {
    const fs::path path = include / "jit" / "fingerprint.hpp";
    std::string text = read(path);
    const std::string known(sinter::detail::jit::generator_fingerprint);
    text.replace(text.find(known), known.size(), expected);
    std::ofstream(path) << text;
    return;
  }
  INFO("after a change of these stages, run this test with SINTER_UPDATE_GOLDEN=1");
  CHECK(std::string(sinter::detail::jit::generator_fingerprint) == expected);
}
