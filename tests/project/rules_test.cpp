// Checks the rules about headers and files.

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "blanked.hpp"
#include "repository.hpp"

using namespace repository;

namespace {

const std::set<std::string> below_jit{"base",     "symbol",  "graph",   "device",
                                      "autodiff", "trace",   "guard",   "pass",
                                      "schedule", "codegen", "compile", "runtime"};

std::set<std::string> with(std::set<std::string> folders, const std::set<std::string>& more) {
  folders.insert(more.begin(), more.end());
  return folders;
}

// Which folders of include/sinter a folder may include, besides itself; in the order in which data
// flows, so that a row names only earlier rows.
const std::map<std::string, std::set<std::string>> may_include{
    {"base", {}},
    {"symbol", {"base"}},
    {"graph", {"base", "symbol"}},
    {"device", {"base"}},
    {"autodiff", {"base", "symbol", "graph"}},
    {"trace", {"base", "symbol", "graph", "device", "autodiff"}},
    {"guard", {"base", "symbol", "graph", "device", "trace"}},
    {"pass", {"base", "symbol", "graph"}},
    {"schedule", {"base", "symbol", "graph"}},
    {"codegen", {"base", "symbol", "graph", "schedule"}},
    {"compile", {"base", "device"}},
    {"runtime", {"base", "symbol", "graph", "device", "schedule", "compile"}},
    {"jit", below_jit},
    {"nn", {"base", "trace"}},
    {"io", {"base", "device", "trace", "nn"}},
    {"optim", {"base", "trace", "jit", "nn", "io"}},
    {"dist",
     {"base", "symbol", "graph", "device", "trace", "schedule", "runtime", "jit", "nn", "io"}},
    {"data", {"base", "device", "trace"}},
    {"debug", with(below_jit, {"jit", "nn", "io", "optim", "dist"})},
    {"models", {"io"}},  // and sinter.hpp: the public interface
};

// The rooms of a stage, in the order in which data flows: a room includes itself and earlier ones.
// Files of the stage that are in no room include all of them. docs/map.md says what each owns.
const std::map<std::string, std::vector<std::string>> rooms{
    {"base", {"container", "time"}},
    {"symbol", {"extent", "solve"}},
    {"graph", {"custom"}},
    {"device", {"host", "cuda", "cuda/backend"}},
    {"autodiff", {"gradient", "batching"}},
    {"trace",
     {"value", "core", "context", "subgraph", "module", "ops", "transform", "functional",
      "interop"}},
    {"schedule",
     {"ir", "analysis", "loop", "rewrite", "fuse", "lower", "tile", "launch", "memory", "control",
      "explain"}},
    {"codegen",
     {"text", "cpp/prelude", "cpp/nest", "cpp/product", "cpp/window", "cpp", "cuda/prelude",
      "cuda/nest", "cuda/product", "cuda/attention", "cuda", "tune", "cuda/tune"}},
    {"compile", {"unit", "host", "nvrtc", "cache"}},
    {"runtime", {"interpreter", "host", "cuda", "cuda/library", "cuda/graph", "cuda/execute"}},
    {"jit",
     {"interface", "tune", "rewrite", "lower", "cuda", "record", "state", "eager", "run", "call"}},
    {"nn", {"function"}},
    {"dist", {"collective", "parallel", "backend/mpi", "backend/nccl"}},
    {"debug", {"machine", "fault", "report"}}};

// Standard headers that cost more to parse than they give; folders that talk to the system may.
const std::set<std::string> slow_headers{"iostream", "regex",  "filesystem", "ranges",
                                         "sstream",  "thread", "functional"};
const std::set<std::string> system_folders{"device", "compile", "runtime", "io", "data", "dist"};

// Bases that have a base themselves: the errors that users catch, and the weights of recurrent
// cells, whose names torch gives.
const std::set<std::string> bases_with_bases{"UserError", "ValueError", "Cell"};

constexpr std::size_t max_lines = 600;
constexpr std::size_t max_files = 25;
constexpr std::size_t max_columns = 100;

// "graph" for "sinter/graph/op.hpp", and "" for what is not in a folder of sinter.
std::string folder_of_include(const std::string& file) {
  if (!starts_with(file, "sinter/")) return "";
  const auto slash = file.find('/', 7);
  return slash == std::string::npos ? "" : file.substr(7, slash - 7);
}

// "cuda/nest" for "sinter/codegen/cuda/nest/rows.hpp"; "" for a file of a stage that is in no room.
std::string room_of_include(const std::string& file) {
  const std::string folder = folder_of_include(file);
  if (folder.empty()) return "";
  const std::string rest = file.substr(std::string("sinter/").size() + folder.size() + 1);
  const auto slash = rest.rfind('/');
  return slash == std::string::npos ? "" : rest.substr(0, slash);
}

// Where `room` stands in `order`, or else the room that it is a shelf of; behind all for files of
// the stage that are in no room; nothing if the table lacks it.
std::optional<std::size_t> place_of(std::string room, const std::vector<std::string>& order) {
  if (room.empty()) return order.size();
  while (true) {
    const auto found = std::find(order.begin(), order.end(), room);
    if (found != order.end()) return static_cast<std::size_t>(found - order.begin());
    const auto slash = room.rfind('/');
    if (slash == std::string::npos) return std::nullopt;
    room.resize(slash);
  }
}

// "sinter/graph/op.hpp" for this file, as it is included.
std::string include_name(const fs::path& header) {
  return fs::relative(header, root / "include").string();
}

// Columns are characters, not the bytes that UTF-8 takes for them.
std::size_t columns(const std::string& text) {
  std::size_t result = 0;
  for (const char c : text) result += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return result;
}

std::vector<fs::path> all_sources() {
  std::vector<fs::path> result;
  for (const char* folder : {"include", "tests", "examples", "bench", "tools"}) {
    for (const auto& file : files(folder, {".hpp", ".ipp", ".cpp"})) result.push_back(file);
  }
  return result;
}

fs::path sibling(fs::path file, const char* extension) { return file.replace_extension(extension); }

// The files of include/sinter that each of them includes; each is read once.
std::map<fs::path, std::vector<fs::path>> all_includes() {
  std::map<fs::path, std::vector<fs::path>> result;
  for (const auto& header : headers()) {
    for (const Line& line : lines_of(header)) {
      const std::string included = included_file(line.text);
      if (starts_with(included, "sinter/")) result[header].push_back(root / "include" / included);
    }
  }
  return result;
}

// The files that `file` includes, directly or not.
void reach(const fs::path& file, std::set<fs::path>& reached) {
  static const auto includes = all_includes();
  if (!reached.insert(file).second || includes.count(file) == 0) return;
  for (const fs::path& included : includes.at(file)) reach(included, reached);
}

// The classes of the library by name; those of one name in several namespaces count as one.
struct Classes {
  std::map<std::string, std::set<std::string>> bases{};
  std::map<std::string, std::string> files{};  // those with bases
  std::set<std::string> interfaces{};          // abstract, without a base and private members

