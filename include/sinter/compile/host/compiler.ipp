#pragma once

#include <fcntl.h>   // open, pipe2
#include <unistd.h>  // ftruncate, lseek

#include <cerrno>   // errno
#include <chrono>   // std::chrono::steady_clock
#include <cstring>  // std::strerror

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/host/compiler.hpp>
#include <sinter/compile/host/process.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

[[noreturn]] SINTER_INLINE void throw_not_compiled(const HostCompiler& compiler,
                                                   const Vector<std::string_view>& texts,
                                                   std::string_view end, const std::string& log) {
  TemporaryDirectory directory;
  std::string paths;
  for (const std::string_view source : texts) {
    const std::string number = texts.size() > 1 ? text("_", &source - texts.data()) : "";
    const std::string path = text(directory.path(), "/kernels", number, ".cpp");
    if (!write_file(path, source)) break;
    paths += text(paths.empty() ? "" : " ", path);
  }
  if (paths.empty()) {
    paths = "not kept: no temporary file could be written";
  } else {
    directory.keep();
  }
  throw InternalError(text("generated C++ does not compile\n  with  ", compiler.path, " (",
                           compiler.identity, ")\n  end   ", end, "\n  text  ", paths, "\n  log   ",
                           log));
}

[[noreturn]] SINTER_INLINE void throw_no_place() {
  throw IoError({.op = "compile",
                 .what = "there is no place for temporary files",
                 .facts = {{"reason", std::strerror(errno)}},
                 .rule = "the compiler writes to TMPDIR, or to /tmp",
                 .fix = "make room there, or name another directory in TMPDIR"});
}

// The milliseconds that a compiler has left.
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

// The inputs and temporary files of a compilation.
struct Compilation {
  const HostCompiler& compiler;
  const std::vector<std::string> flags;
  const std::string architecture;
  const Vector<File> sources;
  const File log;
  const TemporaryDirectory directory{};
  const TimeLeft left;

  bool has_place() const {
    return log && !directory.path().empty() &&
           all_of(sources, [](const File& source) { return static_cast<bool>(source); });
  }
  // False if the disk is full, which may show only after the compiler failed.
  bool has_room() const {
    return write_file(directory.path() + "/room", std::string(std::size_t{1} << 16, ' '));
  }
  std::string library() const { return directory.path() + "/kernels.so"; }
  std::vector<std::string> objects() const {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      result.push_back(text(directory.path(), "/kernels_", i, ".o"));
    }
    return result;
  }
};

// Compiler and assembler of one text, which g++ would start, connected by a pipe.
class Translation {
 public:
  Translation(const Compilation& job, std::size_t number, const std::string& object) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    const File reading = above_standard_streams(File(ends[0]));
    const File writing = above_standard_streams(File(ends[1]));
    std::vector<std::string> translate = job.compiler.translate, assemble = job.compiler.assemble;
    translate.insert(translate.end(), job.flags.begin(), job.flags.end());
    translate.insert(translate.end(), {"-quiet", "-o", "-", "-"});
    assemble.insert(assemble.end(), {"-o", object, "-"});
    const int source = job.sources[number].descriptor(), err = job.log.descriptor();
    translator_.emplace(translate, StandardStreams{source, writing.descriptor(), err});
    assembler_.emplace(assemble, StandardStreams{reading.descriptor(), err, err});
  }

  bool succeeds(const TimeLeft& left) {
    if (!translator_ || translator_->wait_for(left()).value_or(1) != 0) return false;
    // A process forked meanwhile may hold the pipe open, and the assembler then waits for it to
    // exit.
    return assembler_->wait_for(5000).value_or(1) == 0;
  }

 private:
  Optional<Process> translator_{}, assembler_{};
};

// Runs the programs that g++ would start. False if one of them fails.
SINTER_INLINE bool compile_directly(const Compilation& job) {
  if (job.compiler.link.empty()) return false;
  const std::vector<std::string> objects = job.objects();
  Vector<UniquePtr<Translation>> translations;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    translations.push_back(make_unique_ptr<Translation>(job, i, objects[i]));
  }
  for (const auto& translation : translations) {
    if (!translation->succeeds(job.left)) return false;
  }
  std::vector<std::string> link = job.compiler.link;
  link.insert(link.end(), {"-shared", "--build-id=none", "--hash-style=gnu", "-z",
                           "noseparate-code", "-o", job.library()});
  link.insert(link.end(), objects.begin(), objects.end());
  const int err = job.log.descriptor();
  return Process(link, {-1, err, err}).wait_for(job.left()).value_or(1) == 0;
}

// How `driver` failed; "" if it succeeded.
SINTER_INLINE std::string end_of_driver(Process& driver, const TimeLeft& left) {
  const Optional<int> status = driver.wait_for(left());
  if (!status) return "killed after the time limit";
  return *status == 0 ? "" : status_text(*status);
}

