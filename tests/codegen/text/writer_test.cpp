#include <doctest/doctest.h>
#include <sinter/codegen/text/writer.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("writer: blocks of C++ scope indent, and close their braces") {
  codegen::Writer writer;
  {
    const auto loop = writer.block("for (;;)");
    const auto test = writer.block("if (true)");
    writer.line("break;");
  }
  writer.line("return;");

  CHECK(writer.str() == "for (;;) {\n  if (true) {\n    break;\n  }\n}\nreturn;\n");
}

TEST_CASE("writer: remarks are in their own column") {
  codegen::Writer writer;
  writer.line("a;", "add");
  writer.line(std::string(70, 'b') + ";", "mul");

  CHECK(writer.str().find("// add") == 64);
  CHECK(writer.str().find("; // mul\n") != std::string::npos);
}

TEST_CASE("writer: remarks that do not fit on their line precede it") {
  codegen::Writer writer;
  writer.line(std::string(95, 'b') + ";", "mul");

  CHECK(writer.str().find("// mul\nbbb") == 0);
}

TEST_CASE("writer: long lines are broken after commas and before operators") {
  const std::string word(40, 'a');
  CHECK(codegen::wrapped("  f(" + word + ", " + word + ", " + word + ");") ==
        "  f(" + word + ", " + word + ",\n      " + word + ");");
  CHECK(codegen::wrapped(word + " ? " + word + " : " + word) ==
        word + " ? " + word + "\n    : " + word);
  CHECK(codegen::wrapped(std::string(120, 'a')) == std::string(120, 'a'));
  CHECK(codegen::wrapped("#define " + word + ", " + word + ", " + word).find('\n') ==
        std::string::npos);
}
