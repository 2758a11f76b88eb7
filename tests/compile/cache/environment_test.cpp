#include <doctest/doctest.h>

#include <string>

#include <sinter/base/text.hpp>
#include <sinter/compile/cache/environment.hpp>
#include <sinter/compile/host/probe.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

namespace {

// The environment of a kernel of this version.
std::string environment(const std::string& machine) {
  return text("sinter ", SINTER_VERSION_MAJOR, ".", SINTER_VERSION_MINOR, ".", SINTER_VERSION_PATCH,
              "\n", machine, "\ncontraction 1\nvectors 1");
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("environment: kernels for all instructions of this machine run here") {
  const std::string here = environment(host_machine_line(""));

  CHECK(unfit_reason(here).empty());
  CHECK(environment_here(here) == here);
}

TEST_CASE("environment: another version, machine or GPU is a reason") {
  const std::string here = environment(host_machine_line(""));

  CHECK(has(unfit_reason("sinter 0.0.1" + here.substr(here.find('\n'))), "sinter 0.0.1"));
  CHECK(has(unfit_reason(environment("machine pdp11 with eis")), "are for pdp11"));
  CHECK(has(unfit_reason(environment("machine cuda sm_10")), "a GPU of sm_10"));
}

#ifdef __x86_64__
TEST_CASE("environment: a machine needs the instructions that a kernel has, and may have more") {
  const std::string baseline = environment("machine x86_64 with sse3");
  const std::string future = environment("machine x86_64 with sse3 avx9 avx10");

  CHECK(unfit_reason(baseline).empty());
  CHECK(environment_here(baseline) == environment(host_machine_line("")));
  CHECK(unfit_reason(future) == "need avx9, avx10, which this machine lacks");
}

TEST_CASE("environment: what is compiled for an architecture by name is the same everywhere") {
  const std::string any = environment(host_machine_line("x86-64"));

  CHECK(has(any, "\nmachine x86_64 x86-64\n"));
  CHECK(unfit_reason(any).empty());
  CHECK(environment_here(any) == any);
}
#endif
