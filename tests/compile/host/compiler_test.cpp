#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/error.hpp>
#include <sinter/compile/cache/compiler_search.hpp>
#include <sinter/compile/host/compiler.hpp>
#include <sinter/compile/unit/binary.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

namespace {

struct ScopedVariable {
  ScopedVariable(const char* variable, const char* value) : name(variable) {
    if (const char* const old = std::getenv(name)) before = old;
    setenv(name, value, 1);
  }
  ~ScopedVariable() { before.empty() ? unsetenv(name) : setenv(name, before.c_str(), 1); }
  const char* name;
  std::string before{};
};

DiskCache& no_cache() {
  static DiskCache cache("");
  return cache;
}

std::vector<SharedPtr<const HostCompiler>> installed_compilers() {
  std::vector<SharedPtr<const HostCompiler>> result;
  for (const char* const name : {"g++", "clang++-16", "clang++"}) {
    const ScopedVariable chosen("SINTER_CXX", name);
    if (auto compiler = host_compiler(no_cache())) result.push_back(compiler);
  }
  return result;
}

// x * y + z in float, where rounding once and twice differ.
float multiply_add(const HostCompiler& compiler, Contraction contraction) {
  const auto binary = compiler::Binary::load(
      Language::cpp, compile_host(compiler, {.contraction = contraction},
                                  "extern \"C\" float f(float x, float y, float z)"
                                  "{ return x * y + z; }"));
  return reinterpret_cast<float (*)(float, float, float)>(binary->symbol("f"))(
      1 + 0x1p-12f, 1 + 0x1p-12f, -1 - 0x1p-11f);
}

}  // namespace

TEST_CASE("host_compiler: every compiler on this machine compiles vector types correctly") {
  const std::string text =
      "typedef float v __attribute__((vector_size(64), aligned(4), may_alias));\n"
      "extern \"C\" void twice(const float* x, float* y) { *(v*)y = 2 * *(const v*)x; }\n";
  REQUIRE(!installed_compilers().empty());
  for (const auto& compiler : installed_compilers()) {
    CAPTURE(compiler->path);
    const auto binary = compiler::Binary::load(Language::cpp, compile_host(*compiler, {}, text));
    float x[16], y[16] = {};
    for (int i = 0; i < 16; ++i) x[i] = static_cast<float>(i);

    reinterpret_cast<void (*)(const float*, float*)>(binary->symbol("twice"))(x, y);

    for (int i = 0; i < 16; ++i) CHECK(y[i] == 2 * x[i]);
  }
}

TEST_CASE("host_compiler: strict numerics round a product, fast ones need not") {
  for (const auto& compiler : installed_compilers()) {
    CAPTURE(compiler->path);
    CHECK(multiply_add(*compiler, Contraction::off) == 0.0f);
#ifdef __x86_64__
    if (__builtin_cpu_supports("fma")) {
      CHECK(multiply_add(*compiler, Contraction::fast) == 0x1p-24f);
    }
#endif
  }
}

TEST_CASE("host_compiler: integers wrap") {
  for (const auto& compiler : installed_compilers()) {
    const auto binary = compiler::Binary::load(
        Language::cpp,
        compile_host(*compiler, {}, "extern \"C\" bool f(int x) { return x + 1 > x; }"));
    CHECK_FALSE(reinterpret_cast<bool (*)(int)>(binary->symbol("f"))(2147483647));
  }
}

TEST_CASE("host_compiler: kernels for another machine are compiled for that") {
#ifdef __x86_64__
  const std::string text =
      "#ifdef __AVX2__\n#error too new\n#endif\n"
      "extern \"C\" int f() { return 1; }";
  for (const auto& compiler : installed_compilers()) {
    CHECK(compile_host(*compiler, {.architecture = "x86-64"}, text).size() > 0);
  }
#endif
}

