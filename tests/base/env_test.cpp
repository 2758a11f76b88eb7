#include <doctest/doctest.h>
#include <sinter/base/env.hpp>

#include <cstdlib>
#include <set>
#include <string>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("env: the table has a row for each variable, in the order of Env") {
  CHECK(info(Env::cache_dir).name == "SINTER_CACHE_DIR");
  CHECK(info(Env::cache_limit).name == "SINTER_CACHE_LIMIT");
  CHECK(info(Env::logs).name == "SINTER_LOGS");
  CHECK(info(Env::dump).name == "SINTER_DUMP");
  CHECK(info(Env::check).name == "SINTER_CHECK");
  CHECK(info(Env::num_threads).name == "SINTER_NUM_THREADS");
  CHECK(info(Env::cxx).name == "SINTER_CXX");
  CHECK(info(Env::verify).name == "SINTER_VERIFY");
  CHECK(info(Env::vector_bits).name == "SINTER_VECTOR_BITS");
  std::set<std::string_view> names;
  for (const EnvVariable& variable : env_table) names.insert(variable.name);
  CHECK(names.size() == env_table.size());
}

TEST_CASE("env: reads the environment anew on each call") {
  setenv("SINTER_DUMP", "somewhere", 1);
  CHECK(env(Env::dump) == "somewhere");
  unsetenv("SINTER_DUMP");
  CHECK(env(Env::dump) == "");
}

TEST_CASE("env: a flag is set by anything but nothing and 0") {
  unsetenv("SINTER_DUMP");
  CHECK_FALSE(env_flag(Env::dump));
  for (const char* value : {"", "0"}) {
    setenv("SINTER_DUMP", value, 1);
    CHECK_FALSE(env_flag(Env::dump));
  }
  for (const char* value : {"1", "yes", "00"}) {
    setenv("SINTER_DUMP", value, 1);
    CHECK(env_flag(Env::dump));
  }
  unsetenv("SINTER_DUMP");
}
