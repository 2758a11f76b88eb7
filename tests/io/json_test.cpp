// JSON as headers of files use it.

#include <sinter/io/json.hpp>

#include "io/support.hpp"

using namespace testing;

namespace {

const io::Access nowhere{"test", "file", Where::current()};

io::Scanner scan(std::string_view text) { return {nowhere, "the text", text}; }

std::string string(std::string_view text) {
  io::Scanner scanner = scan(text);
  const std::string result = io::read_json_string(scanner);
  scanner.end();
  return result;
}

// "a=1 b=2 " for an object of integers.
std::string object(std::string_view text) {
  io::Scanner scanner = scan(text);
  std::string result;
  io::read_json_object(scanner, [&](const std::string& key) {
    result += sinter::detail::text(key, "=", scanner.integer(), " ");
  });
  scanner.end();
  return result;
}

std::string array(std::string_view text) {
  io::Scanner scanner = scan(text);
  std::string result;
  io::read_json_array(scanner, [&] { result += sinter::detail::text(scanner.integer(), " "); });
  scanner.end();
  return result;
}

}  // namespace

TEST_CASE("json: strings have escapes, and characters beyond the first 65536 as two") {
  CHECK(string(R"("plain")") == "plain");
  CHECK(string(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(string(R"("\u0041\u00e4\u20AC\ud83d\uDE00")") == "A\u00e4\u20ac\U0001f600");
  CHECK(string(R"("\u0000")") == std::string(1, '\0'));
  CHECK(string("\"\u00e4\"") == "\u00e4");
}

TEST_CASE("json: strings that are no JSON are refused") {
  refuses("goes on", [] { string("\"open"); });
  refuses("goes on", [] { string("\"open\\"); });
  refuses("this escape", [] { string(R"("\x41")"); });
  refuses("four hexadecimal digits", [] { string(R"("\u12g4")"); });
  refuses("goes on", [] { string(R"("\u12)"); });
  refuses("surrogates", [] { string(R"("\ud83d")"); });
  refuses("surrogates", [] { string(R"("\ud83d\u0041")"); });
  refuses("surrogates", [] { string(R"("\ude00\ud83d")"); });
  refuses("control codes", [] { string("\"a\nb\""); });
  refuses("here comes \"", [] { string("'a'"); });
}

TEST_CASE("json: what is written as a string is read as the same string") {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  all += "\u00e4\u20ac\U0001f600";
  CHECK(string(io::json_string(all)) == all);
  CHECK(io::json_string("a\"\\\n\x01/") == R"("a\"\\\n\u0001/")");
}

TEST_CASE("json: objects and arrays are read element by element") {
  CHECK(object("{}").empty());
  CHECK(object(R"({ "b" : 2 , "a":1})") == "b=2 a=1 ");
  CHECK(array("[]").empty());
  CHECK(array("[ 1,2 ]") == "1 2 ");
  refuses("the key a is there once", [] { object(R"({"a":1,"a":2})"); });
  refuses("the key a is there once", [] { object(R"({"a":1,"\u0061":2})"); });
  for (const char* wrong : {"", "{", R"({"a"})", R"({"a":1)", R"({"a":1,})", R"({,})", R"({a:1})",
                            R"({"a":1 "b":2})", R"({"a":1}})", "[1]"}) {
    refuses("format", [&] { object(wrong); });
  }
  for (const char* wrong : {"", "[", "[1", "[1,]", "[,]", "[1 2]", "[1]]", "{}", "[1.5]"}) {
    refuses("format", [&] { array(wrong); });
  }
}

TEST_CASE("json: values are skipped, whatever they are") {
  const io::Access access{"skip", "file", {}};
  const auto rest_of = [&](const std::string& text) {
    io::Scanner scanner(access, "the text", text);
    io::skip_json_value(scanner);
    return text.substr(scanner.position());
  };
  for (const char* value : {"1", "-1.5e+3", "true", "null", R"("a\"]}")", "[]", "{}",
                            R"({"a": [1, {"b": "]"}], "c": false})"}) {
    CHECK(rest_of(value + std::string(";1")) == ";1");
  }
  for (const char* wrong : {"", "[", "}", "[1", R"("a)", "?", R"({"a": )"}) {
    refuses("format", [&] { rest_of(wrong); });
  }
}

TEST_CASE("json: UTF-8 is checked as RFC 3629 has it") {
  for (const char* right : {"", "a", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff",
                            "\U00010000", "\U0010ffff"}) {
    CHECK(io::valid_utf8(right) == std::string_view(right).size());
  }
  for (const char* wrong : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xe2\x82",
                            "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80",
                            "\xf5\x80\x80\x80", "\xff", "\xc3\x28", "\xe2\x28\xa1"}) {
    const std::string text = std::string("ab") + wrong;
    CHECK(io::valid_utf8(text) == 2);
  }
}
