#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/schedule/stage.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

namespace fs = std::filesystem;

struct Product {
  bool is_valid = true;
};
std::string to_string(const Product&) { return "a product\n"; }
void verify(const Product& product) {
  if (!product.is_valid) throw InternalError("no product");
}

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("stage: a product that is not valid is found") {
  CHECK_NOTHROW(finish_stage("groups", Product{}));
  CHECK_THROWS_AS(finish_stage("groups", Product{false}), InternalError);
}

TEST_CASE("stage: products are files; several of one name and graph share a file") {
  const fs::path directory = fs::path(SINTER_TEST_DIR) / "stage_test";
  fs::remove_all(directory);
  setenv("SINTER_DUMP", directory.c_str(), 1);
  begin_dump();
  finish_stage("groups", Product{});
  finish_stage("groups", Product{});
  begin_dump();
  finish_stage("groups", Product{});
  unsetenv("SINTER_DUMP");
  finish_stage("groups", Product{});
  std::vector<std::string> texts;
  for (const auto& entry : fs::directory_iterator(directory)) {
    CHECK(entry.path().filename().string().substr(3) == "_groups.txt");
    texts.push_back(content(entry.path()));
  }
  std::sort(texts.begin(), texts.end());
  CHECK(texts == std::vector<std::string>{"a product\n", "a product\na product\n"});
  fs::remove_all(directory);
}
