// The cost of #include <sinter/sinter.hpp> with precompiled definitions: the headers that it reads,
// ours and those of the standard library. Every translation unit of every user pays for each of
// them.

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "repository.hpp"

using namespace repository;

namespace {

// The standard headers that contracts may use. Others belong into an .ipp, which is read once.
const std::set<std::string> standard_headers{"array",       "bit",
                                             "charconv",    "compare",
                                             "concepts",    "cstddef",
                                             "cstdint",     "initializer_list",
                                             "limits",      "map",
                                             "new",         "optional",
                                             "span",        "source_location",
                                             "stdexcept",   "string",
                                             "string_view", "tuple",
                                             "type_traits", "utility",
                                             "vector"};

// Of code: comments and indentation cost nothing.
constexpr std::size_t most_bytes = 488'000;

std::size_t bytes_of_code(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return 0;
  const std::size_t comment = std::min(line.find("// ", begin), line.find("/// ", begin));
  return std::min(comment, line.size()) - begin;
}

// The headers that `header` includes, but for those of the definitions.
std::vector<std::string> contract_includes(const fs::path& header) {
  std::vector<std::string> result;
  bool is_contract = true;
  for (const Line& line : lines_of(header)) {
    if (starts_with(line.text, "#ifdef SINTER_")) is_contract = false;
    if (starts_with(line.text, "#endif")) is_contract = true;
    const std::string included = included_file(line.text);
    if (is_contract && !included.empty()) result.push_back(included);
  }
  return result;
}

struct Reached {
  std::set<std::string> ours{}, others{};
};

void reach(const std::string& header, Reached& reached) {
  if (!reached.ours.insert(header).second) return;
  for (const std::string& included : contract_includes(root / "include" / header)) {
    if (starts_with(included, "sinter/")) {
      reach(included, reached);
    } else {
      reached.others.insert(included);
    }
  }
}

Reached reached_by_users() {
  Reached result;
  reach("sinter/sinter.hpp", result);
  return result;
}

}  // namespace

TEST_CASE("include: programs read few headers of the standard library") {
  const Reached reached = reached_by_users();
  CHECK(reached.ours.size() > 100);
  for (const std::string& header : reached.others) {
    if (starts_with(header, "boost/hana/")) continue;
    INFO("sinter/sinter.hpp reaches <" << header << ">: include it in an .ipp");
    CHECK(standard_headers.count(header) == 1);
  }
}

TEST_CASE("include: the headers of the library that programs read stay small") {
  std::size_t bytes = 0;
  for (const std::string& header : reached_by_users().ours) {
    INFO(header << " is a definition, which programs do not read");
    CHECK(fs::path(header).extension() == ".hpp");
    for (const Line& line : lines_of(root / "include" / header)) bytes += bytes_of_code(line.text);
  }
  CHECK(bytes > most_bytes / 2);
  CHECK(bytes <= most_bytes);
}
