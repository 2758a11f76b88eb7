#include <doctest/doctest.h>
#include <sinter/codegen/cuda/nest/row_registers.hpp>

#include <cstdint>
#include <vector>

#include "texts.hpp"

using namespace kernels;
using codegen::RowFragment;

namespace {

/// A softmax of rows of 1024, whose threads hold a row of `dtype` in packs of 4.
struct Held {
  explicit Held(DType dtype)
      : sizes({64, 1024}, false),
        kernel(softmax("s", sizes, dtype)),
        layout(kernel),
        parts{{.name = "row2", .dtype = dtype}},
        fragment_of(kernel.instructions.size(), -1) {}
  codegen::RowRegisters registers() const { return {layout, share, parts, fragment_of, target}; }

  Sizes sizes;
  Kernel kernel;
  codegen::Layout layout;
  codegen::RowShare share{.threads = 128, .lanes = 4, .steps = 2};
  Vector<RowFragment> parts;
  Vector<std::int32_t> fragment_of;
  schedule::Target target{};
};

}  // namespace

TEST_CASE("row_registers: 16-bit elements take half a register, 64-bit elements two") {
  CHECK(Held(f32).registers().fragment_words(8, true) == 8);
  CHECK(Held(bf16).registers().fragment_words(8, true) == 4);
  CHECK(Held(f64).registers().fragment_words(8, true) == 16);
  CHECK(codegen::widest_words(Held(f32).kernel) == 1);
  CHECK(codegen::widest_words(Held(f64).kernel) == 2);
}

TEST_CASE("row_registers: stores may be transient, rows that stages share are resident") {
  CHECK(RowFragment{.access = 3, .stored = true}.may_be_transient());
  CHECK_FALSE(RowFragment{.access = 3}.may_be_transient());
  CHECK_FALSE(RowFragment{.stored = true}.may_be_transient());  // a local row
  Held one(f32);
  one.parts.push_back({.name = "y", .access = 3, .dtype = f32, .stored = true});
  CHECK(one.registers().fragment_words(8, true, false) == 16);
  CHECK(one.registers().fragment_words(8, true, true) == 12);
}

TEST_CASE("row_registers: more threads have fewer registers each") {
  const Held one(f32);
  CHECK(one.registers().fits_registers(128, 2));
  CHECK_FALSE(one.registers().fits_registers(1024, 16));
}
