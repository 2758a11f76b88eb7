#include <doctest/doctest.h>
#include <sinter/codegen/writer.hpp>

using namespace sinter;

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

TEST_CASE("writer: remarks stand in a column of their own") {
  codegen::Writer writer;
  writer.line("a;", "add");
  writer.line(std::string(70, 'b') + ";", "mul");

  CHECK(writer.str().find("// add") == 64);
  CHECK(writer.str().find("; // mul\n") != std::string::npos);
}
