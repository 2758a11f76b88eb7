// Functions stay short enough to be read at a glance.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "blanked.hpp"
#include "repository.hpp"

using namespace repository;

namespace {

constexpr std::size_t max_lines = 40;
constexpr const char* spaces = " \n";

// The lines of one function, from its head to its closing brace; the first line of a file is 1.
struct Function {
  std::size_t first;
  std::size_t last;
};

std::size_t line_of(const std::string& code, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// The position after the bracket that closes the one at `at`.
std::size_t after_closing(const std::string& code, std::size_t at, char open, char close) {
  std::size_t depth = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == open) ++depth;
    if (code[at] == close && --depth == 0) return at + 1;
  }
  return at;
}

std::string trimmed(const std::string& text) {
  const auto start = text.find_first_not_of(spaces);
  return start == std::string::npos ? "" : text.substr(start);
}

// What `head` declares, without the access label and template parameters in front.
std::string declared(std::string head) {
  head = trimmed(head);
  for (const char* label : {"public:", "protected:", "private:"}) {
    if (starts_with(head, label)) head = trimmed(head.substr(std::string(label).size()));
  }
  while (starts_with(head, "template")) {
    head = trimmed(head.substr(after_closing(head, head.find('<'), '<', '>')));
  }
  return head;
}

// Whether the brace after `head` opens statements, rather than declarations or a list of values.
bool opens_function(const std::string& head) {
  const std::string text = declared(head);
  for (const char* word : {"namespace ", "class ", "struct ", "union ", "enum ", "extern "}) {
    if (starts_with(text, word)) return false;
  }
  return contains(text, "(");
}

std::vector<Function> functions_in(const std::string& code) {
  std::vector<Function> result;
  std::size_t head = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == ';' || code[at] == '}') head = at + 1;
    if (code[at] != '{') continue;
    if (!opens_function(code.substr(head, at - head))) {
      head = at + 1;
      continue;
    }
    const std::size_t end = after_closing(code, at, '{', '}');
    const std::size_t first = std::min(code.find_first_not_of(spaces, head), at);
    result.push_back({line_of(code, first), line_of(code, end - 1)});
    const std::size_t next = code.find_first_not_of(spaces, end);
    const bool initializer = next != std::string::npos && (code[next] == ',' || code[next] == '{');
    if (!initializer) head = end;  // else the body of the constructor follows, with the same head
    at = end - 1;
  }
  return result;
}

// A table is as long as what it lists, and says so: a comment "Table: ..." stands above it.
bool is_table(const std::vector<Line>& lines, std::size_t first) {
  for (std::size_t above = first - 1; above > 0; --above) {
    const std::string text = trimmed(lines[above - 1].text);
    if (!starts_with(text, "//")) return false;
    if (starts_with(text, "// Table: ") || starts_with(text, "/// Table: ")) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("project: functions stay short, tables apart") {
  for (const auto& header : headers()) {
    const auto& lines = lines_of(header);
    for (const Function& function : functions_in(Blanked(read(header)).str())) {
      if (is_table(lines, function.first)) continue;
      INFO(lines[function.first - 1].place << ": " << lines[function.first - 1].text);
      CHECK(function.last - function.first + 1 <= max_lines);
    }
  }
}

TEST_CASE("project: the scan for functions finds heads, bodies and nothing else") {
  const std::string code = Blanked(R"x(#define OPEN {
namespace a {
// {{{
enum class Kind { one, two };
struct Thing {
  Thing(int n) : n_{n}, text_{"{"} {
    ++n_;
  }
  char brace() const { return '{'; }
  int n_ = 1'000;
};
template <class T>
int twice(
    T x) {
  if (x) {
    return 2;
  }
  return 0;
}
constexpr Row table[]{{1, 2},
                      {3, 4}};
}  // namespace a
)x")
                               .str();
  std::string found;
  for (const Function& f : functions_in(code)) {
    found += std::to_string(f.first) + "-" + std::to_string(f.last) + " ";
  }
  CHECK(found == "6-6 6-6 6-8 9-9 12-19 ");
}
