#include <doctest/doctest.h>
#include <sinter/jit/lower/host_target.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("host_target: vectors have the width of this machine") {
  const int bits = jit::host_vector_bits();
  CHECK((bits == 128 || bits == 256 || bits == 512));
}

TEST_CASE("host_target: the answer stays the same, and machines with AMX have 512-bit vectors") {
  CHECK(jit::host_has_amx() == jit::host_has_amx());
  const bool chosen = std::getenv("SINTER_VECTOR_BITS") != nullptr;
  if (!chosen && jit::host_has_amx()) CHECK(jit::host_vector_bits() == 512);
}

TEST_CASE("host_target: caches are those that sysfs describes, else the default ones") {
  const std::filesystem::path folder = std::filesystem::path(SINTER_TEST_DIR) / "caches";
  const auto write = [&](int index, const std::string& name, const std::string& line) {
    const auto path = folder / ("index" + std::to_string(index));
    std::filesystem::create_directories(path);
    std::ofstream(path / name) << line << "\n";
  };
  const auto add = [&](int index, const char* level, const char* type, const char* size) {
    write(index, "level", level), write(index, "type", type), write(index, "size", size);
  };
  std::filesystem::remove_all(folder);
  add(0, "1", "Data", "48K"), write(0, "ways_of_associativity", "12");
  add(1, "1", "Instruction", "64K");
  add(2, "2", "Unified", "256K");
  const schedule::Caches found = jit::detail::caches_in(folder.string()), usual;
  CHECK(found.l1 == 48 << 10);
  CHECK(found.l1_way == 4096);
  CHECK(found.l2 == 256 << 10);
  CHECK(found.last_level == usual.last_level);
  CHECK(jit::detail::caches_in("/no/such/folder").l2 == usual.l2);
}

TEST_CASE("host_target: this machine as a target has its vectors and caches") {
  const schedule::Target found = jit::machine_target();
  CHECK(found.vectors.bits == jit::host_vector_bits());
  CHECK(found.caches.l2 == jit::host_caches().l2);
  CHECK(found.finalizers);
}
