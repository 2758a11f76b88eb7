#include <doctest/doctest.h>

#include <ctime>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinter/compile/disk_cache.hpp>
#include <sinter/compile/file.hpp>

using namespace sinter;
using namespace sinter::compiler;

namespace {

Hash key(std::uint64_t number) { return {number, number * 31}; }

Entry entry(std::uint64_t number, const std::string& payload) {
  return {.environment = "g++ -O1", .keys = {key(number)}, .payload = payload};
}

std::vector<std::string> files(const std::string& directory) {
  std::vector<std::string> result;
  DIR* const open_directory = opendir(directory.c_str());
  while (const dirent* const item = readdir(open_directory)) {
    if (item->d_type == DT_REG) result.push_back(directory + "/" + item->d_name);
  }
  closedir(open_directory);
  return result;
}

void overwrite(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void set_age(const std::string& path, std::time_t seconds) {
  const timespec time{std::time(nullptr) - seconds, 0};
  const timespec times[2] = {time, time};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
}

// What a child process writes on standard error while it runs `body`.
std::string errors_of_child(const std::function<bool()>& body) {
  const File errors = anonymous_file();
  const pid_t child = fork();
  if (child == 0) {
    dup2(errors.descriptor(), 2);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0 ? read_all(errors).value_or("?") : "the child failed";
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t result = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++result;
  return result;
}

}  // namespace

TEST_CASE("disk_cache: gives back what was stored, under each of its keys") {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path() + "/a/b");
  const Entry stored{
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

TEST_CASE("disk_cache: no truncated and no changed entry is taken") {
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

TEST_CASE("disk_cache: storing mends a damaged entry") {
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

TEST_CASE("disk_cache: a writer that is killed leaves nothing that is taken, or everything") {
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

TEST_CASE("disk_cache: what is being written by somebody else is left alone") {
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

TEST_CASE("disk_cache: a directory that cannot be made is said once, and nothing is lost") {
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
  CHECK(errors.find("sinter: compiled kernels are not kept on disk: ") == 0);
  CHECK(errors.find("file/below: Not a directory") != std::string::npos);
  CHECK(errors.find("Set SINTER_CACHE_DIR") != std::string::npos);
}

TEST_CASE("disk_cache: a full disk is said once, and leaves no half entry") {
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

TEST_CASE("disk_cache: code that others can have written is not taken") {
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

TEST_CASE("disk_cache: a directory that others can write to is not used, which is said") {
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

TEST_CASE("disk_cache: the oldest entries go when it is full, use makes an entry young") {
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
