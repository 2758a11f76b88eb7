#include <doctest/doctest.h>

#include <string>

#include <sinter/compile/unit/translation_unit.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

namespace {

Source source(const std::string& name, const std::string& text, std::uint64_t key) {
  return {.language = Language::cpp, .name = name, .text = text, .key = {key, key}};
}

}  // namespace

TEST_CASE("translation_unit: kernels with the same key are in the text once") {
  TranslationUnit unit{.prelude = "// prelude\n"};
  for (int layer = 0; layer < 64; ++layer) {
    unit.kernels.push_back(source("add", "void add() {}", 1));
    unit.kernels.push_back(source("mul", "void mul() {}", 2));
  }

  const UnitText result = assemble(unit);

  CHECK(result.text == "// prelude\nvoid add() {}\nvoid mul() {}\n");
  REQUIRE(result.members.size() == 2);
  CHECK(result.members[0].key == Hash{1, 1});
  CHECK(result.members[1].symbol == "mul");
}

TEST_CASE("translation_unit: different kernels with one name get unique names") {
  TranslationUnit unit;
  unit.kernels = {source("add", "void add() {}", 1), source("add", "void add() {;}", 2),
                  source("add", "void add() {;;}", 3)};

  const UnitText result = assemble(unit);

  CHECK(result.text ==
        "void add() {}\n"
        "#define add add_2\nvoid add() {;}\n#undef add\n"
        "#define add add_3\nvoid add() {;;}\n#undef add\n");
  CHECK(result.members[2].symbol == "add_3");
}
