#include <doctest/doctest.h>
#include <sinter/base/source.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("source: its key is not its text, which names lines of the user") {
  const Source here{Language::cpp, "add", "// model.cpp:3\n", hash_of("add f32")};
  const Source moved{Language::cpp, "add", "// model.cpp:4\n", hash_of("add f32")};
  CHECK(here.key == moved.key);
  CHECK(here.text != moved.text);
}