TEST_CASE("host_compiler: large texts and loops for the compiler's own vectors compile") {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "extern \"C\" void f" + std::to_string(i) +
            "(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] += x[i]; }"
            " // a long line that makes the text larger than what a pipe holds at once, which is "
            "64 kilobytes on this system, so that writers and readers have to take turns\n";
  }
  REQUIRE(text.size() > 70'000);
  const auto compiler = host_compiler(no_cache());
  REQUIRE(compiler);

  const auto binary = compiler::Binary::load(Language::cpp, compile_host(*compiler, {}, text));

  CHECK(binary->symbol("f299") != nullptr);
  CHECK(compile_host(*compiler, {.vectors = Vectors::by_compiler}, "int x;").size() > 0);
}

TEST_CASE("host_compiler: text that does not compile is an InternalError with log and text") {
  for (const auto& compiler : installed_compilers()) {
    std::string message;
    try {
      compile_host(*compiler, {}, "extern \"C\" void f() { return not_declared; }");
    } catch (const InternalError& error) {
      message = error.what();
    }
    CHECK(message.find("not_declared") != std::string::npos);
    CHECK(message.find(compiler->path) != std::string::npos);
    const auto start = message.find("text  ") + 6;
    const std::string path = message.substr(start, message.find('\n', start) - start);
    const auto text = read_all(File(open(path.c_str(), O_RDONLY | O_CLOEXEC)));
    CHECK(text == "extern \"C\" void f() { return not_declared; }");
    unlink(path.c_str());
    rmdir(path.substr(0, path.rfind('/')).c_str());
  }
}

namespace {

// A program that claims to be a compiler, and runs `script` when it has to compile.
struct ScriptedCompiler {
  explicit ScriptedCompiler(const std::string& script) {
    REQUIRE(write_file(path(),
                       "#!/bin/sh\ncase \"$*\" in\n*'###'*) echo 'scripted version 1'; exit 0;;\n"
                       "esac\nfor word; do out=$word; done\n" +
                           script + "\n"));
    REQUIRE(chmod(path().c_str(), 0700) == 0);
  }
  std::string path() const { return directory.path() + "/compiler"; }

  // The error of a compilation; removes the text that it keeps.
  std::string failure(std::int64_t milliseconds) const {
    const ScopedVariable chosen("SINTER_CXX", path().c_str());
    const auto compiler = host_compiler(no_cache());
    REQUIRE(compiler != nullptr);
    try {
      compile_host(*compiler, {}, "int x;", milliseconds);
    } catch (const InternalError& error) {
      const std::string message = error.what();
      const auto start = message.find("text  ") + 6;
      const std::string kept = message.substr(start, message.find('\n', start) - start);
      unlink(kept.c_str());
      rmdir(kept.substr(0, kept.rfind('/')).c_str());
      return message;
    }
    return "";
  }

  TemporaryDirectory directory{};
};

}  // namespace

TEST_CASE("host_compiler: however a compiler fails, it is an InternalError that says how") {
  const auto failure = [](const std::string& script, std::int64_t milliseconds = 60'000) {
    return ScriptedCompiler(script).failure(milliseconds);
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string refuses = failure("echo 'not today' >&2; exit 3");
  CHECK(has(refuses, "end   status 3\n"));
  CHECK(has(refuses, "log   not today"));
  CHECK(has(failure("kill -11 $$"), "end   signal 11 (Segmentation fault)\n"));
  CHECK(has(failure("exit 0"), "end   status 0, but it wrote no file\n"));
  CHECK(has(failure(": > $out"), "status 0, but it wrote no file"));
  CHECK(has(failure("exec sleep 1000", 200), "end   killed after the time limit\n"));
}

TEST_CASE("host_compiler: uses another directory if TMPDIR cannot be written") {
  const auto compiler = host_compiler(no_cache());
  const ScopedVariable nowhere("TMPDIR", "/nonexistent");
  CHECK(compile_host(*compiler, {}, "int x;").size() > 0);
}
