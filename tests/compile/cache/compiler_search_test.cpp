#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sinter/compile/cache/compiler_search.hpp>
#include <sinter/compile/host/compiler.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

namespace {

// Sets a variable of the environment for a while.
struct ScopedSetting {
  ScopedSetting(const char* variable, const char* value) : name(variable) {
    if (const char* const old = std::getenv(name)) before = old;
    setenv(name, value, 1);
  }
  ~ScopedSetting() { before.empty() ? unsetenv(name) : setenv(name, before.c_str(), 1); }
  const char* name;
  std::string before{};
};

DiskCache& nothing_known() {
  static DiskCache cache("");
  return cache;
}

}  // namespace

TEST_CASE("compiler_search: SINTER_CXX may be a command, \"ccache g++\", or a path with a space") {
  const TemporaryDirectory directory;
  const std::string calls = directory.path() + "/calls", cache = directory.path() + "/my cache";
  for (const std::string& path : {directory.path() + "/launch", cache}) {
    REQUIRE(write_file(path, "#!/bin/sh\necho \"$1\" >> '" + calls + "'\n" +
                                 (path == cache ? "exec c++ \"$@\"\n" : "exec \"$@\"\n")));
    REQUIRE(chmod(path.c_str(), 0700) == 0);
  }
  for (const std::string& command : {directory.path() + "/launch c++ -fno-plt", cache}) {
    const ScopedSetting chosen("SINTER_CXX", command.c_str());
    unlink(calls.c_str());
    const auto compiler = host_compiler(nothing_known());
    REQUIRE(compiler != nullptr);

    HostCompiler by_driver = *compiler;
    by_driver.translate.clear(), by_driver.link.clear();

    CHECK(compile_host(by_driver, {}, "int x;").size() > 0);
    CHECK(read_all(File(open(calls.c_str(), O_RDONLY))).value_or("").size() > 0);
  }
}

TEST_CASE("compiler_search: without one there is a reason") {
  {
    const ScopedSetting chosen("SINTER_CXX", "no-such-compiler");
    CHECK(host_compiler(nothing_known()) == nullptr);
    CHECK(host_compiler_missing() == "SINTER_CXX=no-such-compiler is not a C++ compiler");
  }
  {
    const ScopedSetting path("PATH", "/nonexistent:");
    CHECK(host_compiler(nothing_known()) == nullptr);
    CHECK(host_compiler_missing() == "there is no c++, g++ or clang++ on PATH (/nonexistent:)");
  }
  CHECK(host_compiler(nothing_known()) != nullptr);
}

TEST_CASE("compiler_search: the probe is cached on disk until the file changes") {
  const TemporaryDirectory home, tools;
  DiskCache cache(home.path());
  const std::string path = tools.path() + "/cxx", count = tools.path() + "/count";
  const auto install = [&](const std::string& version) {
    std::remove(path.c_str());
    REQUIRE(write_file(path, "#!/bin/sh\necho x >> " + count + "\necho 'clang version " + version +
                                 "'\necho 'Target: t'\n"));
    REQUIRE(chmod(path.c_str(), 0700) == 0);
  };
  const auto runs = [&] {
    return read_all(File(open(count.c_str(), O_RDONLY))).value().size() / 2;
  };

  install("1");
  CHECK(probe(path, cache).value().identity == "clang version 1, t");
  CHECK(probe(path, cache).value().identity == "clang version 1, t");
  CHECK(runs() == 1);

  install("20");
  CHECK(probe(path, cache).value().identity == "clang version 20, t");
  CHECK(runs() == 2);
}
