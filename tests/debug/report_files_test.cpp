#include <doctest/doctest.h>
#include <sinter/debug/report_files.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "debug/report/json_value.hpp"
#include "jit/support.hpp"

using namespace testing;
using namespace sinter::detail::debug;

namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Folder {
  fs::path path;
  explicit Folder(const char* name) : path(fs::path(SINTER_TEST_DIR) / name) {
    fs::remove_all(path);
  }
  ~Folder() { fs::remove_all(path); }

  // Names of files, without their numbers.
  std::set<std::string> names() const {
    std::set<std::string> result;
    for (const auto& entry : fs::directory_iterator(path)) {
      const std::string name = entry.path().filename();
      result.insert(name.substr(name.find('_') == 3 ? 4 : 0));
    }
    return result;
  }
};

Tensor twice(const Tensor& x) { return x * 2.0f; }

}  // namespace

TEST_CASE("report files: SINTER_REPORT has a page of each function that ended, and an index") {
  const Folder folder("report_files");
  {
    const ScopedVariable variable("SINTER_REPORT", folder.path.c_str());
    auto f = compile(twice, {.name = "the first"});
    const auto never_called = compile(twice, {.name = "unused"});
    {
      auto g = compile(twice, {.name = "second/part"});
      g(ones({3}));
    }
    CHECK(folder.names() == std::set<std::string>{"second_part.html", "index.html"});
    f(ones({4}));
    write_all_reports();  // as at the end of the process
    f(ones({4}));
  }
  CHECK(folder.names() ==
        std::set<std::string>{"the_first.html", "second_part.html", "index.html"});
  const Json index = facts_in(content(folder.path / "index.html"))["index"];
  REQUIRE(index.list.size() == 2);
  CHECK(index[0]["summary"]["name"].text == "the first");
  CHECK(index[0]["summary"]["calls"].integer() == 2);  // written again when it ended
  for (const Json& entry : index.list) {
    const Json facts = facts_in(content(folder.path / entry["file"].text));
    CHECK(facts["summary"]["name"].text == entry["summary"]["name"].text);
  }
}

TEST_CASE("report files: with SINTER_REPORT, calls after the first two are timed") {
  const Folder folder("report_times");
  {
    const ScopedVariable variable("SINTER_REPORT", folder.path.c_str());
    auto f = compile(twice, {.name = "timed"});
    for (int i = 0; i < 5; ++i) f(ones({3}));
    CHECK(profile([&] { f(ones({3})); }, {.calls = 1}).calls.size() == 1);  // none is taken
    for (int i = 0; i < 20; ++i) f(ones({3}));
  }
  for (const auto& entry : fs::directory_iterator(folder.path)) {
    if (!contains(entry.path().string(), "_timed.html")) continue;
    const Json profile = facts_in(content(entry.path()))["profile"];
    // Those of profile(), which come before.
    CHECK(profile["calls"].integer() == 1);
  }
  {
    const ScopedVariable variable("SINTER_REPORT", folder.path.c_str());
    auto g = compile([](const Tensor& x) { return tan(x) * 3.0f; }, {.name = "sampled"});
    for (int i = 0; i < 20; ++i) g(ones({3}));
  }
  bool is_sampled = false;
  for (const auto& entry : fs::directory_iterator(folder.path)) {
    if (!contains(entry.path().string(), "_sampled.html")) continue;
    const Json profile = facts_in(content(entry.path()))["profile"];
    CHECK(profile["calls"].integer() == 10);
    REQUIRE(profile["kernels"].list.size() == 1);
    CHECK(profile["kernels"][0]["runs"].integer() == 10);
    CHECK(profile["kernels"][0]["seconds"].number() > 0);
    CHECK(profile["events"].list.size() == 1);
    is_sampled = true;
  }
  CHECK(is_sampled);
}

TEST_CASE("report files: sinter-report makes the same pages of a folder of SINTER_DUMP") {
  const Folder folder("report_dump"), pages("report_of_dump");
  {
    const ScopedVariable dump("SINTER_DUMP", folder.path.c_str());
    const ScopedVariable report("SINTER_REPORT", pages.path.c_str());
    auto f = compile(twice, {.name = "dumped"});
    f(ones({3}));
  }
  bool is_dumped = false;
  for (const std::string& name : folder.names()) {
    is_dumped = is_dumped || (name.starts_with("function_") && name.ends_with("_dumped.json"));
  }
  CHECK(is_dumped);
  CHECK(write_reports_of_dump(folder.path) == 1);
  std::string made, expected;
  for (const auto& entry : fs::directory_iterator(folder.path)) {
    if (contains(entry.path().string(), "_dumped.html")) made = content(entry.path());
  }
  for (const auto& entry : fs::directory_iterator(pages.path)) {
    if (contains(entry.path().string(), "_dumped.html")) expected = content(entry.path());
  }
  CHECK(!made.empty());
  CHECK(made == expected);
  CHECK(content(folder.path / "index.html") == content(pages.path / "index.html"));
}

TEST_CASE("report files: nothing is written without the variables, and errors name the folder") {
  const Folder folder("report_none");
  {
    auto f = compile(twice);
    f(ones({3}));
  }
  CHECK_FALSE(fs::exists(folder.path));
  const std::string message = message_of<IoError>([&] { write_reports_of_dump(folder.path); });
  CHECK(contains(message, folder.path));
  fs::create_directories(folder.path);
  CHECK(write_reports_of_dump(folder.path) == 0);
  const ScopedVariable variable("SINTER_REPORT", "/proc/nonexistent/folder");
  const std::string told = said([] {
    auto f = compile(twice);
    f(ones({3}));
  });
  CHECK(contains(told, "no report was written"));
}
