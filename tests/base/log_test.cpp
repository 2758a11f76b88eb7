#include <doctest/doctest.h>
#include <sinter/base/log.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace sinter;

namespace {

// What `body` writes to standard error.
template <class Body>
std::string errors_of(Body body) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int saved = dup(2);
  dup2(fileno(file), 2);
  body();
  std::fflush(stderr);
  dup2(saved, 2);
  close(saved);
  std::string result(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  const std::size_t read = std::fread(result.data(), 1, result.size(), file);
  std::fclose(file);
  return result.substr(0, read);
}

struct ScopedLogs {
  explicit ScopedLogs(const char* list) { setenv("SINTER_LOGS", list, 1); }
  ~ScopedLogs() { unsetenv("SINTER_LOGS"); }
};

}  // namespace

TEST_CASE("log: the names are those that SINTER_LOGS documents, in its order") {
  std::string list;
  for (const std::string_view name : log_names) list += text(list.empty() ? "" : ",", name);
  CHECK(info(Env::logs).values == list);
  CHECK(to_string(Log::breaks) == "breaks");
  CHECK(to_string(Log::cache) == "cache");
}

TEST_CASE("log: a list names a kind as a whole word; all names every kind") {
  CHECK(names("fusion", Log::fusion));
  CHECK(names("code,fusion,memory", Log::fusion));
  CHECK(names("code,fusion", Log::code));
  CHECK(names("all", Log::guards));
  CHECK_FALSE(names("", Log::fusion));
  CHECK_FALSE(names("fus,fusions,,x", Log::fusion));
}

TEST_CASE("log: writes one line with the kind, and nothing for kinds not named") {
  const ScopedLogs logs("fusion,code");
  CHECK(errors_of([] { log(Log::fusion, "2 nodes in one kernel"); }) ==
        "sinter[fusion]: 2 nodes in one kernel\n");
  CHECK(errors_of([] { log(Log::memory, "4 KiB"); }) == "");
}

TEST_CASE("warn: writes whatever SINTER_LOGS says") {
  CHECK(errors_of([] { warn("no compiler"); }) == "sinter: no compiler\n");
}
