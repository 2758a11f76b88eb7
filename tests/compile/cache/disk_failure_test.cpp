#include "disk_cache_harness.hpp"

TEST_CASE("disk_cache: one warning for a directory that cannot be created, and nothing is lost") {
  const std::string errors = errors_of_child([] {
    const TemporaryDirectory directory;
    overwrite(directory.path() + "/file", "");
    bool good = true;
    for (const std::string& path : {directory.path() + "/file/below", directory.path() + "/file",
                                    std::string("/proc/none"), std::string()}) {
      DiskCache cache(path);
      good = good && !cache.store(entry(1, "one")) && !cache.load("g++ -O1", key(1));
    }
    return good;
  });
  CHECK(count(errors, "\n") == 1);
  CHECK(errors.find("sinter: compiled kernels are not cached on disk: ") == 0);
  CHECK(errors.find("file/below: Not a directory") != std::string::npos);
  CHECK(errors.find("Set SINTER_CACHE_DIR") != std::string::npos);
}

TEST_CASE("disk_cache: one warning for a full disk, and no partial entry") {
  const TemporaryDirectory directory;
  const std::string errors = errors_of_child([&] {
    const rlimit limit{1000, 1000};  // as if the disk took this much
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    DiskCache cache(directory.path());
    const bool stored = cache.store(entry(1, std::string(5000, 'x')));
    return !stored && !cache.store(entry(2, std::string(5000, 'x'))) &&
           cache.store(entry(3, "small")) && cache.load("g++ -O1", key(3));
  });
  CHECK(count(errors, "\n") <= 1);  // the limit may hold for the message, too
  CHECK(files(directory.path()).size() == 1);
}

TEST_CASE("disk_cache: code that others may have written is ignored") {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path());
  REQUIRE(cache.store(entry(1, "one")));
  const std::string path = files(directory.path()).at(0);

  chmod(path.c_str(), 0620);
  CHECK_FALSE(cache.load("g++ -O1", key(1)));
  chmod(path.c_str(), 0602);
  CHECK_FALSE(cache.load("g++ -O1", key(1)));
  chmod(path.c_str(), 0644);
  CHECK(cache.load("g++ -O1", key(1)));
  if (geteuid() == 0) {
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    CHECK_FALSE(cache.load("g++ -O1", key(1)));
    REQUIRE(chown(path.c_str(), 0, 0) == 0);
  }
  REQUIRE(std::rename(path.c_str(), (directory.path() + "/elsewhere").c_str()) == 0);
  REQUIRE(symlink("elsewhere", path.c_str()) == 0);
  CHECK_FALSE(cache.load("g++ -O1", key(1)));
}

TEST_CASE("disk_cache: a directory that others can write to is not used, with a warning") {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path());
  REQUIRE(cache.store(entry(1, "one")));
  chmod(directory.path().c_str(), 0777);

  const std::string errors = errors_of_child([&] {
    DiskCache own(directory.path());
    return !own.load("g++ -O1", key(1)) && !own.store(entry(2, "two"));
  });

  CHECK(errors.find("other users can write to it") != std::string::npos);
  chmod(directory.path().c_str(), 0700);
  CHECK(cache.load("g++ -O1", key(1)));
}

TEST_CASE("disk_cache: when it is full, the least recently used entries are removed") {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path(), 50'000);
  for (std::uint64_t i = 0; i < 4; ++i) {
    REQUIRE(cache.store(entry(i, std::string(10'000, 'x'))));
    for (const std::string& file : files(directory.path())) {
      struct stat info {};
      stat(file.c_str(), &info);
      set_age(file, std::time(nullptr) - info.st_mtim.tv_sec + 100);
    }
  }
  CHECK(cache.load("g++ -O1", key(0)));  // the oldest, but now the youngest

  REQUIRE(cache.store(entry(4, std::string(10'000, 'x'))));
  REQUIRE(cache.store(entry(5, std::string(10'000, 'x'))));
  cache.trim();

  CHECK(files(directory.path()).size() == 4);
  CHECK(cache.load("g++ -O1", key(0)));
  CHECK_FALSE(cache.load("g++ -O1", key(1)));
  CHECK_FALSE(cache.load("g++ -O1", key(2)));
  CHECK(cache.load("g++ -O1", key(5)));
}

TEST_CASE("disk_cache: the directory is the user's choice, or the system's place for caches") {
  const auto set = [](const char* name, const char* value) { setenv(name, value, 1); };
  const std::string errors = errors_of_child([&] {
    set("SINTER_CACHE_DIR", "/chosen");
    set("XDG_CACHE_HOME", "/xdg");
    set("HOME", "/home/user");
    bool good = default_cache_directory() == "/chosen";
    unsetenv("SINTER_CACHE_DIR");
    good = good && default_cache_directory() == "/xdg/sinter";
    unsetenv("XDG_CACHE_HOME");
    good = good && default_cache_directory() == "/home/user/.cache/sinter";
    unsetenv("HOME");
    return good && default_cache_directory().empty();
  });
  CHECK(errors == "");
}
