#include <doctest/doctest.h>
#include <sinter/base/log.hpp>

#include <cstdlib>

#include "captured_output.hpp"

using namespace sinter;
using namespace sinter::detail;
using testing::said;

namespace {

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

TEST_CASE("log: words that name nothing are told once for each list, with those that do") {
  CHECK(unknown_words("fusion,,all,cache") == "");
  CHECK(unknown_words("fus,code, fusion") == "fus,  fusion");
  const ScopedLogs logs("fus,code");
  const std::string told = said([] { log(Log::fusion, "2 nodes in one kernel"); });
  CHECK(told.find("SINTER_LOGS names fus, ") != std::string::npos);
  CHECK(told.find("breaks,recompiles,") != std::string::npos);
  CHECK(said([] { log(Log::fusion, "2 nodes in one kernel"); }) == "");
}

TEST_CASE("log: writes one line with the kind, and nothing for kinds not named") {
  const ScopedLogs logs("fusion,code");
  CHECK(said([] { log(Log::fusion, "2 nodes in one kernel"); }) ==
        "sinter[fusion]: 2 nodes in one kernel\n");
  CHECK(said([] { log(Log::memory, "4 KiB"); }) == "");
}

TEST_CASE("warn: writes whatever SINTER_LOGS says") {
  CHECK(said([] { warn("no compiler"); }) == "sinter: no compiler\n");
}

TEST_CASE("log: within a named function each line has its name, once") {
  const ScopedLogs logs("code,recompiles");
  const LogScope outer("classifier");
  CHECK(said([] { log(Log::code, "chain\nvoid f() {\n}\n"); }) ==
        "sinter[code]: classifier: chain\nsinter[code]: classifier: void f() {\n"
        "sinter[code]: classifier: }\n");
  CHECK(said([] { warn("no compiler"); }) == "sinter: classifier: no compiler\n");
  CHECK(
      said([] { log(Log::recompiles, "classifier at a.cpp:3: x\n  classifier at a.cpp:3: y"); }) ==
      "sinter[recompiles]: classifier at a.cpp:3: x\n"
      "sinter[recompiles]:   classifier at a.cpp:3: y\n");
  {
    const LogScope inner("");
    CHECK(said([] { log(Log::code, "a\nb"); }) == "sinter[code]: a\nb\n");
  }
  CHECK(said([] { log(Log::code, "a"); }) == "sinter[code]: classifier: a\n");
}
