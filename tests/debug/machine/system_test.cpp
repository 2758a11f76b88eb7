#include <doctest/doctest.h>
#include <sys/stat.h>  // mkdir, chmod
#include <unistd.h>    // geteuid

#include <string>

#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/debug/machine/system.hpp>

using namespace sinter::detail;
using namespace sinter::detail::debug;

TEST_CASE("system: values of /etc/os-release") {
  const std::string lines = "NAME=\"A B\"\nID=debian\nID_LIKE=\n# x\nIDX=7\nLAST=end";
  CHECK(value_in(lines, "NAME") == "A B");
  CHECK(value_in(lines, "ID") == "debian");
  CHECK(value_in(lines, "ID_LIKE") == "");
  CHECK(value_in(lines, "LAST") == "end");
  CHECK(value_in(lines, "NONE") == "");
}

TEST_CASE("system: the command that installs a compiler is that of the distribution") {
  const auto command = [](const char* os, bool root) {
    return install_command(Package::compiler, os, root);
  };
  CHECK(command("ID=debian\n", true) == "apt-get update && apt-get install -y g++");
  CHECK(command("ID=debian\n", false) == "sudo apt-get update && sudo apt-get install -y g++");
  CHECK(command("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", true) ==
        "apt-get update && apt-get install -y g++");
  CHECK(command("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", true) ==
        "dnf install -y gcc-c++");
  CHECK(command("ID=alpine\n", true) == "apk add g++");
  CHECK(command("ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", false) ==
        "sudo zypper install -y gcc-c++");
  CHECK(command("", true).find("g++ 12") != std::string::npos);
  CHECK(install_command(Package::nvidia_driver, "ID=ubuntu\nID_LIKE=debian\n", true) ==
        "ubuntu-drivers install");
  CHECK(install_command(Package::nvidia_driver, "ID=alpine\n", true).find("nvidia.com") !=
        std::string::npos);
}

TEST_CASE("system: users, bytes and words of a shell") {
  CHECK(user_text(0) == "root (uid 0)");
  CHECK(user_text(4'000'000'000u) == "uid 4000000000");
  CHECK(bytes_text(0) == "0 bytes");
  CHECK(bytes_text(1023) == "1023 bytes");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(std::uint64_t{300} << 20) == "300 MiB");
  CHECK(bytes_text(std::uint64_t{3} << 39) == "1.5 TiB");
  CHECK(quoted("/a/b-1_2.c+") == "/a/b-1_2.c+");
  CHECK(quoted("/a b") == "'/a b'");
  CHECK(quoted("it's") == "'it'\\''s'");
  CHECK(quoted("") == "''");
}

TEST_CASE("system: space is that of the nearest folder that exists") {
  const compiler::TemporaryDirectory folder;
  const Space here = space_of(folder.path()), below = space_of(folder.path() + "/x/y/z");
  REQUIRE(here.known);
  CHECK(here.total > 0);
  CHECK(below.total == here.total);
  CHECK_FALSE(space_of("a folder that does not exist").known);
}

TEST_CASE("system: a folder for a cache is this user's, and not the one that failed") {
  const compiler::TemporaryDirectory folder;
  CHECK(why_not_writable(folder.path(), 1000) == "");
  CHECK(why_not_writable(folder.path() + "/none", 1) == "No such file or directory");
  CHECK(can_hold_cache(folder.path()));
  CHECK(can_hold_cache(folder.path() + "/new"));
  CHECK_FALSE(can_hold_cache(folder.path() + "/new/er"));
  CHECK_FALSE(can_hold_cache("/etc/passwd"));
  chmod(folder.path().c_str(), 0777);
  CHECK_FALSE(can_hold_cache(folder.path()));
  const std::string first = cache_folder_with_room("");
  if (!first.empty()) CHECK(cache_folder_with_room(first) != first);
}

TEST_CASE("system: what cannot be read is empty") {
  CHECK(small_file("/proc/self/none") == "");
  CHECK(small_file("/proc/self/status").find("Name:") == 0);
}
