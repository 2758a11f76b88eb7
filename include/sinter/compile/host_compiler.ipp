#pragma once

#include <fcntl.h>     // open, pipe2
#include <sys/stat.h>  // stat
#include <unistd.h>    // access, ftruncate, lseek

#include <cerrno>    // errno
#include <chrono>    // std::chrono::steady_clock
#include <cstdlib>   // std::getenv
#include <cstring>   // std::strerror
#include <mutex>     // std::lock_guard
#include <optional>  // std::optional

#include <sinter/base/env.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/process_mutex.hpp>
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
                                                   std::string_view source, std::string_view end,
                                                   const std::string& log) {
  TemporaryDirectory directory;
  std::string path = directory.path() + "/kernels.cpp";
  if (write_file(path, source)) {
    directory.keep();
  } else {
    path = "there is no place for it";
  }
  throw InternalError(text("generated C++ does not compile\n  with  ", compiler.path, " (",
                           compiler.identity, ")\n  end   ", end, "\n  text  ", path, "\n  log   ",
                           log));
}

[[noreturn]] SINTER_INLINE void throw_no_place() {
  throw IoError({.op = "compile",
                 .what = "there is no place for temporary files",
                 .facts = {{"reason", std::strerror(errno)}},
                 .rule = "the compiler writes to TMPDIR, or to /tmp",
                 .fix = "make room there, or name another directory in TMPDIR"});
}

// The milliseconds that are left of those that a compiler may take.
class TimeLeft {
 public:
  explicit TimeLeft(std::int64_t milliseconds) : milliseconds_(milliseconds) {}
  std::int64_t operator()() const {
    const auto passed = std::chrono::steady_clock::now() - start_;
    return milliseconds_ - std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
  }

 private:
  std::int64_t milliseconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What the compilation of one text works with.
struct Compilation {
  const HostCompiler& compiler;
  const std::vector<std::string> flags;
  const std::string architecture;
  const File source, log;
  const TemporaryDirectory directory{};
  const TimeLeft left;

  bool has_place() const { return source && log && !directory.path().empty(); }
  // What a full disk says only now.
  bool has_room() const {
    return write_file(directory.path() + "/room", std::string(std::size_t{1} << 16, ' '));
  }
  std::string library() const { return directory.path() + "/kernels.so"; }
};

// The three programs that g++ would start, the first two at once. False if one of them fails.
SINTER_INLINE bool compile_directly(const Compilation& job) {
  int ends[2];
  if (job.compiler.link.empty() || pipe2(ends, O_CLOEXEC) != 0) return false;
  File reading = above_standard_streams(File(ends[0]));
  File writing = above_standard_streams(File(ends[1]));
  const std::string object = job.directory.path() + "/kernels.o";
  std::vector<std::string> translate = job.compiler.translate, assemble = job.compiler.assemble,
                           link = job.compiler.link;
  translate.insert(translate.end(), job.flags.begin(), job.flags.end());
  translate.insert(translate.end(), {"-quiet", "-o", "-", "-"});
  assemble.insert(assemble.end(), {"-o", object, "-"});
  link.insert(link.end(), {"-shared", "--build-id=none", "--hash-style=gnu", "-z",
                           "noseparate-code", "-o", job.library(), object});

  const int err = job.log.descriptor();
  Process translator(translate, {job.source.descriptor(), writing.descriptor(), err});
  Process assembler(assemble, {reading.descriptor(), err, err});
  reading.close();
  writing.close();
  if (translator.wait_for(job.left()).value_or(1) != 0) return false;
  // A process that forked meanwhile holds the pipe open: then the assembler waits for its end.
  if (assembler.wait_for(5000).value_or(1) != 0) return false;
  return Process(link, {-1, err, err}).wait_for(job.left()).value_or(1) == 0;
}

// How the compiler ended; "" if all is well.
SINTER_INLINE std::string compile_by_driver(const Compilation& job) {
  std::vector<std::string> command{job.compiler.path};
  command.insert(command.end(), job.flags.begin(), job.flags.end());
  const std::string& architecture = job.architecture;
  command.insert(command.end(),
                 {text("-march=", architecture.empty() ? "native" : architecture), "-shared",
                  "-nostdlib", "-Wl,--build-id=none", "-x", "c++", "-", "-o", job.library()});
  const int err = job.log.descriptor();
  Process driver(command, {job.source.descriptor(), err, err});
  const std::optional<int> status = driver.wait_for(job.left());
  if (!status) return "killed, because it did not end";
  return *status == 0 ? "" : status_text(*status);
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
    // without the third accumulators live in memory if they are read after a call. The others take
    // a tenth of the time, and leave kernels as fast as they are without them.
    flags.insert(flags.end(),
                 {"-O1", "-fexpensive-optimizations", "-fcaller-saves", "-fno-thread-jumps",
                  "-fno-tree-ccp", "-fno-tree-copy-prop", "-fno-tree-dse", "-fno-tree-loop-ivcanon",
                  "-fno-branch-count-reg", "-fno-bit-tests", "-fno-jump-tables", "-fno-shrink-wrap",
                  "-fno-peephole"});
  }
  if (compiler.identity.find("x86_64") != std::string::npos) {
    flags.insert(flags.end(), {"-mprefer-vector-width=512", "-fcf-protection=none",
                               "-fno-stack-clash-protection"});
  }
  return flags;
}

SINTER_INLINE std::string compile_host(const HostCompiler& compiler, const TranslationUnit& unit,
                                       std::string_view source, std::int64_t milliseconds) {
  const detail::Compilation job{.compiler = compiler,
                                .flags = host_flags(compiler, unit),
                                .architecture = unit.architecture,
                                .source = anonymous_file(source),
                                .log = anonymous_file(),
                                .left = detail::TimeLeft(milliseconds)};
  if (!job.has_place()) detail::throw_no_place();
  const bool direct = !compiler.translate.empty() && unit.architecture.empty();
  if (!direct || !detail::compile_directly(job)) {
    lseek(job.source.descriptor(), 0, SEEK_SET);
    if (ftruncate(job.log.descriptor(), 0) == 0) lseek(job.log.descriptor(), 0, SEEK_SET);
    const std::string end = detail::compile_by_driver(job);
    if (!end.empty()) {
      if (!job.has_room()) detail::throw_no_place();
      detail::throw_not_compiled(compiler, source, end, read_all(job.log).value_or(""));
    }
  }
  const File library(open(job.library().c_str(), O_RDONLY | O_CLOEXEC));
  std::optional<std::string> bytes = library ? read_all(library) : std::nullopt;
  if (!bytes || bytes->empty()) {
    detail::throw_not_compiled(compiler, source, "status 0, but it wrote no file", "");
  }
  return std::move(*bytes);
}

}  // namespace sinter::inline SINTER_ABI::compiler
