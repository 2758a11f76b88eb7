// Files: read at offsets, and replaced as a whole or not at all.

#include <sinter/base/file.hpp>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "io/support.hpp"

using namespace testing;
using io::InputFile;
using io::OutputFile;

namespace {

io::Access access(const std::string& path) { return {"test", path, Where::current()}; }

void write(const std::string& path, const std::string& bytes) {
  OutputFile file(access(path));
  file.write(bytes);
  file.commit();
}

// Runs `body` in a process of its own; gives what it returns, or -1 if it did not.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

unsigned mode_of(const std::string& path) {
  struct stat info {};
  stat(path.c_str(), &info);
  return info.st_mode & 0777;
}

}  // namespace

TEST_CASE("file: what is written is read, at any offset") {
  const Folder folder;
  write(folder / "a", "0123456789");
  const InputFile file(access(folder / "a"));
  CHECK(file.size() == 10);
  CHECK(file.read(0, 10) == "0123456789");
  CHECK(file.read(7, 2) == "78");
  CHECK(file.read(10, 0).empty());
  refuses("missing 1", [&] { file.read(8, 3); });
}

TEST_CASE("file: a file appears when it is committed, and nothing else is left") {
  const Folder folder;
  write(folder / "a", "old");
  {
    OutputFile file(access(folder / "a"));
    file.write("new");
    CHECK(read_bytes(folder / "a") == "old");
    CHECK(file.size() == 3);
  }
  CHECK(read_bytes(folder / "a") == "old");
  CHECK(folder.files() == 1);
  write(folder / "a", "new");
  CHECK(read_bytes(folder / "a") == "new");
  CHECK(folder.files() == 1);
}

TEST_CASE("file: a process that dies while it writes leaves the old file") {
  const Folder folder;
  write(folder / "a", "old");
  const int status = in_child([&] {
    OutputFile file(access(folder / "a"));
    file.write(std::string(1 << 20, 'x'));
    return 3;  // without destructors
  });
  CHECK(status == 3);
  CHECK(read_bytes(folder / "a") == "old");
  write(folder / "a", "new");  // what the other left is no obstacle
  CHECK(read_bytes(folder / "a") == "new");
}

TEST_CASE("file: a full disk is an error, and leaves the old file") {
  const Folder folder;
  write(folder / "a", "old");
  const int status = in_child([&] {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
      write(folder / "a", std::string(1 << 20, 'x'));
    } catch (const IoError& error) {
      return contains(error.what(), "free disk space") ? 7 : 8;
    }
    return 9;
  });
  CHECK(status == 7);
  CHECK(read_bytes(folder / "a") == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("file: what is no file is refused") {
  const Folder folder;
  refuses("relative ones start at", [&] { InputFile(access(folder / "none")); });
  refuses("not a regular file", [&] { InputFile(access(folder.directory.path())); });
  refuses("not a regular file", [&] { OutputFile(access(folder.directory.path())); });
  refuses("not a regular file", [] { OutputFile(access("/dev/null")); });
  refuses("the path is empty", [] { OutputFile(access("")); });
  refuses("make the folder", [&] { OutputFile(access(folder / "none/a")); });
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  refuses("not a regular file", [&] { InputFile(access(folder / "pipe")); });
  refuses("not a regular file", [&] { OutputFile(access(folder / "pipe")); });
  CHECK(folder.files() == 1);
}

TEST_CASE("file: a symbolic link stays one, and the mode of a file stays its own") {
  const Folder folder;
  write(folder / "a", "old");
  CHECK((mode_of(folder / "a") & 0600) == 0600);
  REQUIRE(symlink((folder / "a").c_str(), (folder / "link").c_str()) == 0);
  REQUIRE(chmod((folder / "a").c_str(), 0640) == 0);
  write(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_bytes(folder / "a") == "new");
  CHECK(mode_of(folder / "a") == 0640);
}

TEST_CASE("file: text of files is shown on one line, and cut") {
  CHECK(io::shown("a\n\x1b[31m\x7f b") == "a\\x0a\\x1b[31m\\x7f b");
  CHECK(io::shown(std::string(1000, 'x')).size() == 203);
}
