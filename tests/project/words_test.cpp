// One word per idea, and the field's own. Rejects private words that sinter once used;
// docs/glossary.md has the terms that are used instead.

#include <doctest/doctest.h>

#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "repository.hpp"

using namespace repository;

namespace {

// In names of files and types: "row_team.hpp", "TeamOfThreads".
const std::set<std::string> private_names{
    "again",   "asked",  "begun",  "beside", "cluster", "clusterer", "clusters", "companion",
    "contest", "dear",   "demand", "joint",  "kept",    "lasting",   "misfit",   "spoilt",
    "squares", "steady", "survey", "team",   "turned",  "turner",    "surveyor", "winners"};

// In comments, logs and documentation.
const std::vector<std::string> private_phrases{
    "so manieth",     "had better", "is to be had",    "what is there of",
    "is gone along",  "goes along", "companion",       "beside rows",
    "computed again", "in turns",   "past the caches", "peak and shift"};

// The words of "FusionGroup" or "fusion_group".
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> result(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool begins = std::isupper(c) != 0 && i > 0;
    if ((begins || c == '_') && !result.back().empty()) result.emplace_back();
    if (c != '_') result.back() += static_cast<char>(std::tolower(c));
  }
  return result;
}

void check_name(const std::string& place, const std::string& name) {
  for (const std::string& word : words_of(name)) {
    INFO(place << ": \"" << name << "\" has the private word \"" << word << "\"");
    CHECK(private_names.count(word) == 0);
  }
}

// The name that `line` declares a type of, or "".
std::string declared_type(const std::string& line) {
  for (const std::string start : {"struct ", "class ", "enum class "}) {
    if (!starts_with(line, start)) continue;
    std::size_t end = start.size();
    while (end < line.size() && std::isalnum(static_cast<unsigned char>(line[end])) != 0) ++end;
    return line.substr(start.size(), end - start.size());
  }
  return "";
}

}  // namespace

TEST_CASE("project: files and types are called by the words of the field") {
  for (const auto& header : headers()) {
    check_name(name_of(header), header.stem().string());
    for (const Line& line : lines_of(header)) check_name(line.place, declared_type(line.text));
  }
  for (const char* folder : {"tests", "bench", "examples"}) {
    for (const auto& file : files(folder, {".hpp", ".cpp"}))
      check_name(name_of(file), file.stem().string());
  }
}

TEST_CASE("project: comments, logs and documentation have no private phrases") {
  std::vector<fs::path> texts = headers();
  for (const auto& page : files("docs", {".md"})) {
    if (page.filename() != "changelog.md") texts.push_back(page);
  }
  for (const char* folder : {"tests", "bench", "examples"}) {
    for (const auto& file : files(folder, {".hpp", ".cpp"})) {
      if (file.filename() != "words_test.cpp") texts.push_back(file);
    }
  }
  for (const auto& text : texts) {
    for (const Line& line : lines_of(text)) {
      for (const std::string& phrase : private_phrases) {
        INFO(line.place << ": say it otherwise: " << phrase);
        CHECK_FALSE(contains(line.text, phrase));
      }
    }
  }
}
