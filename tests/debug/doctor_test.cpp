#include <doctest/doctest.h>
#include <sys/mount.h>  // mount, umount
#include <sys/stat.h>   // mkdir, chmod
#include <sys/wait.h>   // waitpid
#include <unistd.h>     // chown, chroot, fork

#include <cstdlib>
#include <fstream>
#include <string>

#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/debug/doctor.hpp>
#include <sinter/debug/machine/system.hpp>

#include "skip.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

using State = Finding::State;
using Folder = compiler::TemporaryDirectory;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Sets or, with null, unsets an environment variable for a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    const char* const before = std::getenv(name);
    was_set_ = before != nullptr;
    if (was_set_) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  Variable(const char* name, const std::string& value) : Variable(name, value.c_str()) {}
  ~Variable() { was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  bool was_set_ = false;
  std::string before_{};
};

// The worst finding about `topic`.
Finding finding(const Doctor& doctor, const std::string& topic) {
  Finding result{.topic = "none"};
  for (const Finding& one : doctor.findings) {
    if (one.topic == topic && (result.topic == "none" || one.state > result.state)) result = one;
  }
  INFO(topic);
  CHECK(result.topic == topic);
  return result;
}

void write_program(const std::string& path, const std::string& text) {
  std::ofstream(path) << "#!/bin/sh\n" << text;
  chmod(path.c_str(), 0755);
}

// Runs the first line of the way to mend it, in a shell.
void mend(const Finding& finding) {
  const std::string command = finding.fix.substr(0, finding.fix.find('\n'));
  INFO(command);
  CHECK(std::system(command.c_str()) == 0);
}

}  // namespace

TEST_CASE("doctor: this machine compiles kernels, and each topic has a line") {
  const Folder folder;
  const Variable cache("SINTER_CACHE_DIR", folder.path());
  const Doctor seen = doctor();
  const std::string text = to_string(seen);
  INFO(text);
  for (const char* const topic :
       {"sinter", "compiler", "vectors", "kernel", "temporary", "threads", "cache"}) {
    CHECK(finding(seen, topic).state == State::good);
    CHECK(contains(text, topic));
  }
  CHECK(contains(text, "driver"));
  CHECK(contains(text, "nvrtc"));
  CHECK(contains(text, folder.path()));
  CHECK(seen.ok() == !contains(text, "PROBLEM"));  // a GPU may lack its driver
  CHECK(seen.ok() == contains(text, "\n0 problems, "));
}

TEST_CASE("doctor: without a compiler it gives the command that installs one") {
  const Variable path("PATH", "/nonexistent");
  const Variable chosen("SINTER_CXX", nullptr);
  const Doctor seen = doctor();
  const Finding compiler = finding(seen, "compiler");
  CHECK(compiler.state == State::problem);
  CHECK(contains(compiler.text, "there is no c++, g++ or clang++ on PATH (/nonexistent)"));
  CHECK(contains(compiler.fix, "install"));
  CHECK_FALSE(seen.ok());
  for (const Finding& one : seen.findings) CHECK(one.topic != "kernel");
}

TEST_CASE("doctor: a wrong SINTER_CXX is unset") {
  const Variable chosen("SINTER_CXX", "/bin/false");
  const Finding compiler = finding(doctor(), "compiler");
  CHECK(compiler.state == State::problem);
  CHECK(contains(compiler.text, "/bin/false does not work: status 1"));
  CHECK(compiler.fix == "unset SINTER_CXX");
  const Variable mended("SINTER_CXX", nullptr);
  CHECK(finding(doctor(), "compiler").state == State::good);
}

TEST_CASE("doctor: a compiler that is damaged is quoted") {
  const Folder folder;
  const Variable path("PATH", folder.path());
  const Variable chosen("SINTER_CXX", nullptr);
  write_program(folder.path() + "/g++",
                "echo 'g++: fatal error: cannot execute cc1plus'; exit 1\n");
  CHECK(contains(finding(doctor(), "compiler").text, "cannot execute cc1plus"));
  // One that answers, but does not compile.
  write_program(folder.path() + "/g++",
                "for word; do case $word in\n"
                "-###) echo 'x version 1 of y' ; exit 0 ;; esac; done\n"
                "echo 'as: no such file'; exit 1\n");
  const Doctor seen = doctor();
  CHECK(finding(seen, "compiler").state == State::good);
  const Finding kernel = finding(seen, "kernel");
  CHECK(kernel.state == State::problem);
  CHECK(contains(kernel.text, "as: no such file"));
  CHECK(contains(kernel.fix, "SINTER_CXX"));
}

TEST_CASE("doctor: a wrong width of vectors, and unknown variables") {
  const Variable bits("SINTER_VECTOR_BITS", "100"), wrong("SINTER_LOG", "fusion");
  const Variable logs("SINTER_LOGS", "fusions");
  const Doctor seen = doctor();
  CHECK(finding(seen, "vectors").fix == "unset SINTER_VECTOR_BITS");
  const std::string text = to_string(seen);
  CHECK(contains(text, "sinter reads no SINTER_LOG=fusion"));
  CHECK(contains(text, "unset SINTER_LOG\n"));
  CHECK(contains(text, "SINTER_LOGS has no fusions"));
}

