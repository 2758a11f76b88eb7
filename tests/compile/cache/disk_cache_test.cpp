#include "disk_cache_harness.hpp"

TEST_CASE("disk_cache: loads what was stored, under each of its keys") {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path() + "/a/b");
  const CacheEntry stored{
      .environment = "g++ -O1", .keys = {key(1), key(2)}, .payload = std::string("a\0b", 3)};

  CHECK_FALSE(cache.load("g++ -O1", key(1)));
  CHECK(cache.store(stored));

  for (const Hash& each : stored.keys) {
    const auto found = cache.load("g++ -O1", each);
    REQUIRE(found);
    CHECK(found->environment == stored.environment);
    CHECK(found->keys == stored.keys);
    CHECK(found->payload == stored.payload);
  }
  struct stat info {};
  stat(cache.directory().c_str(), &info);
  CHECK((info.st_mode & 0777) == 0700);
}

TEST_CASE("disk_cache: another environment or key finds nothing, even in the right file") {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path());
  REQUIRE(cache.store(entry(1, "one")));
  const std::string path = files(directory.path()).at(0);

  CHECK_FALSE(cache.load("g++ -O2", key(1)));
  CHECK_FALSE(cache.load("g++ -O1", key(2)));

  const std::string content = content_of(path);
  REQUIRE(cache.store(entry(2, "two")));
  for (const std::string& file : files(directory.path())) overwrite(file, content);
  CHECK(cache.load("g++ -O1", key(1))->payload == "one");
  CHECK_FALSE(cache.load("g++ -O1", key(2)));
}

TEST_CASE("disk_cache: truncated and corrupted entries are ignored") {
  const std::string bytes = serialize({"environment", {key(1), key(2)}, "payload"});
  REQUIRE(deserialize(bytes));

  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(deserialize(bytes.substr(0, size)));
  }
  CHECK_FALSE(deserialize(bytes + "x"));
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    CHECK_FALSE(deserialize(changed));
  }
}

TEST_CASE("disk_cache: storing replaces a damaged entry") {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path());
  REQUIRE(cache.store(entry(1, "one")));
  const std::string path = files(directory.path()).at(0);
  const std::string whole = content_of(path);

  for (const std::string& damaged :
       {std::string(), whole.substr(0, whole.size() / 2), std::string(whole.size(), '\0')}) {
    overwrite(path, damaged);
    CHECK_FALSE(cache.load("g++ -O1", key(1)));
    CHECK(cache.store(entry(1, "one")));
    CHECK(cache.load("g++ -O1", key(1))->payload == "one");
  }
}

TEST_CASE("disk_cache: a killed writer leaves a whole entry or none") {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path());
  const std::string payload(1 << 20, 'p');
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      DiskCache own(directory.path());
      for (std::uint64_t i = 0;; ++i) own.store(entry(i % 8, payload));
    }
    usleep(static_cast<unsigned>(1000 + round * 700));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (std::uint64_t i = 0; i < 8; ++i) {
      const auto found = cache.load("g++ -O1", key(i));
      if (found) CHECK(found->payload == payload);
    }
  }
  for (const std::string& file : files(directory.path())) set_age(file, 3600);
  cache.trim();

  for (const std::string& file : files(directory.path())) {
    CHECK(file.find(".writing-") == std::string::npos);
  }
  CHECK(files(directory.path()).size() <= 8);
}

TEST_CASE("disk_cache: files of other running writers are left alone") {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path());
  overwrite(directory.path() + "/.writing-1-1", "half an en");

  CHECK(cache.store(entry(1, "one")));
  cache.trim();

  CHECK(files(directory.path()).size() == 2);
}

TEST_CASE("disk_cache: many processes write and read the same entries") {
  const TemporaryDirectory directory;
  std::vector<pid_t> children;
  for (char id = 'a'; id < 'e'; ++id) {
    const pid_t child = fork();
    if (child == 0) {
      DiskCache cache(directory.path());
      bool good = true;
      for (std::uint64_t i = 0; i < 300; ++i) {
        good = good && cache.store(entry(i % 5, std::string(5000, id)));
        const auto found = cache.load("g++ -O1", key(i % 5));
        good = good && found && found->payload == std::string(5000, found->payload[0]);
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(files(directory.path()).size() == 5);
}

TEST_CASE("disk_cache: SINTER_CACHE_LIMIT is its capacity in MiB") {
  CHECK(default_cache_capacity() == std::uint64_t{1} << 30);
  setenv("SINTER_CACHE_LIMIT", "3", 1);
  CHECK(default_cache_capacity() == std::uint64_t{3} << 20);
  for (const char* wrong : {"", "many", "3 GiB", "-1"}) {
    setenv("SINTER_CACHE_LIMIT", wrong, 1);
    CHECK(default_cache_capacity() == std::uint64_t{1} << 30);
  }
  unsetenv("SINTER_CACHE_LIMIT");
}

TEST_CASE("disk_cache: usage counts keys, bytes, and what was loaded later") {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path());
  CHECK(cache.usage().keys == 0);
  REQUIRE(cache.store(entry(1, "one")));
  REQUIRE(cache.store({.environment = "g++ -O1", .keys = {key(2), key(3)}, .payload = "two"}));
  const DiskCache::Usage usage = cache.usage();
  CHECK(usage.keys == 3);
  CHECK(usage.loaded == 0);
  CHECK(usage.bytes > 100);
  const std::string path = files(directory.path()).at(0);
  const timespec times[2]{{std::time(nullptr) + 5, 0}, {std::time(nullptr) + 5, 0}};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);  // as load() will do it
  struct statx born {};
  statx(AT_FDCWD, path.c_str(), 0, STATX_BTIME, &born);
  if ((born.stx_mask & STATX_BTIME) != 0) CHECK(cache.usage().loaded >= 1);
}

TEST_CASE("disk_cache: says why nothing can be stored") {
  const TemporaryDirectory directory;
  const auto why = [](const std::string& path) { return DiskCache(path).why_unusable(); };
  CHECK(why(directory.path() + "/new") == "");
  CHECK(why("") == "neither SINTER_CACHE_DIR nor HOME is set");
  chmod(directory.path().c_str(), 0777);
  CHECK(why(directory.path()) == "other users can write to it (fix: chmod go-w)");
  REQUIRE(write_file(directory.path() + "/file", "x"));
  CHECK(why(directory.path() + "/file") == "not a directory");
}
