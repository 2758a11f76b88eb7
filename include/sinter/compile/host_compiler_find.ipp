#pragma once

#include <sys/stat.h>  // stat
#include <unistd.h>    // access

#include <algorithm>  // std::min
#include <cstdlib>    // std::getenv
#include <mutex>      // std::lock_guard

#include <sinter/base/env.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/host_compiler.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

SINTER_INLINE bool is_program(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

// The file that `name` means to a shell; "" if none.
SINTER_INLINE std::string find_program(std::string_view name, std::string_view search_path) {
  if (name.find('/') != std::string_view::npos) {
    return is_program(std::string(name)) ? std::string(name) : "";
  }
  while (!search_path.empty()) {
    const std::size_t end = std::min(search_path.find(':'), search_path.size());
    const std::string candidate = text(search_path.substr(0, end), "/", name);
    if (end != 0 && is_program(candidate)) return candidate;
    search_path.remove_prefix(std::min(end + 1, search_path.size()));
  }
  return "";
}

SINTER_INLINE std::string search_path() {
  const char* const path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

// The commands that may be a compiler, each a program and the arguments that come first: a path may
// have spaces, and "ccache g++" is two words.
SINTER_INLINE std::vector<std::vector<std::string>> candidates() {
  const std::string chosen(env(Env::cxx));
  if (chosen.empty()) return {{"c++"}, {"g++"}, {"clang++"}};
  if (!find_program(chosen, search_path()).empty()) return {{chosen}};
  return {split_command(chosen)};
}

SINTER_INLINE std::shared_ptr<const HostCompiler> find_host_compiler(DiskCache& cache) {
  for (const std::vector<std::string>& command : candidates()) {
    const std::string path = command.empty() ? "" : find_program(command[0], search_path());
    if (path.empty()) continue;
    if (auto compiler = probe(path, cache, {command.begin() + 1, command.end()})) {
      return std::make_shared<const HostCompiler>(std::move(*compiler));
    }
  }
  return nullptr;
}

struct FoundCompiler {
  ProcessMutex mutex{};
  std::string asked{};  // the variables that it was found with
  std::shared_ptr<const HostCompiler> compiler{};
};

SINTER_INLINE FoundCompiler& found_compiler() {
  static auto& found = *new FoundCompiler;
  return found;
}

}  // namespace detail

SINTER_INLINE std::shared_ptr<const HostCompiler> host_compiler(DiskCache& cache) {
  detail::FoundCompiler& found = detail::found_compiler();
  const std::lock_guard lock(found.mutex);
  const std::string asked = text(env(Env::cxx), "\n", detail::search_path());
  if (found.compiler == nullptr || found.asked != asked) {
    found.compiler = detail::find_host_compiler(cache);
    found.asked = asked;
  }
  return found.compiler;
}

SINTER_INLINE std::string host_compiler_missing() {
  const std::string_view chosen = env(Env::cxx);
  if (!chosen.empty()) return text("SINTER_CXX=", chosen, " is no C++ compiler");
  return text("there is no c++, g++ or clang++ on PATH (", detail::search_path(), ")");
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