  explicit Classes(const std::vector<fs::path>& headers) {
    for (const auto& header : headers) {
      const std::string code = Blanked(read(header)).str();
      for (const std::string word : {"class ", "struct "}) {
        for (auto at = code.find(word); at != std::string::npos; at = code.find(word, at + 1)) {
          const bool starts = at == 0 || contains(" \n", code.substr(at - 1, 1));
          const bool is_enum = at >= 5 && code.compare(at - 5, 5, "enum ") == 0;
          if (starts && !is_enum) add(code, at + word.size(), name_of(header));
        }
      }
    }
  }

  // The class whose name stands at `from`, if it is defined there.
  void add(const std::string& code, std::size_t from, const std::string& file) {
    std::vector<std::string> names{""};  // its own, then its bases, without template arguments
    std::size_t at = from, angles = 0;
    for (; at < code.size() && code[at] != '{'; ++at) {
      const char c = code[at];
      const bool ends_parameter = angles == 0 && (c == '>' || (c == ',' && names.size() == 1));
      if (ends_parameter || contains(";()=", std::string(1, c))) return;
      if (c == '<') ++angles;
      if (c == '>') --angles;
      if (angles > 0 || c == '>') continue;
      if (code.compare(at, 2, "::") == 0) {
        names.back().clear();
        ++at;
      } else if (c == ':' || c == ',') {
        names.push_back("");
      } else {
        names.back() += c == '\n' ? ' ' : c;
      }
    }
    const std::string name = class_name(names[0]), body = in_braces(code, at);
    const bool is_abstract = contains(body, "= 0;") && !contains(body, "private:");
    if (names.size() == 1 && is_abstract) interfaces.insert(name);
    for (std::size_t i = 1; i < names.size(); ++i) {
      bases[name].insert(class_name(names[i]));
      files[name] = file;
    }
  }

