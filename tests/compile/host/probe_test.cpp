// test: alone
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sinter/compile/host/probe.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler::detail {
std::string instruction_set();  // what host_architecture() asks once
}  // namespace sinter::inline SINTER_ABI::detail::compiler::detail

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

TEST_CASE("host_probe: a command line is split as g++ quotes it") {
  CHECK(
      split_command(R"( /usr/cc1plus -quiet "-march=znver3" --param "l1=48" "a b" "c\"\\d" "")") ==
      std::vector<std::string>{"/usr/cc1plus", "-quiet", "-march=znver3", "--param", "l1=48", "a b",
                               "c\"\\d", ""});
  CHECK(split_command("").empty());
}

TEST_CASE("host_probe: g++ prints its programs; options that name files are removed") {
  const std::string output =
      "Using built-in specs.\n"
      "Target: x86_64-linux-gnu\n"
      "gcc version 12.2.0 (Debian 12.2.0-14)\n"
      " /usr/lib/gcc/cc1plus -quiet - \"-march=znver3\" -dumpdir x- -dumpbase - -fPIC -o - |\n"
      " as --64 -o x.o\n";

  const HostCompiler result = parse_probe("/usr/bin/g++", output);

  CHECK(result.identity == "gcc version 12.2.0 (Debian 12.2.0-14), x86_64-linux-gnu");
  CHECK_FALSE(result.clang);
  CHECK(result.translate ==
        std::vector<std::string>{"/usr/lib/gcc/cc1plus", "-quiet", "-march=znver3", "-fPIC"});
  CHECK(result.assemble == std::vector<std::string>{"as", "--64"});
}

TEST_CASE("host_probe: clang is run by its driver") {
  const HostCompiler result = parse_probe("/usr/bin/clang++",
                                          "Debian clang version 16.0.6\n"
                                          "Target: x86_64-pc-linux-gnu\n"
                                          " \"/usr/lib/llvm/bin/clang\" \"-cc1\" \"-\"\n");

  CHECK(result.clang);
  CHECK(result.translate.empty());
  CHECK(result.identity == "Debian clang version 16.0.6, x86_64-pc-linux-gnu");
}

TEST_CASE("host_probe: a program that is not a compiler gives nullopt") {
  CHECK_FALSE(probe("/bin/true"));
  CHECK_FALSE(probe("/nonexistent/g++"));
}

TEST_CASE(
    "host_probe: the architecture is a name for this kind of processor, the same on all cores") {
  const std::string first = host_architecture();

  CHECK(first == compiler::detail::instruction_set());
#ifdef __x86_64__
  CHECK(first.substr(0, 6) == "x86_64");
  const bool has_avx2 = __builtin_cpu_supports("avx2");
  CHECK((first.find(" avx2") != std::string::npos) == has_avx2);
#endif
}
