// Reading text token by token.

#include <sinter/io/scanner.hpp>

#include "io/support.hpp"

using namespace testing;

namespace {

const io::Access nowhere{"test", "file", Where::current()};

io::Scanner scan(std::string_view text) { return {nowhere, "the text", text}; }

std::int64_t integer(std::string_view text) { return scan(text).integer(); }

}  // namespace

TEST_CASE("scanner: tokens come one after the other, whatever white space is between") {
  io::Scanner scanner = scan(" { \t12\r\n,}x ");
  scanner.expect("{");
  CHECK(scanner.integer() == 12);
  CHECK_FALSE(scanner.accept("}"));
  CHECK(scanner.accept(",}"));
  CHECK(scanner.position() == 10);
  CHECK(scanner.next() == 'x');
  scanner.end();
}

TEST_CASE("scanner: integers are what std::int64_t holds, and nothing else") {
  CHECK(integer("0") == 0);
  CHECK(integer("9223372036854775807") == 9223372036854775807);
  CHECK(integer("7x") == 7);  // what follows is the next token
  for (const char* wrong : {"9223372036854775808", "-1", "+1", "01", "00", "", "x", ".5"}) {
    refuses("an integer is expected here", [&] { integer(wrong); });
  }
}

TEST_CASE("scanner: an error names the text, the entry, the position and what was found") {
  io::Scanner scanner = scan("{\"a\": nothing}");
  scanner.within("layer\n1");
  scanner.expect("{");
  CHECK(report_of<IoError>([&] { scanner.expect(":"); }) ==
        text("test: the text does not follow the format\n  file  file\n  entry layer\\x0a1\n"
             "  byte  1\n  found \"a\": nothing}\n  rule  here comes :\n"
             "  fix   the file is damaged, or is no such file: write it again\n  at    ",
             to_string(nowhere.where), "\n  see   docs/errors.md#files"));
  refuses("the text goes on", [] { scan("").next(); });
  refuses("the text ends here", [] { scan("x").end(); });
}