// Compiles with the compiler driver; returns how it failed, "" if it succeeded. For a single text,
// one driver compiles and links.
SINTER_INLINE std::string compile_by_driver(const Compilation& job) {
  const std::vector<std::string> objects = job.objects();
  const std::vector<std::string> link{"-shared", "-nostdlib", "-Wl,--build-id=none", "-o",
                                      job.library()};
  std::vector<std::string> command{job.compiler.path};
  command.insert(command.end(), job.compiler.arguments.begin(), job.compiler.arguments.end());
  command.insert(command.end(), job.flags.begin(), job.flags.end());
  command.push_back(text("-march=", job.architecture.empty() ? "native" : job.architecture));
  const int err = job.log.descriptor();
  Vector<UniquePtr<Process>> drivers;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::vector<std::string> compile = command;
    const std::vector<std::string> only{"-c", "-o", objects[i]};
    const std::vector<std::string>& rest = objects.size() == 1 ? link : only;
    compile.insert(compile.end(), rest.begin(), rest.end());
    compile.insert(compile.end(), {"-x", "c++", "-"});
    drivers.push_back(
        make_unique_ptr<Process>(compile, StandardStreams{job.sources[i].descriptor(), err, err}));
  }
  for (const auto& driver : drivers) {
    if (std::string end = end_of_driver(*driver, job.left); !end.empty()) return end;
  }
  if (objects.size() == 1) return "";
  command.insert(command.end(), link.begin(), link.end());
  command.insert(command.end(), objects.begin(), objects.end());
  Process linker(command, {-1, err, err});
  return end_of_driver(linker, job.left);
}

}  // namespace detail

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
    // For text with vector types, these flags give kernels as fast as -O2.
    // -fexpensive-optimizations enables fused multiply-adds; -fcaller-saves keeps accumulators that
    // are read after a call in registers. -freorder-blocks-algorithm=stc moves unlikely blocks
    // behind loops, which makes streaming loops an eighth faster. The disabled passes take a tenth
    // of the compile time and do not make kernels faster.
    flags.insert(flags.end(),
                 {"-O1", "-fexpensive-optimizations", "-fcaller-saves", "-fno-thread-jumps",
                  "-fno-tree-ccp", "-fno-tree-copy-prop", "-fno-tree-dse", "-fno-tree-loop-ivcanon",
                  "-fno-branch-count-reg", "-fno-bit-tests", "-fno-jump-tables", "-fno-shrink-wrap",
                  "-fno-peephole", "-freorder-blocks-algorithm=stc"});
  }
  if (compiler.identity.find("x86_64") != std::string::npos) {
    flags.insert(flags.end(), {"-mprefer-vector-width=512", "-fcf-protection=none",
                               "-fno-stack-clash-protection"});
  }
  return flags;
}

SINTER_INLINE std::string compile_host(const HostCompiler& compiler, const TranslationUnit& unit,
                                       const Vector<std::string_view>& texts,
                                       std::int64_t milliseconds) {
  Vector<File> sources;
  for (const std::string_view source : texts) sources.push_back(anonymous_file(source));
  const detail::Compilation job{.compiler = compiler,
                                .flags = host_flags(compiler, unit),
                                .architecture = unit.architecture,
                                .sources = std::move(sources),
                                .log = anonymous_file(),
                                .left = detail::TimeLeft(milliseconds)};
  if (!job.has_place()) detail::throw_no_place();
  const bool direct = !compiler.translate.empty() && unit.architecture.empty();
  if (!direct || !detail::compile_directly(job)) {
    for (const File& source : job.sources) lseek(source.descriptor(), 0, SEEK_SET);
    if (ftruncate(job.log.descriptor(), 0) == 0) lseek(job.log.descriptor(), 0, SEEK_SET);
    const std::string end = detail::compile_by_driver(job);
    if (!end.empty()) {
      if (!job.has_room()) detail::throw_no_place();
      detail::throw_not_compiled(compiler, texts, end, read_all(job.log).value_or(""));
    }
  }
  const File library(open(job.library().c_str(), O_RDONLY | O_CLOEXEC));
  Optional<std::string> bytes = library ? read_all(library) : std::nullopt;
  if (!bytes || bytes->empty()) {
    detail::throw_not_compiled(compiler, texts, "status 0, but it wrote no file", "");
  }
  return std::move(*bytes);
}

SINTER_INLINE std::string compile_host(const HostCompiler& compiler, const TranslationUnit& unit,
                                       std::string_view text, std::int64_t milliseconds) {
  return compile_host(compiler, unit, Vector<std::string_view>{text}, milliseconds);
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