  // What the brace at `from` and the one that closes it enclose.
  static std::string in_braces(const std::string& code, std::size_t from) {
    std::size_t depth = 0, end = from;
    for (; end < code.size(); ++end) {
      if (code[end] == '{') ++depth;
      if (code[end] == '}' && --depth == 0) break;
    }
    return code.substr(from, end - from);
  }

  // "Base" for " public Base " and for "Base final".
  static std::string class_name(const std::string& words) {
    std::string result, word;
    for (const char c : words + " ") {
      if (c != ' ') {
        word += c;
        continue;
      }
      const std::set<std::string> other{"public", "protected", "private", "virtual", "final", ""};
      if (other.count(word) == 0) result = word;
      word.clear();
    }
    return result;
  }
};

}  // namespace

TEST_CASE("project: a base has no base but interfaces") {
  const Classes classes(headers());
  REQUIRE(classes.bases.count("CudaNest") == 1);
  REQUIRE(classes.interfaces.count("InstructionWriter") == 1);
  for (const auto& [name, bases] : classes.bases) {
    for (const std::string& base : bases) {
      if (classes.bases.count(base) == 0 || bases_with_bases.count(base) == 1) continue;
      for (const std::string& root : classes.bases.at(base)) {
        INFO(classes.files.at(name) << ": " << name << " : " << base << " : " << root
                                    << ": what classes share is a member or a function");
        CHECK(classes.interfaces.count(root) == 1);
      }
    }
  }
}

TEST_CASE("project: every folder of the library has a row in the table of layers") {
  for (const auto& header : headers()) {
    const std::string folder = folder_of(header);
    INFO(name_of(header));
    CHECK((folder.empty() || may_include.count(folder) == 1));
  }
}

TEST_CASE("project: a folder includes only the folders in its row") {
  for (const auto& header : headers()) {
    const std::string folder = folder_of(header);
    if (may_include.count(folder) == 0) continue;
    for (const Line& line : lines_of(header)) {
      const std::string target = folder_of_include(included_file(line.text));
      if (target.empty() || target == folder) continue;
      INFO(line.place << ": " << folder << " may not include " << target);
      CHECK(may_include.at(folder).count(target) == 1);
    }
  }
}

TEST_CASE("project: every room has a place in the table of rooms") {
  for (const auto& header : headers()) {
    const std::string stage = folder_of(header), room = room_of_include(include_name(header));
    if (room.empty()) continue;
    INFO(name_of(header));
    REQUIRE(rooms.count(stage) == 1);
    CHECK(place_of(room, rooms.at(stage)).has_value());
  }
}

TEST_CASE("project: a room includes only earlier rooms of its stage") {
  for (const auto& header : headers()) {
    const std::string stage = folder_of(header), room = room_of_include(include_name(header));
    if (rooms.count(stage) == 0) continue;
    for (const Line& line : lines_of(header)) {
      const std::string included = included_file(line.text);
      if (folder_of_include(included) != stage) continue;
      const std::string target = room_of_include(included);
      INFO(line.place << ": " << stage << "/" << room << " may not include " << included);
      CHECK(place_of(target, rooms.at(stage)) <= place_of(room, rooms.at(stage)));
    }
  }
}

