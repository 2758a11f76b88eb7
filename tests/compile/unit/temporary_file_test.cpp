#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinter/compile/unit/temporary_file.hpp>

using namespace sinter::detail::compiler;

namespace {

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

TEST_CASE("file: an anonymous file holds what was written, from its start") {
  const std::string content(200'000, 'x');
  const File file = anonymous_file(content);

  REQUIRE(file);
  CHECK(file.descriptor() > 2);
  CHECK(lseek(file.descriptor(), 0, SEEK_CUR) == 0);
  CHECK(read_all(file) == content);
  CHECK(read_all(anonymous_file()) == "");
}

TEST_CASE("file: is closed once, also after a move") {
  File first = anonymous_file("a");
  const int descriptor = first.descriptor();

  File second = std::move(first);
  CHECK_FALSE(first);
  CHECK(fcntl(descriptor, F_GETFD) >= 0);
  second.close();

  CHECK(fcntl(descriptor, F_GETFD) < 0);
  CHECK_FALSE(second);
}

TEST_CASE("file: is not inherited by programs that others start") {
  CHECK((fcntl(anonymous_file().descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("file: write_file makes private files and overwrites nothing") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/file";

  CHECK(write_file(path, "first"));
  CHECK_FALSE(write_file(path, "second"));

  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(read_all(File(open(path.c_str(), O_RDONLY))) == "first");
}

TEST_CASE("file: the next process removes directories of killed processes") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const TemporaryDirectory left;
    write_file(left.path() + "/kernels.cpp", "int x;");
    const ssize_t count = write(ends[1], left.path().data(), left.path().size());
    raise(count > 0 ? SIGKILL : SIGTERM);
  }
  waitpid(child, nullptr, 0);
  char path[256]{};
  REQUIRE(read(ends[0], path, sizeof(path) - 1) > 0);
  close(ends[0]), close(ends[1]);
  REQUIRE(exists(path));
  TemporaryDirectory living, kept;
  kept.keep();

  const std::string root = living.path().substr(0, living.path().rfind('/'));
  sinter::detail::compiler::detail::remove_abandoned(root);

  CHECK_FALSE(exists(path));
  CHECK(exists(living.path()));
  CHECK(exists(kept.path()));
  rmdir(kept.path().c_str());
}

TEST_CASE("file: a temporary directory goes with its files, unless it is kept") {
  std::string gone, kept;
  {
    TemporaryDirectory first, second;
    gone = first.path();
    kept = second.path();
    CHECK(gone != kept);
    CHECK(write_file(gone + "/file", "content"));
    second.keep();
  }
  CHECK_FALSE(exists(gone));
  CHECK(exists(kept));
  rmdir(kept.c_str());
}
