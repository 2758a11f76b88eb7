#pragma once
// JSON as values, read with the reader of the library, for tests of reports.

#include <sinter/io/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace testing {

struct Json {
  std::string text{};  // of a string, a number, or "null", "true", "false"
  std::vector<Json> list{};
  std::map<std::string, Json> members{};

  const Json& operator[](const std::string& key) const { return members.at(key); }
  const Json& operator[](std::size_t index) const { return list.at(index); }
  bool has(const std::string& key) const { return members.count(key) != 0; }
  std::int64_t integer() const { return std::atoll(text.c_str()); }
  double number() const { return std::atof(text.c_str()); }
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text), scanner_(access_, "the facts", text) {}

  Json read() {
    scanner_.skip_space();
    const char first = text_.at(scanner_.position());
    Json result;
    if (first == '{') {
      sinter::io::read_json_object(scanner_,
                                   [&](const std::string& key) { result.members[key] = read(); });
    } else if (first == '[') {
      sinter::io::read_json_array(scanner_, [&] { result.list.push_back(read()); });
    } else if (first == '"') {
      result.text = sinter::io::read_json_string(scanner_);
    } else {
      const std::string_view part = "0123456789+-.eEnulltruefalse";
      while (part.find(text_.at(scanner_.position())) != part.npos) result.text += scanner_.next();
    }
    return result;
  }

  /// The value of the whole text. Throws IoError if it is no JSON.
  static Json value(const std::string& text) {
    JsonReader reader(text);
    Json result = reader.read();
    reader.scanner_.end();
    return result;
  }

 private:
  sinter::io::Access access_{"test", "facts", sinter::Where::current()};
  std::string_view text_;
  sinter::io::Scanner scanner_;
};

/// The facts inside of a page.
inline Json facts_in(const std::string& page) {
  const std::string start = "id=\"facts\">";
  const std::size_t from = page.find(start) + start.size();
  return JsonReader::value(page.substr(from, page.find("</script>", from) - from) + "\n");
}

}  // namespace testing
