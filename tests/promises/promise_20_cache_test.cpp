// test: moved
// Promise 20: the disk cache survives failures. Races, full disks, crashes of the process
// that writes: tests/end_to_end/recompiles/other_processes_test.cpp,
// tests/compile/cache/disk_failure_test.cpp.

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "moved.hpp"
#include "promises/promises.hpp"

using namespace testing;

namespace {

namespace fs = std::filesystem;

// A directory for a cache of this case alone; memory knows nothing of what is in it.
class Cache {
 public:
  explicit Cache(const std::string& name)
      : path_(fs::path(sinter_test::directory()) / "promise_20" / name),
        variable_((make(path_), "SINTER_CACHE_DIR"), path_.c_str()) {
    reset();
  }
  ~Cache() { reset(); }

  const fs::path& path() const { return path_; }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> result;
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) result.push_back(entry.path());
    }
    return result;
  }

 private:
  static void make(const fs::path& path) {
    fs::remove_all(path);
    fs::create_directories(path);
    fs::permissions(path, fs::perms::owner_all);
  }

  fs::path path_;
  ScopedVariable variable_;
};

struct Cost {
  std::int64_t runs = 0, hits = 0;
};

// What a first call costs a process that has nothing in memory; its result has to be right.
Cost cost() {
  reset();
  const auto f = compile([](const Tensor& x) { return tanh(x) * 5.0f + 2.0f; });
  CHECK(near(f(zeros({23})), Numbers(23, 2)));
  return {f.stats().compiler_runs, f.stats().disk_hits};
}

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

// A damaged cache costs one run of the compiler, and is whole again afterwards.
template <class Damage>
void check_survives(const std::string& name, Damage damage) {
  const Cache cache(name);
  CHECK(cost().runs == 1);
  REQUIRE_FALSE(cache.entries().empty());
  for (const fs::path& entry : cache.entries()) damage(entry);
  const Cost damaged = cost();
  CHECK(damaged.runs == 1);
  CHECK(damaged.hits == 0);
  const Cost mended = cost();
  CHECK(mended.runs == 0);
  CHECK(mended.hits == 1);
}

}  // namespace

TEST_CASE("promise 2.20: a process with an empty memory cache finds compiled kernels on disk") {
  const Cache cache("again");
  CHECK(cost().runs == 1);
  const Cost second = cost();
  CHECK(second.runs == 0);
  CHECK(second.hits == 1);
}

TEST_CASE("promise 2.20: an entry that was cut short is a miss") {
  check_survives("cut", [](const fs::path& file) { fs::resize_file(file, 100); });
  check_survives("empty", [](const fs::path& file) { fs::resize_file(file, 0); });
}

TEST_CASE("promise 2.20: an entry that was tampered with is a miss") {
  for (const double place_in_file : {0.0, 0.05, 0.5, 0.999}) {
    check_survives(text("tampered", place_in_file), [place_in_file](const fs::path& file) {
      std::string bytes = content(file);
      char& byte =
          bytes[static_cast<std::size_t>(place_in_file * static_cast<double>(bytes.size()))];
      byte = static_cast<char>(byte ^ 1);
      write(file, bytes);
    });
  }
}

TEST_CASE("promise 2.20: an entry that belongs to another key is a miss") {
  const Cache cache("swapped");
  cost();
  const std::vector<fs::path> before = cache.entries();
  const fs::path mine = *std::max_element(  // beside the kernels stands what the compiler is
      before.begin(), before.end(),
      [](const auto& a, const auto& b) { return fs::file_size(a) < fs::file_size(b); });
  compile([](const Tensor& x) { return sin(x) - 9.0f; })(zeros({24}));
  for (const fs::path& entry : cache.entries()) {
    if (entry != mine) write(mine, content(entry));
  }
  CHECK(cost().runs == 1);
}

TEST_CASE("promise 2.20: code that others may write is not trusted") {
  check_survives("mode", [](const fs::path& file) {
    fs::permissions(file, fs::perms::others_write | fs::perms::group_write, fs::perm_options::add);
  });
}

TEST_CASE("promise 2.20: entries are for the owner alone, and no temporary files are left") {
  const Cache cache("owner");
  cost();
  for (const fs::path& entry : cache.entries()) {
    struct stat found {};
    REQUIRE(stat(entry.c_str(), &found) == 0);
    CHECK((found.st_mode & 022) == 0);
    CHECK_FALSE(contains(entry.string(), ".tmp"));
  }
}

TEST_CASE("promise 2.20: a directory that cannot be had is one message, and no error") {
  const Cache cache("file");
  write(cache.path() / "file", "x");
  const ScopedVariable inside("SINTER_CACHE_DIR", (cache.path() / "file" / "cache").c_str());
  const std::string told = said([] {
    CHECK(cost().runs == 1);
    CHECK(cost().runs == 1);
  });
  CHECK(count(told, "sinter: ") <= 1);
}

TEST_CASE("promise 2.20: save_cache writes one file that serves without a compiler") {
  const Cache cache("saved");
  const std::string file = (cache.path() / "kernels").string();
  cost();
  save_cache(file);
  const Cache other("loaded");
  const ScopedVariable compiler("SINTER_CXX", "/nonexistent/compiler");
  reset();
  load_cache(file);
  const auto f = compile([](const Tensor& x) { return tanh(x) * 5.0f + 2.0f; });
  CHECK(near(f(zeros({23})), Numbers(23, 2)));
  CHECK(f.stats().compiler_runs == 0);
  CHECK(f.stats().kernels == 1);
}

TEST_CASE("promise 2.20: a saved file that is damaged is an IoError or a miss, never wrong code") {
  const Cache cache("damaged");
  const std::string file = (cache.path() / "kernels").string();
  cost();
  save_cache(file);
  const std::string bytes = content(file);
  for (const double part : {0.1, 0.5, 0.9}) {
    const auto size = static_cast<std::size_t>(part * static_cast<double>(bytes.size()));
    write(file, bytes.substr(0, size));
    const Cache other(text("damaged", part));
    try {
      load_cache(file);
    } catch (const IoError&) {
    }
    const auto f = compile([](const Tensor& x) { return tanh(x) * 5.0f + 2.0f; });
    CHECK(near(f(zeros({23})), Numbers(23, 2)));
  }
  CHECK_THROWS_AS(load_cache(file + ".missing"), IoError);
}