// The words of `code`.
std::set<std::string> words_of(const std::string& code) {
  std::set<std::string> result;
  std::string word;
  for (const char c : code + " ") {
    const bool in_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (in_word) {
      word += c;
    } else if (!word.empty()) {
      result.insert(std::move(word));
      word.clear();
    }
  }
  return result;
}

// Whether `word`, such as for_gpu, names a kind of machine.
bool names_machine(const std::string& word) {
  const std::string parts = "_" + word + "_";
  return contains(parts, "_gpu_") || contains(parts, "_host_") || contains(parts, "_cuda_");
}

TEST_CASE("project: schedule asks the target what it can do, not whether it is a GPU") {
  std::size_t seen = 0;
  for (const auto& header : headers()) {
    if (folder_of(header) != "schedule" || contains(header.filename().string(), "target."))
      continue;
    ++seen;
    for (const std::string& word : words_of(Blanked(read(header)).str())) {
      INFO(name_of(header) << " says " << word << ": see schedule/ir/target.hpp");
      CHECK_FALSE(names_machine(word));
    }
  }
  CHECK(seen > 50);
}

TEST_CASE("project: one header of a stage brings the code for GPUs, where three ask for it") {
  const auto is_for_gpus = [](const std::string& file) {
    return contains(file, "/cuda/") || contains(file, "/nvrtc/") || contains(file, "/nccl/");
  };
  // With -DSINTER_CUDA=1, and unless -DSINTER_CUDA=0.
  const std::string always = "sinter/jit/eager/evaluator.hpp", asked = "sinter/gpu.hpp";
  const std::string of_ranks = "sinter/dist/world.hpp";
  for (const auto& header : headers()) {
    const std::string name = include_name(header);
    if (is_for_gpus(name) || name == always || name == asked || name == of_ranks) continue;
    for (const Line& line : lines_of(header)) {
      INFO(line.place << ": call GPUs through device/host/gpu.hpp, GpuCompiler, GpuExecutable or "
                         "gpu_lowering()");
      CHECK_FALSE(is_for_gpus(included_file(line.text)));
      CHECK((name == "sinter/config.hpp" || !starts_with(line.text, "#if") ||
             !contains(line.text, "SINTER_CUDA")));
    }
  }
  const std::string backend = "\n#include <sinter/jit/cuda/backend.hpp>\n#endif\n";
  CHECK(contains(read(root / "include" / always),
                 "\n#if defined(SINTER_CUDA) && SINTER_CUDA" + backend));
  CHECK(contains(read(root / "include" / asked),
                 "\n#if !defined(SINTER_CUDA) || SINTER_CUDA" + backend));
}

TEST_CASE("project: a folder has few files") {
  std::map<fs::path, std::size_t> count;
  for (const auto& header : headers()) ++count[header.parent_path()];
  for (const auto& [folder, files] : count) {
    INFO(name_of(folder) << " has " << files << " files: divide it into rooms");
    CHECK(files <= max_files);
  }
}

TEST_CASE("project: definitions belong to a header, which alone includes them") {
  for (const auto& header : headers()) {
    if (header.extension() == ".ipp") {
      INFO(name_of(header) << " has no header of the same name");
      CHECK(fs::exists(sibling(header, ".hpp")));
    }
    const std::string own = include_name(sibling(header, ".ipp"));
    for (const Line& line : lines_of(header)) {
      const std::string included = included_file(line.text);
      if (fs::path(included).extension() != ".ipp") continue;
      INFO(line.place << ": include the header");
      CHECK((header.extension() == ".hpp" && included == own));
    }
  }
}

TEST_CASE("project: headers include sinter by its full path in angle brackets") {
  for (const auto& header : headers()) {
    for (const Line& line : lines_of(header)) {
      INFO(line.place << ": write #include <sinter/...>");
      CHECK_FALSE(starts_with(line.text, "#include \""));
    }
  }
}

