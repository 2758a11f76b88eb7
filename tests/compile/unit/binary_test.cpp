#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

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

// A shared object whose function `f` gives `value`.
std::string object(int value) {
  DiskCache none("");
  return compile_host(*host_compiler(none), {},
                      "extern \"C\" int f() { return " + std::to_string(value) + "; }");
}

int call(const compiler::Binary& binary) {
  return reinterpret_cast<int (*)()>(binary.symbol("f"))();
}

}  // namespace

TEST_CASE("binary: finds functions; null for missing ones") {
  const auto binary = compiler::Binary::load(Language::cpp, object(42));

  CHECK(call(*binary) == 42);
  CHECK(binary->symbol("g") == nullptr);
  CHECK(binary->bytes().substr(1, 3) == "ELF");
}

TEST_CASE("binary: the same name in many libraries means what each of them says") {
  std::vector<SharedPtr<const compiler::Binary>> binaries;
  for (int i = 0; i < 3; ++i) binaries.push_back(compiler::Binary::load(Language::cpp, object(i)));
  for (int i = 0; i < 3; ++i) CHECK(call(*binaries[static_cast<std::size_t>(i)]) == i);

  binaries.clear();
  CHECK(call(*compiler::Binary::load(Language::cpp, object(7))) == 7);
  CHECK(call(*compiler::Binary::load(Language::cpp, object(8))) == 8);
}

TEST_CASE("binary: bytes that are no library are an InternalError with the loader's words") {
  std::string message;
  try {
    compiler::Binary::load(Language::cpp, "no library at all");
  } catch (const InternalError& error) {
    message = error.what();
  }
  CHECK(message.find("compiled kernels cannot be loaded: ") != std::string::npos);
}

TEST_CASE("binary: with SINTER_DUMP a library is a file there, in which profilers find names") {
  const TemporaryDirectory directory;
  const std::string bytes = object(5);
  setenv("SINTER_DUMP", directory.path().c_str(), 1);
  const auto binary = compiler::Binary::load(Language::cpp, bytes);
  setenv("SINTER_DUMP", "/proc/nonexistent", 1);
  const auto other = compiler::Binary::load(Language::cpp, bytes);
  unsetenv("SINTER_DUMP");
  Dl_info info{};
  REQUIRE(dladdr(binary->symbol("f"), &info) != 0);
  const std::string path = info.dli_fname, name = info.dli_sname;
  CHECK(name == "f");
  CHECK(path.starts_with(directory.path() + "/kernels_"));
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  CHECK(content.str() == bytes);
  CHECK(call(*other) == 5);  // that cannot be written
}

TEST_CASE("binary: a cubin is kept for the driver") {
  const auto binary = compiler::Binary::load(Language::cuda, "cubin");

  CHECK(binary->bytes() == "cubin");
  CHECK(binary->symbol("f") == nullptr);
}
