#include <doctest/doctest.h>
#include <sinter/codegen/cpp/nest/transpose.hpp>

#include "runner.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

// out[i, k, j] = x[j, k, i] + z[i, k, j]
Kernel transposed(const std::string& name, DType dtype, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b), middle = 2;
  const Extent elements = n * m * middle;
  const auto x = b.argument(dtype, Access::read, elements);
  const auto z = b.argument(dtype, Access::read, elements);
  const auto y = b.argument(dtype, Access::write, elements);
  const Extent i = b.grid(m), k = b.grid(middle), j = b.grid(n);
  b.stage();
  const Extent target = (i * middle + k) * n + j;
  const ValueId across = b.load(x, (j * middle + k) * m + i), straight = b.load(z, target);
  const Op op = dtype == boolean ? Op::bitwise_xor : Op::add;
  b.store(y, target, b.compute(op, dtype, {across, straight}));
  return b.kernel;
}

struct Trying {
  Kernel kernel;
  Vector<std::vector<std::int64_t>> sizes;  // values of its symbols, tested one after another
};

std::vector<Trying> all_kernels() {
  std::vector<Trying> all;
  const auto add = [&](DType dtype, std::vector<std::int64_t> sizes) {
    Sizes numbers(sizes, false);
    const std::string name = text("transposed_", dtype, "_", sizes[0], "_", sizes[1]);
    all.push_back({transposed(name, dtype, numbers), {{}}});
  };
  for (const DType dtype : {boolean, u8, i16, f16, bf16, i32, f32, f64}) {
    add(dtype, {97, 104});
    Sizes symbols({0, 0}, true);
    all.push_back({transposed(text("transposed_", dtype, "_any"), dtype, symbols),
                   {{0, 5}, {1, 1}, {7, 9}, {8, 8}, {97, 120}}});
  }
  for (const std::int64_t n : {8, 16, 192, 203}) add(f32, {n, 211 - n});
  return all;
}

}  // namespace

TEST_CASE("transpose: loads along another loop give the same as element by element") {
  const std::vector<Trying> all = all_kernels();
  for (const int bits : {512, 256, 128}) {
    Vector<Source> sources;
    for (const Trying& one : all) {
      sources.push_back(codegen::emit_cpp(one.kernel, {.target = {.vectors = {.bits = bits}}}));
      const bool pays = bits > 128 || one.kernel.arguments[0].dtype != f64;  // else 2 lanes
      CHECK(contains(sources.back().text, "transpose_") == pays);
    }
    std::string whole = codegen::cpp_prelude(sources);
    for (const Source& source : sources) whole += source.text;
    const HostLibrary library(whole);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const std::vector<std::int64_t>& sizes : all[i].sizes) {
        INFO(all[i].kernel.name, " in ", bits, " bits");
        const Trial trial{.tolerance = 1e-2, .threads = 3};
        CHECK(difference(all[i].kernel, library.function(sources[i].name), sizes, trial) == "");
      }
    }
  }
}

TEST_CASE(
    "transpose: tiles need eight iterations of both loops, and loads "
    "that are not guarded") {
  const auto text_of = [](std::vector<std::int64_t> sizes) {
    Sizes given(sizes, false);
    return codegen::emit_cpp(transposed("transposed", f32, given), {}).text;
  };
  CHECK(contains(text_of({64, 64}), "transpose_f32(tile0, 96, in0 + "));
  CHECK_FALSE(contains(text_of({7, 64}), "transpose_"));
  CHECK_FALSE(contains(text_of({64, 7}), "transpose_"));
}

TEST_CASE("transpose: threads share whole tiles") {
  Sizes sizes({512, 512}, false);
  const std::string text = codegen::emit_cpp(transposed("transposed", f32, sizes), {}).text;
  CHECK(contains(text, "share(512, 96, thread, threads)"));
}

TEST_CASE("transpose: iterations that are written out read their own elements, not one tile") {
  Sizes symbols({0, 0}, true);
  Kernel kernel = transposed("written_out", f32, symbols);
  kernel.grid[1].unroll = 2;
  const Source source = codegen::emit_cpp(kernel, {});
  CHECK_FALSE(contains(source.text, "transpose_"));
  const HostLibrary library(codegen::cpp_prelude(Vector<Source>{source}) + source.text);
  const std::vector<std::vector<std::int64_t>> all = {{8, 8}, {97, 120}};
  for (const std::vector<std::int64_t>& sizes : all) {
    CHECK(difference(kernel, library.function(source.name), sizes, {.threads = 3}) == "");
  }
}
