#pragma once

#include <fcntl.h>     // open, pipe2
#include <pthread.h>   // pthread_atfork
#include <sys/stat.h>  // stat
#include <unistd.h>    // access, lseek

#include <cstdlib>   // std::getenv
#include <mutex>     // std::mutex, std::lock_guard
#include <optional>  // std::optional

#include <sinter/base/env.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/file.hpp>
#include <sinter/compile/host_compiler.hpp>
#include <sinter/compile/process.hpp>

namespace sinter::inline SINTER_ABI::compiler {

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

SINTER_INLINE std::vector<std::string> candidates() {
  const std::string_view chosen = env(Env::cxx);
  if (!chosen.empty()) return {std::string(chosen)};
  return {"c++", "g++", "clang++"};
}

SINTER_INLINE std::shared_ptr<const HostCompiler> find_host_compiler(DiskCache& cache) {
  for (const std::string& name : candidates()) {
    const std::string path = find_program(name, search_path());
    if (path.empty()) continue;
    if (auto compiler = probe(path, cache)) {
      return std::make_shared<const HostCompiler>(std::move(*compiler));
    }
  }
  return nullptr;
}

[[noreturn]] SINTER_INLINE void throw_not_compiled(const HostCompiler& compiler,
                                                   std::string_view source,
                                                   const std::string& log) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/kernels.cpp";
  if (write_file(path, source)) directory.keep();
  throw InternalError(text("generated C++ does not compile\n  with  ", compiler.path, " (",
                           compiler.identity, ")\n  text  ", path, "\n  log   ", log));
}

// The three programs that g++ would start, the first two at once. Nothing if one of them fails.
SINTER_INLINE bool compile_directly(const HostCompiler& compiler,
                                    const std::vector<std::string>& flags, const File& source,
                                    const File& log, const std::string& folder) {
  int ends[2];
  if (compiler.link.empty() || pipe2(ends, O_CLOEXEC) != 0) return false;
  File reading = above_standard_streams(File(ends[0]));
  File writing = above_standard_streams(File(ends[1]));
  const std::string object = folder + "/kernels.o", library = folder + "/kernels.so";
  std::vector<std::string> translate = compiler.translate, assemble = compiler.assemble,
                           link = compiler.link;
  translate.insert(translate.end(), flags.begin(), flags.end());
  translate.insert(translate.end(), {"-quiet", "-o", "-", "-"});
  assemble.insert(assemble.end(), {"-o", object, "-"});
  link.insert(link.end(), {"-shared", "--build-id=none", "--hash-style=gnu", "-z",
                           "noseparate-code", "-o", library, object});

  const int err = log.descriptor();
  Process translator(translate, {source.descriptor(), writing.descriptor(), err});
  Process assembler(assemble, {reading.descriptor(), err, err});
  reading.close();
  writing.close();
  if (translator.wait() != 0) return false;
  // A process that forked meanwhile holds the pipe open: then the assembler waits for its end.
  if (assembler.wait_for(5000).value_or(1) != 0) return false;
  return Process(link, {-1, err, err}).wait() == 0;
}

SINTER_INLINE bool compile_by_driver(const HostCompiler& compiler,
                                     const std::vector<std::string>& flags,
                                     const std::string& architecture, const File& source,
                                     const File& log, const std::string& folder) {
  std::vector<std::string> command{compiler.path};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {text("-march=", architecture.empty() ? "native" : architecture),
                                 "-shared", "-nostdlib", "-Wl,--build-id=none", "-x", "c++", "-",
                                 "-o", folder + "/kernels.so"});
  const int err = log.descriptor();
  return Process(command, {source.descriptor(), err, err}).wait() == 0;
}

struct FoundCompiler {
  std::mutex mutex{};
  std::string asked{};  // the variables that it was found with
  std::shared_ptr<const HostCompiler> compiler{};
};

SINTER_INLINE FoundCompiler& found_compiler() {
  static auto& found = *new FoundCompiler;
  [[maybe_unused]] static const int registered =  // no fork leaves the mutex locked in the child
      pthread_atfork([] { found.mutex.lock(); }, [] { found.mutex.unlock(); },
                     [] { found.mutex.unlock(); });
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

SINTER_INLINE std::vector<std::string> host_flags(const HostCompiler& compiler,
                                                  const TranslationUnit& unit) {
  std::vector<std::string> flags{"-std=c++20",
                                 "-fPIC",
                                 "-w",
                                 "-fwrapv",
                                 "-fno-strict-aliasing",
                                 "-fno-math-errno",
                                 "-fno-trapping-math",
                                 "-fno-exceptions",
                                 "-fno-rtti",
                                 "-fno-asynchronous-unwind-tables",
                                 "-fno-stack-protector"};
  const bool off = unit.contraction == Contraction::off;
  flags.push_back(off ? "-ffp-contract=off" : "-ffp-contract=fast");
  if (unit.vectors == Vectors::by_compiler) {
    flags.push_back("-O3");
  } else if (compiler.clang) {
    flags.push_back("-O2");
  } else {
    // For text with vector types as fast as -O2; without the second there is no fused multiply-add,
    // without the third accumulators live in memory if they are read after a call.
    flags.insert(flags.end(), {"-O1", "-fexpensive-optimizations", "-fcaller-saves"});
  }
  if (compiler.identity.find("x86_64") != std::string::npos) {
    flags.insert(flags.end(), {"-mprefer-vector-width=512", "-fcf-protection=none",
                               "-fno-stack-clash-protection"});
  }
  return flags;
}

SINTER_INLINE std::string compile_host(const HostCompiler& compiler, const TranslationUnit& unit,
                                       std::string_view source_text) {
  const File source = anonymous_file(source_text);
  File log = anonymous_file();
  const TemporaryDirectory directory;
  if (!source || !log || directory.path().empty()) {
    throw InternalError("no place for temporary files: TMPDIR is full or cannot be written");
  }
  const std::vector<std::string> flags = host_flags(compiler, unit);
  const bool direct = !compiler.translate.empty() && unit.architecture.empty();
  if (!direct || !detail::compile_directly(compiler, flags, source, log, directory.path())) {
    lseek(source.descriptor(), 0, SEEK_SET);
    log = anonymous_file();
    if (!detail::compile_by_driver(compiler, flags, unit.architecture, source, log,
                                   directory.path())) {
      detail::throw_not_compiled(compiler, source_text, read_all(log).value_or(""));
    }
  }
  const File library(open((directory.path() + "/kernels.so").c_str(), O_RDONLY | O_CLOEXEC));
  std::optional<std::string> bytes = library ? read_all(library) : std::nullopt;
  if (!bytes || bytes->empty()) {
    detail::throw_not_compiled(compiler, source_text, "the compiler wrote no file");
  }
  return std::move(*bytes);
}

}  // namespace sinter::inline SINTER_ABI::compiler
