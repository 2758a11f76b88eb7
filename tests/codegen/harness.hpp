#pragma once
// Compiles generated texts with the host compiler, and calls their functions.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinter/base/error.hpp>
#include <sinter/base/source.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/cache/compiler_search.hpp>
#include <sinter/compile/host/compiler.hpp>

extern char** environ;

namespace kernels {

/// What a kernel reports: the layout of `Context` in generated C++.
struct Context {
  long fault = 0, value = 0, bound = 0, position = 0, lock = 0, ended = 0;
};

using Function = void (*)(void* const*, const long*, Context*, long, long);

inline std::string scratch_directory() {
  std::string pattern = P_tmpdir "/sinter_codegen_XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw sinter::InternalError("no temporary directory");
  return pattern;
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a program; its exit status. What it prints goes to `log`.
inline int run(std::vector<std::string> command, const std::string& log) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return 127;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

inline std::string host_compiler() {
  const char* chosen = std::getenv("SINTER_CXX");
  if (chosen != nullptr && *chosen != 0) return chosen;
  return "c++";
}

/// The options that the library compiles kernels with.
inline std::vector<std::string> usual_options() {
  static sinter::detail::compiler::DiskCache no_cache("");
  const auto compiler = sinter::detail::compiler::host_compiler(no_cache);
  if (compiler == nullptr)
    throw sinter::InternalError(sinter::detail::compiler::host_compiler_missing());
  return sinter::detail::compiler::host_flags(*compiler, {});
}

/// A shared library compiled from generated text.
class HostLibrary {
 public:
  explicit HostLibrary(const std::string& source,
                       const std::vector<std::string>& options = usual_options()) {
    const std::string directory = scratch_directory();
    const std::string path = directory + "/kernels.cpp", object = directory + "/kernels.so";
    write_file(path, source);
    std::vector<std::string> command{host_compiler(),
                                     "-march=native",
                                     "-fwrapv",
                                     "-shared",
                                     "-fPIC",
                                     "-w",
                                     "-x",
                                     "c++",
                                     path,
                                     "-o",
                                     object};
    command.insert(command.begin() + 1, options.begin(), options.end());
    if (run(command, directory + "/log") != 0) {
      throw sinter::InternalError(sinter::detail::text(
          "the host compiler refused ", path, "\n", read_file(directory + "/log").substr(0, 4000)));
    }
    handle_ = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw sinter::InternalError(dlerror());
    if (std::getenv("SINTER_KEEP") == nullptr) run({"rm", "-rf", directory}, "/dev/null");
  }
  HostLibrary(const HostLibrary&) = delete;
  HostLibrary& operator=(const HostLibrary&) = delete;
  ~HostLibrary() { dlclose(handle_); }

  void* symbol(const std::string& name) const {
    void* result = dlsym(handle_, name.c_str());
    if (result == nullptr) throw sinter::InternalError("no symbol " + name);
    return result;
  }
  Function function(const std::string& name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace kernels
