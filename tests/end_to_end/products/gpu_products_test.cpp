// test: deep emulator
// Matrix products on a GPU, here an emulated one: with tensor cores, register tiles, and few rows.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <string>
#include <vector>

#include "cuda_emulator/emulator.hpp"
#include "gpu.hpp"

using namespace gpu;

namespace {

using List = std::vector<Tensor>;

/// A test case: a function of matrices, and its number of launches.
struct Case {
  std::string name;
  std::vector<Shape> shapes;
  Tensor (*function)(const List&);
  std::size_t launches;  ///< Of kernels.
};

const std::vector<Case> cases{
    {"a bias and gelu",
     {{33, 70}, {70, 50}, {50}},
     [](const List& x) { return gelu(matmul(x[0], x[1]) + x[2]); },
     1},
    {"a batch, what is added",
     {{3, 20, 30}, {3, 30, 10}, {3, 20, 10}},
     [](const List& x) { return bmm(x[0], x[1]) + x[2]; },
     1},
    {"a weight of rows",
     {{2, 17, 64}, {40, 64}},
     [](const List& x) { return matmul(x[0], transpose(x[1], 0, 1)); },
     1},
    {"axes between others",
     {{2, 12, 4, 16}, {2, 12, 4, 16}},
     [](const List& x) {
       return einsum("bthd,bshd->bhts", {x[0], x[1]});
     },
     1},
    {"windows",
     {{2, 3, 9, 9}, {8, 3, 3, 3}, {8}},
     [](const List& x) {
       return relu(conv2d(x[0], x[1], x[2], {.padding = {1, 1}}));
     },
     1},
    {"few results of a great depth, in parts",
     {{4096, 20}, {4096, 12}, {12}},
     [](const List& x) { return tanh(matmul(transpose(x[0], 0, 1), x[1]) * 0.01f + x[2]); },
     2},
    {"one row", {{1, 128}, {128, 96}}, [](const List& x) { return tanh(matmul(x[0], x[1])); }, 1},
    {"one row by a weight of rows",
     {{1, 128}, {96, 128}},
     [](const List& x) { return matmul(x[0], transpose(x[1], 0, 1)); },
     1},
    {"operands that are made f32",
     {{16, 64}, {64, 48}},
     [](const List& x) { return matmul(x[0].to(f32), x[1].to(f32)); },
     1},
};

}  // namespace

TEST_CASE("gpu products: a product and its epilogue are one kernel") {
  for (const DType dtype : {f32, bf16, f16}) {
    const compiler::FreshCache fresh;
    const emulator::Emulator machine;
    const double tolerance = dtype == f32 ? 1e-5 : dtype == bf16 ? 1e-2 : 2e-3;
    for (const Case& one : cases) {
      INFO(text(dtype), ", ", one.name);
      random::manual_seed(3);
      List here, there;
      for (const Shape& shape : one.shapes) here.push_back(randn(shape).to(dtype));
      for (const Tensor& x : here) there.push_back(x.to(cuda()));
      auto f = compile(one.function);
      const std::size_t before = machine.launches();
      const Tensor result = f(there).to(cpu());
      CHECK(machine.launches() - before == one.launches);
      const Tensor expected = compile(one.function, {.backend = Backend::eager})(here);
      CHECK(relative_difference(result, expected) <= tolerance);
    }
  }
}