TEST_CASE("project: headers avoid slow standard headers") {
  for (const auto& header : headers()) {
    if (system_folders.count(folder_of(header)) == 1) continue;
    for (const Line& line : lines_of(header)) {
      INFO(line.place << ": include something smaller");
      CHECK(slow_headers.count(included_file(line.text)) == 0);
    }
  }
}

TEST_CASE("project: files stay short") {
  for (const auto& source : all_sources()) {
    if (source.parent_path().filename() == "golden") continue;  // Written by the generator.
    INFO(name_of(source) << ": split the file by what its parts own");
    CHECK(lines_of(source).size() <= max_lines);
  }
}

TEST_CASE("project: lines stay narrow") {
  for (const auto& source : all_sources()) {
    for (const Line& line : lines_of(source)) {
      INFO(line.place << ": longer than " << max_columns << " columns");
      CHECK(columns(line.text) <= max_columns);
    }
  }
}

TEST_CASE("project: a header says what it owns in its second line") {
  for (const auto& header : headers()) {
    const auto& lines = lines_of(header);
    INFO(name_of(header));
    REQUIRE(lines.size() >= 2);
    CHECK(lines[0].text == "#pragma once");
    if (header.extension() != ".hpp") continue;
    INFO("expected \"// What this file owns.\"");
    CHECK(starts_with(lines[1].text, "// "));
  }
}

TEST_CASE("project: a header ends by including its definitions, directly or not") {
  for (const auto& definitions : files("include", {".ipp"})) {
    const fs::path header = sibling(definitions, ".hpp");
    INFO(name_of(header) << " has to end with #ifdef SINTER_DEFINITIONS, its .ipp, #endif");
    std::set<fs::path> reached;
    reach(header, reached);
    CHECK(contains(read(header), "\n#ifdef SINTER_DEFINITIONS\n"));
    CHECK(reached.count(definitions) == 1);
  }
}

TEST_CASE("project: sinter.hpp, models.hpp, data.hpp and dist.hpp reach all definitions") {
  std::set<fs::path> reached;
  for (const char* const header : {"sinter.hpp", "models.hpp", "data.hpp", "dist.hpp"}) {
    reach(root / "include" / "sinter" / header, reached);
  }
  for (const auto& definitions : files("include", {".ipp"})) {
    INFO("none of them includes " << name_of(definitions));
    CHECK(reached.count(definitions) == 1);
  }
}

TEST_CASE("project: core.hpp brings no layers, losses, optimizers or files") {
  std::set<fs::path> reached;
  reach(root / "include" / "sinter" / "core.hpp", reached);
  CHECK(reached.size() > 300);
  for (const fs::path& header : reached) {
    const std::string name = name_of(header);
    INFO("include/sinter/core.hpp reaches " << name << ": programs without models compile it");
    for (const char* const folder : {"nn", "optim", "io", "trace/functional"}) {
      CHECK_FALSE(starts_with(name, std::string("include/sinter/") + folder + "/"));
    }
  }
}

TEST_CASE("project: namespaces carry the version and the form of the build") {
  for (const auto& header : headers()) {
    for (const Line& line : lines_of(header)) {
      if (!starts_with(line.text, "namespace sinter")) continue;
      INFO(line.place << ": write namespace sinter::inline SINTER_ABI {");
      CHECK(starts_with(line.text, "namespace sinter::inline SINTER_ABI"));
    }
  }
}

TEST_CASE("project: every header has a test of the same name") {
  for (const auto& header : files("include", {".hpp"})) {
    if (folder_of(header).empty()) continue;
    fs::path test = root / "tests" / fs::relative(header, root / "include" / "sinter");
    test.replace_filename(header.stem().string() + "_test.cpp");
    INFO(name_of(header) << ": no " << name_of(test));
    CHECK(fs::exists(test));
  }
}
