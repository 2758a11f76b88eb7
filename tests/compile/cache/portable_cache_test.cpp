#include <sinter/compile/cache/portable_cache.hpp>

#include "cache_harness.hpp"

TEST_CASE("portable_cache: a saved file gives its kernels without compiling, as often as asked") {
  const TemporaryDirectory directory;
  const std::string saved = directory.path() + "/saved";
  {
    const FreshCache fresh;
    load_or_compile(unit({kernel(1), kernel(2)}));
    load_or_compile(unit({kernel(3)}));
    compiler::save_cache(saved);
    compiler::save_cache(saved);
  }
  const FreshCache fresh;
  compiler::load_cache(saved);
  compiler::load_cache(saved);

  const auto module = load_or_compile(unit({kernel(2), kernel(3)}));

  CHECK(module->work().compiler_runs == 0);
  CHECK(module->work().disk_hits == 2);
  CHECK(call(*module, 1) == 3);
  CHECK(name_at(module->function(0)) == "give_2");
}

TEST_CASE("portable_cache: a file that cannot be read, written or understood is an IoError") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/damaged";
  overwrite(path, std::string(100, 'x'));

  CHECK_THROWS_WITH_AS(compiler::load_cache(path),
                       doctest::Contains("load_cache: the file is not a kernel cache"), IoError);
  CHECK_THROWS_WITH_AS(compiler::load_cache(directory.path()),
                       doctest::Contains("load_cache: this is not a regular file"), IoError);
  CHECK_THROWS_WITH_AS(compiler::save_cache(""), doctest::Contains("save_cache: the path is empty"),
                       IoError);
  CHECK_THROWS_WITH_AS(compiler::load_cache("/nonexistent/file"),
                       doctest::Contains("No such file or directory"), IoError);
  CHECK_THROWS_WITH_AS(compiler::save_cache("/nonexistent/file"),
                       doctest::Contains("save_cache: the file cannot be written"), IoError);
  CHECK_THROWS_WITH_AS(compiler::load_cache(path),
                       doctest::Contains("load_cache reads what save_cache wrote"), IoError);
}

TEST_CASE("portable_cache: a file that is cut or changed anywhere is refused, and its path stays") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/saved";
  const FreshCache fresh;
  load_or_compile(unit({kernel(1)}));
  load_or_compile(unit({kernel(2)}));
  compiler::save_cache(path);
  const std::string whole = content_of(path);
  REQUIRE(compiler::load_cache(path).usable == 2);

  for (std::size_t size = 0; size < whole.size(); size += size < 64 ? 1 : 97) {
    overwrite(path, whole.substr(0, size));
    CHECK_THROWS_AS(compiler::load_cache(path), IoError);
  }
  for (std::size_t at = 0; at < whole.size(); at += at < 64 ? 1 : 97) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    overwrite(path, damaged);
    CHECK_THROWS_AS(compiler::load_cache(path), IoError);
  }
  overwrite(path, whole + "x");
  CHECK_THROWS_AS(compiler::load_cache(path), IoError);
  CHECK(files(directory.path()).size() == 1);
}

TEST_CASE("portable_cache: processes that save to one path at once leave a whole file") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/saved";
  const FreshCache fresh;
  load_or_compile(unit({kernel(1)}));
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    for (int times = 0; times < 10; ++times) compiler::save_cache(path);
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(compiler::load_cache(path).usable == 1);
  CHECK(files(directory.path()).size() == 1);
}
