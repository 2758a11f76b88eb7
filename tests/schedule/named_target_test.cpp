#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/schedule/named_target.hpp>
#include <sinter/schedule/plan.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("named_target: each name has a target of this name, of a host or a GPU") {
  CHECK(target_names().size() == 12);
  for (const std::string_view name : target_names()) {
    const Target found = Target::named(name);
    CHECK(found.name == name);
    CHECK(found.streams() == (name.substr(0, 3) == "sm_"));
  }
  CHECK(Target::named("avx2").vectors.bits == 256);
  CHECK(Target::named("amx").vectors.has_amx);
  CHECK(Target::named("sm_80").multiprocessors.count == 108);
}

TEST_CASE("named_target: an unknown name is an error that lists the known ones") {
  try {
    Target::named("sm_70");
    FAIL("sm_70 has no tensor cores for bf16");
  } catch (const ValueError& error) {
    const std::string message = error.what();
    for (const std::string_view part : {"sm_70", "avx2", "amx", "sm_90"})
      CHECK(message.find(part) != std::string::npos);
  }
}

TEST_CASE("named_target: a GPU with fewer multiprocessors splits a deep product into fewer parts") {
  Program p;
  const Value x = p.input({64, 1 << 16}), y = p.input({1 << 16, 64});
  p.graph.outputs = {p.build.dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {0}})};
  const auto partial_bytes = [&](const char* name) {
    return plan(p.graph, {.target = Target::named(name)}).arena_bytes.number();
  };
  CHECK(partial_bytes("sm_86") < partial_bytes("sm_90"));
}

TEST_CASE("named_target: hosts have the same kernels, whatever their vectors") {
  Program p;
  p.graph.outputs = {p.softmax(p.input({512, 1000}))};
  const auto text_of = [&](const char* name) {
    return to_string(plan(p.graph, {.row_tiles = true, .target = Target::named(name)}));
  };
  CHECK(text_of("avx2") == text_of("amx"));
  CHECK(text_of("neon") == text_of("avx512"));
}
