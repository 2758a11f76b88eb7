#pragma once
// The files of this repository, as the rules see them.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace repository {

namespace fs = std::filesystem;

inline const fs::path root = SINTER_SOURCE_DIR;

struct Line {
  std::string place;  ///< "include/sinter/graph/op.hpp:12"
  std::string text;
};

inline std::string name_of(const fs::path& file) { return fs::relative(file, root).string(); }

/// "graph" for include/sinter/graph/op.hpp; empty for a file directly in include/sinter.
inline std::string folder_of(const fs::path& header) {
  const fs::path relative = fs::relative(header, root / "include" / "sinter");
  return relative.has_parent_path() ? relative.begin()->string() : "";
}

/// The files below `folder` whose extension is one of `extensions`, sorted by name.
inline std::vector<fs::path> files(const fs::path& folder,
                                   const std::set<std::string>& extensions) {
  std::vector<fs::path> result;
  if (!fs::exists(root / folder)) return result;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const bool wanted = extensions.count(entry.path().extension().string()) == 1;
    if (entry.is_regular_file() && wanted) result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// The contracts and definitions of the library.
inline std::vector<fs::path> headers() { return files("include", {".hpp", ".ipp"}); }

inline std::string read(const fs::path& file) {
  std::string text(fs::exists(file) ? fs::file_size(file) : 0, '\0');
  std::ifstream(file, std::ios::binary)
      .read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

/// Each file is read once.
inline const std::vector<Line>& lines_of(const fs::path& file) {
  static std::map<fs::path, std::vector<Line>> known;
  const auto [entry, is_new] = known.try_emplace(file);
  std::vector<Line>& result = entry->second;
  if (!is_new) return result;
  const std::string name = name_of(file);
  std::ifstream stream(file);
  for (std::string text; std::getline(stream, text);) {
    result.push_back({name + ":" + std::to_string(result.size() + 1), text});
  }
  return result;
}

inline bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// "sinter/graph/op.hpp" for a line that includes it, and "" for any line but an #include <...>.
inline std::string included_file(const std::string& text) {
  const std::string start = "#include <";
  if (!starts_with(text, start)) return "";
  return text.substr(start.size(), text.find('>') - start.size());
}

}  // namespace repository
