// test: emulator
#include "cublaslt.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;
using sinter::detail::CublasLt;

namespace {

// A product of 6 x 4 by 4 x 5, stored by columns. Tests change its public members.
struct Example {
  Example() { use_device(0); }

  const CublasLt& table = *sinter::detail::cublaslt();
  std::int64_t leading = 6;
  std::size_t elements_of_a = 24;
  bool writes_b = true;
  std::uint64_t shift = 0;  // misaligns d, in bytes
  std::uint32_t promised = 256;
  std::uint64_t other_rows = 6;  // rows of the product that the algorithm is used for
  int status = 0;

  std::vector<void*> layouts(std::uint64_t rows) const {
    std::vector<void*> result(4);
    const auto make = [&](std::size_t i, std::uint64_t r, std::uint64_t c, std::int64_t pitch) {
      REQUIRE(table.create_layout(&result[i], CublasLt::data_f32, r, c, pitch) == 0);
    };
    make(0, rows, 4, leading), make(1, 4, 5, 4), make(2, rows, 5, 6), make(3, rows, 5, 6);
    return result;
  }

  std::vector<float> run() {
    const Buffer<float> a(std::vector<float>(elements_of_a, 2.0f)), d(40);
    const Buffer<float> full(std::vector<float>(20, 3.0f)), empty(20);
    const Buffer<float>& b = writes_b ? full : empty;
    void *handle = nullptr, *description = nullptr, *preference = nullptr;
    REQUIRE(table.create(&handle) == 0);
    table.create_description(&description, CublasLt::compute_f32, CublasLt::data_f32);
    table.create_preference(&preference);
    table.set_preference(preference, CublasLt::alignment_d, &promised, sizeof(promised));
    const auto asked = layouts(6), used = layouts(other_rows);
    sinter::detail::CublasLtChoice choice;
    int given = 0;
    status = table.heuristic(handle, description, asked[0], asked[1], asked[2], asked[3],
                             preference, 1, &choice, &given);
    const float one = 1, none = 0;
    const auto at = [](std::uint64_t address) { return reinterpret_cast<void*>(address); };
    if (status == 0) {
      status = table.multiply(handle, description, &one, at(a.address()), used[0], at(b.address()),
                              used[1], &none, at(d.address()), used[2], at(d.address() + shift),
                              used[3], choice.algorithm, nullptr, 0, nullptr);
    }
    for (void* const layout : asked) table.destroy_layout(layout);
    for (void* const layout : used) table.destroy_layout(layout);
    table.destroy_description(description);
    table.destroy_preference(preference);
    table.destroy(handle);
    if (status != 0) return {};
    status = driver().synchronize();
    return status == 0 && shift == 0 ? d.values() : std::vector<float>();
  }
};

std::string report_of(emulator::Emulator& machine) {
  const std::vector<std::string> all = machine.reports();
  return all.empty() ? "nothing" : all[0];
}

}  // namespace

TEST_CASE("emulator: cuBLASLt multiplies when its stream comes to it") {
  Emulator machine;
  Example example;
  const std::vector<float> values = example.run();
  CHECK(machine.products() == 1);
  CHECK(machine.heuristics() == 1);
  REQUIRE(values.size() == 40);
  CHECK(values[0] == 24);
  CHECK(values[29] == 24);
  CHECK(report_of(machine).find("read of unwritten memory") == 0);  // padding of d
}

TEST_CASE("emulator: products that touch what they must not are reported") {
  Emulator machine;
  Example beyond;
  beyond.elements_of_a = 23;
  beyond.run();
  CHECK(beyond.status == 700);
  CHECK(report_of(machine).find("out of bounds: cuBLASLt, column 3 of a") == 0);
}

TEST_CASE("emulator: products of what nobody wrote are reported") {
  Emulator machine;
  Example unwritten;
  unwritten.writes_b = false;
  unwritten.run();
  CHECK(report_of(machine).find("read of unwritten memory: cuBLASLt, column 0 of b") == 0);
  machine.reports();
}

TEST_CASE("emulator: calls of cuBLASLt that break its rules are refused, and reported") {
  Emulator machine;
  Example narrow;
  narrow.leading = 5;
  narrow.run();
  CHECK(narrow.status == 7);
  CHECK(report_of(machine) == "cuBLASLt: columns of 6 elements that lie 5 apart");

  Example shifted;
  shifted.shift = 4;
  shifted.run();
  CHECK(shifted.status == 7);
  CHECK(report_of(machine).find("cuBLASLt: matrix d is not aligned to 256 bytes") == 0);
  shifted.promised = 4;
  shifted.run();
  CHECK(shifted.status == 0);

  Example other;
  other.other_rows = 5;
  other.run();
  CHECK(other.status == 7);
  CHECK(report_of(machine) == "cuBLASLt: the algorithm of another product");
}

TEST_CASE("emulator: what was made of cuBLASLt and not given back is counted") {
  Emulator machine;
  use_device(0);
  void* handle = nullptr;
  REQUIRE(sinter::detail::cublaslt()->create(&handle) == 0);
  CHECK(forget_library_objects() == 1);
  CHECK(sinter::detail::cublaslt()->destroy(handle) != 0);
  CHECK(report_of(machine).find("destroyed what cuBLASLt has not made") == 0);
}