TEST_CASE("doctor: a cache that others can write to, and one that is a file, are mended") {
  const Folder folder;
  const std::string path = folder.path() + "/the cache";
  const Variable cache("SINTER_CACHE_DIR", path);
  mkdir(path.c_str(), 0700);
  chmod(path.c_str(), 0777);
  const Finding open = finding(doctor(), "cache");
  CHECK(open.state == State::problem);
  CHECK(contains(open.text, "other users can write to it"));
  mend(open);
  CHECK(finding(doctor(), "cache").state == State::good);

  rmdir(path.c_str());
  std::ofstream(path) << "a file";
  const Finding file = finding(doctor(), "cache");
  CHECK(contains(file.text, "it is not a folder"));
  mend(file);
  CHECK(finding(doctor(), "cache").state == State::good);
  rmdir(path.c_str());
  unlink((path + ".old").c_str());
}

TEST_CASE("doctor: a cache without a folder, or below a file") {
  const Variable chosen("SINTER_CACHE_DIR", nullptr), xdg("XDG_CACHE_HOME", nullptr);
  const Variable home("HOME", nullptr);
  const Finding none = finding(doctor(), "cache");
  CHECK(none.state == State::problem);
  CHECK(contains(none.text, "neither SINTER_CACHE_DIR nor HOME is set"));
  CHECK(contains(none.fix, "export SINTER_CACHE_DIR="));
  const Variable below("SINTER_CACHE_DIR", "/etc/passwd/x");
  CHECK(contains(finding(doctor(), "cache").text, "it cannot be made: Not a directory"));
}

TEST_CASE("doctor: a cache of another user is left alone") {
  if (geteuid() != 0) SINTER_SKIP("files of other users need root");
  const Folder folder;
  const std::string path = folder.path() + "/cache";
  const Variable cache("SINTER_CACHE_DIR", path);
  mkdir(path.c_str(), 0700);
  REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
  const Finding other = finding(doctor(), "cache");
  CHECK(other.state == State::problem);
  CHECK(contains(other.text, "it belongs to another user, uid 12345, and this is root (uid 0)"));
  CHECK(contains(other.fix, "export SINTER_CACHE_DIR="));
  CHECK(contains(other.fix, "rm -r " + path));
  CHECK(access(path.c_str(), F_OK) == 0);
  rmdir(path.c_str());
}

TEST_CASE("doctor: a full disk is named, with what frees room") {
  const Folder folder;
  if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    SINTER_SKIP("no file system can be mounted here, to fill it");
  }
  {
    const Variable cache("SINTER_CACHE_DIR", folder.path() + "/cache");
    const Variable temporary("TMPDIR", folder.path());
    const Doctor seen = doctor();
    const Finding full = finding(seen, "cache"), files = finding(seen, "temporary");
    INFO(to_string(seen));
    CHECK(full.state == State::problem);
    CHECK(contains(full.text, "it cannot be written: No space left on device"));
    CHECK(contains(full.fix, "export SINTER_CACHE_DIR="));
    CHECK_FALSE(contains(full.fix, folder.path()));
    CHECK(files.state == State::problem);
    CHECK(contains(files.text, folder.path() + ": No space left on device"));
    CHECK(contains(files.fix, "TMPDIR"));
  }
  umount(folder.path().c_str());
}

TEST_CASE("doctor: an empty root is told what it lacks") {
  if (geteuid() != 0) SINTER_SKIP("chroot needs root");
  const Folder root;
  const std::string answer = root.path() + "/answer";
  const pid_t child = fork();
  if (child == 0) {
    if (chroot(root.path().c_str()) != 0 || chdir("/") != 0) _exit(2);
    unsetenv("HOME"), unsetenv("SINTER_CACHE_DIR"), unsetenv("XDG_CACHE_HOME");
    unsetenv("SINTER_CXX"), unsetenv("TMPDIR");
    const Doctor seen = doctor();
    std::ofstream("/answer") << to_string(seen);
    _exit(seen.ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  const std::string seen = debug::small_file(answer);
  INFO(seen);
  CHECK(contains(seen, "there is no c++, g++ or clang++ on PATH"));
  CHECK(contains(seen, "install g++ 12 or clang++ 16, or newer"));
  CHECK(contains(seen, "neither TMPDIR, /tmp, /var/tmp nor /dev/shm can be written"));
  CHECK(contains(seen, "neither SINTER_CACHE_DIR nor HOME is set"));
  CHECK(contains(seen, "3 problems"));
}

TEST_CASE("doctor: the hit rate counts the kernels of this process") {
  const compiler::FreshCache fresh;
  compiler::TranslationUnit unit;
  Source kernel{.language = Language::cpp, .name = "one", .text = "extern \"C\" void one() {}"};
  kernel.key = hash_of("doctor_test one");
  unit.kernels.push_back(kernel);
  REQUIRE(compiler::load_or_compile(unit) != nullptr);
  compiler::forget_kernels();
  REQUIRE(compiler::load_or_compile(unit) != nullptr);
  const Finding cache = finding(doctor(), "cache");
  INFO(cache.text);
  CHECK(contains(cache.text, fresh.directory()));
  CHECK(contains(cache.text, "hit rate "));
  CHECK(contains(cache.text, "this process: "));
}
