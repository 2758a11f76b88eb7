#pragma once

#include <sys/stat.h>  // stat
#include <unistd.h>    // access

#include <algorithm>  // std::min
#include <cstdlib>    // std::getenv
#include <mutex>      // std::lock_guard
#include <stdexcept>  // std::logic_error

#include <sinter/base/env.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/cache/compiler_search.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// Size and time of a file: an update changes the compiler under the same name.
SINTER_INLINE std::string file_state(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return text(path, " is missing");
  return text(path, " ", info.st_size, " ", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec);
}

// A list as text, one word per line.
SINTER_INLINE std::string join_lines(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += word + '\n';
  return result;
}

// The cache record of a compiler: path, identity, kind, then four lists with their lengths.
SINTER_INLINE std::string to_record(const HostCompiler& compiler) {
  std::vector<std::string> lines{compiler.path, compiler.identity,
                                 compiler.clang ? "clang" : "gcc"};
  for (const auto* list :
       {&compiler.arguments, &compiler.translate, &compiler.assemble, &compiler.link}) {
    lines.push_back(std::to_string(list->size()));
    lines.insert(lines.end(), list->begin(), list->end());
  }
  const std::string translator = compiler.translate.empty() ? "" : compiler.translate[0];
  return join_lines(lines) + file_state(translator) + '\n';
}

SINTER_INLINE Optional<HostCompiler> from_record(std::string_view record) try {
  const std::vector<std::string> lines = split_lines(record);
  HostCompiler result{
      .path = lines.at(0), .identity = lines.at(1), .clang = lines.at(2) == "clang"};
  std::size_t at = 3;
  for (auto* list : {&result.arguments, &result.translate, &result.assemble, &result.link}) {
    for (auto count = std::stoul(lines.at(at++)); count > 0; --count) {
      list->push_back(lines.at(at++));
    }
  }
  const std::string translator = result.translate.empty() ? "" : result.translate[0];
  if (lines.at(at) != file_state(translator)) return std::nullopt;
  return result;
} catch (const std::logic_error&) {  // truncated, or not a number
  return std::nullopt;
}

// The environment of probe records; the number is the version of the format.
inline constexpr std::string_view probe_environment = "compiler probe 2";

SINTER_INLINE bool is_program(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

SINTER_INLINE std::string search_path() {
  const char* const path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

}  // namespace detail

SINTER_INLINE std::string find_program(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    return detail::is_program(std::string(name)) ? std::string(name) : "";
  }
  const std::string path = detail::search_path();
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string candidate = text(rest.substr(0, end), "/", name);
    if (end != 0 && detail::is_program(candidate)) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

SINTER_INLINE std::vector<std::vector<std::string>> compiler_candidates() {
  const std::string chosen(env(Env::cxx));
  if (chosen.empty()) return {{"c++"}, {"g++"}, {"clang++"}};
  if (!find_program(chosen).empty()) return {{chosen}};
  return {split_command(chosen)};
}

namespace detail {

SINTER_INLINE SharedPtr<const HostCompiler> find_host_compiler(DiskCache& cache) {
  for (const std::vector<std::string>& command : compiler_candidates()) {
    const std::string path = command.empty() ? "" : find_program(command[0]);
    if (path.empty()) continue;
    if (auto compiler = probe(path, cache, {command.begin() + 1, command.end()})) {
      return make_shared_ptr<const HostCompiler>(std::move(*compiler));
    }
  }
  return nullptr;
}

struct FoundCompiler {
  ProcessMutex mutex{};
  std::string variables{};  // SINTER_CXX and PATH at the time of the search
  SharedPtr<const HostCompiler> compiler{};
};

SINTER_INLINE FoundCompiler& found_compiler() {
  static auto& found = *new FoundCompiler;
  return found;
}

}  // namespace detail

SINTER_INLINE Optional<HostCompiler> probe(const std::string& path, DiskCache& cache,
                                           const std::vector<std::string>& arguments) {
  const std::string state =
      text(detail::file_state(path), " ", host_architecture(), "\n", detail::join_lines(arguments));
  const Hash key = hash_of(state);
  if (const auto entry = cache.load(detail::probe_environment, key)) {
    if (auto known = detail::from_record(entry->payload)) return known;
  }
  Optional<HostCompiler> result = probe(path, arguments);
  if (result) {
    cache.store({.environment = std::string(detail::probe_environment),
                 .keys = {key},
                 .payload = detail::to_record(*result)});
  }
  return result;
}

SINTER_INLINE SharedPtr<const HostCompiler> host_compiler(DiskCache& cache) {
  detail::FoundCompiler& found = detail::found_compiler();
  const std::lock_guard lock(found.mutex);
  const std::string variables = text(env(Env::cxx), "\n", detail::search_path());
  if (found.compiler == nullptr || found.variables != variables) {
    found.compiler = detail::find_host_compiler(cache);
    found.variables = variables;
  }
  return found.compiler;
}

SINTER_INLINE std::string host_compiler_missing() {
  const std::string_view chosen = env(Env::cxx);
  if (!chosen.empty()) return text("SINTER_CXX=", chosen, " is not a C++ compiler");
  return text("there is no c++, g++ or clang++ on PATH (", detail::search_path(), ")");
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
