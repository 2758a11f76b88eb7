// test: deep cost=30
#include <doctest/doctest.h>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/jit/lower/host_target.hpp>

#include "runner.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

/// A product of matrices, batched if `batch` is not 1, in one of its many forms.
struct Form {
  DType dtype = f32, stored = f32;  ///< Of the sums, and of the operands.
  bool left_transposed = false, right_transposed = false;
  bool prologue = false, epilogue = false, guarded = false;
};

Kernel matrices(const std::string& name, Sizes& sizes, const Form& form) {
  KernelBuilder b(name, form.right_transposed ? VectorAxis::stage : VectorAxis::grid);
  const Extent batch = sizes(b), m = sizes(b), n = sizes(b), depth = sizes(b);
  const auto x = b.argument(form.stored, Access::read, batch * m * depth);
  const auto w = b.argument(form.stored, Access::read, batch * depth * n);
  const auto bias = b.argument(form.dtype, Access::read, n);
  const auto y = b.argument(form.dtype, Access::write, batch * m * n);
  const Extent g = b.grid(batch), i = b.grid(m, 4), j = b.grid(n, 2);
  b.stage();
  const Extent k = b.loop(depth);
  const Extent row = form.left_transposed ? (g * depth + k) * m + i : (g * m + i) * depth + k;
  const Extent column = form.right_transposed ? (g * n + j) * depth + k : (g * depth + k) * n + j;
  Vector<Guard> guards;
  if (form.guarded) guards.push_back({j + k - 2, 0, n});
  const auto cast = [&](ValueId value) {
    return form.stored == form.dtype ? value : b.compute(Op::cast, form.dtype, {value});
  };
  ValueId lhs = cast(b.load(x, row));
  const ValueId rhs = cast(b.load(w, column, guards));
  if (form.prologue) lhs = b.compute(Op::maximum, form.dtype, {lhs, b.number(0, form.dtype)});
  const ValueId sum = b.reduce(Op::sum, form.dtype, b.compute(Op::mul, form.dtype, {lhs, rhs}));
  b.stage();
  ValueId result = sum;
  if (form.epilogue) {
    result = b.compute(Op::add, form.dtype, {sum, b.load(bias, j)});
    result = b.compute(Op::maximum, form.dtype, {result, b.index(i, form.dtype)});
  }
  b.store(y, (g * m + i) * n + j, result);
  return b.kernel;
}

struct Run {
  Kernel kernel;
  Vector<std::vector<std::int64_t>> sizes;
  Source source;
  double tolerance;
};

/// Appends a kernel for all of `shapes` if its sizes are symbols, else one for each.
void add(std::vector<Run>& runs, const Form& form, const codegen::CppOptions& options,
         const Vector<std::vector<std::int64_t>>& shapes, bool symbolic) {
  const bool half = form.dtype == bf16 || form.stored == bf16 || form.stored == f16;
  const double tolerance = is_floating(form.dtype) ? half ? 3e-2 : 2e-5 : 0;
  for (const std::vector<std::int64_t>& shape : shapes) {
    Sizes sizes(shape, symbolic);
    const Kernel kernel = matrices(text("p", runs.size()), sizes, form);
    const Vector<std::vector<std::int64_t>> none{{}};
    runs.push_back({kernel, symbolic ? shapes : none, codegen::emit_cpp(kernel, options),
                    options.strict && !half ? 0 : tolerance});
    if (symbolic) return;
  }
}

// `before` is prepended to the text.
void check(const std::vector<Run>& runs, const std::string& before = "") {
  Vector<Source> sources;
  std::string all;
  for (const Run& run : runs) {
    bool known = false;
    for (const Source& source : sources) known = known || source.name == run.source.name;
    if (!known) sources.push_back(run.source);
  }
  all = before + codegen::cpp_prelude(sources);
  for (const Source& source : sources) all += source.text;
  const HostLibrary library(all);
  for (const Run& run : runs) {
    for (const std::vector<std::int64_t>& sizes : run.sizes) {
      for (const long threads : {1, 3}) {
        INFO(run.source.name, " ", text(sizes), ", threads: ", threads, "\n",
             to_string(run.kernel));
        const Trial trial{.tolerance = run.tolerance, .threads = threads};
        CHECK(difference(run.kernel, library.function(run.source.name), sizes, trial) == "");
      }
    }
  }
}

const Vector<std::vector<std::int64_t>> shapes{{1, 0, 5, 3},   {1, 3, 0, 5},    {2, 5, 3, 0},
                                               {1, 1, 1, 1},   {1, 1, 64, 7},   {1, 5, 65, 6},
                                               {3, 6, 63, 5},  {1, 7, 1, 129},  {1, 64, 7, 65},
                                               {2, 65, 64, 1}, {1, 17, 129, 5}, {1, 129, 10, 6}};

std::vector<Form> forms() {
  std::vector<Form> result;
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      result.push_back({.left_transposed = left, .right_transposed = right, .epilogue = left});
      result.push_back({.left_transposed = left,
                        .right_transposed = right,
                        .prologue = true,
                        .epilogue = true,
                        .guarded = true});
    }
  }
  return result;
}

}  // namespace

TEST_CASE(
    "product_form: matrices of any shape, either of them transposed, in vectors of any width") {
  std::vector<Run> runs;
  for (const Form& form : forms()) {
    for (const int bits : {512, 256})
      add(runs, form, {.target = {.vectors = {.bits = bits}}}, shapes, true);
    if (form.left_transposed != form.right_transposed) continue;
    for (const int bits : {128, 0})
      add(runs, form, {.target = {.vectors = {.bits = bits}}}, shapes, true);
    add(runs, form, {.target = {.vectors = {.bits = 512}}, .strict = true}, shapes, true);
  }
  check(runs);
}

TEST_CASE("product_form: matrices of known sizes") {
  std::vector<Run> runs;
  const Vector<std::vector<std::int64_t>> some{
      {1, 1, 64, 7}, {1, 7, 1, 129}, {2, 65, 64, 1}, {1, 17, 129, 5}};
  for (const Form& form : forms())
    add(runs, form, {.target = {.vectors = {.bits = 512}}}, some, false);
  check(runs);
}

TEST_CASE("product_form: all dtypes, also those that are converted while packing") {
  std::vector<Run> runs;
  const Vector<std::vector<std::int64_t>> some{{1, 7, 65, 6}, {2, 5, 3, 17}, {1, 13, 64, 4}};
  for (const bool right : {false, true}) {
    for (const DType dtype : {f64, i8, u8, i16, i32, i64, bf16}) {
      add(runs, {.dtype = dtype, .stored = dtype, .right_transposed = right}, {}, some, false);
    }
    for (const DType stored : {bf16, f16, i8}) {
      add(runs, {.stored = stored, .right_transposed = right, .epilogue = true}, {}, some, true);
    }
  }
  check(runs);
}

namespace {

std::vector<Run> runs_of_pairs(bool squares) {
  std::vector<Run> runs;
  const codegen::CppOptions options{
      .target = {.vectors = {.has_bf16_dot = true, .has_amx = squares}}};
  const Vector<std::vector<std::int64_t>> some{{1, 5, 0, 3},  {1, 2, 3, 0},   {1, 1, 64, 7},
                                               {3, 6, 63, 5}, {1, 7, 1, 129}, {1, 65, 129, 6}};
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      Form form{.stored = bf16, .left_transposed = left, .right_transposed = right};
      add(runs, form, options, some, true);
      form.dtype = bf16;
      form.epilogue = true;
      if (left == right) add(runs, form, options, {{2, 18, 65, 7}}, false);
      form.prologue = form.guarded = true;
      add(runs, form, options, some, true);
    }
  }
  codegen::CppOptions parts = options;
  parts.tuning.panel_kilobytes = 4;
  add(runs, {.stored = bf16}, parts, {{1, 17, 5, 301}}, true);
  add(runs, {.stored = bf16, .right_transposed = true}, parts, {{1, 17, 5, 301}}, true);
  add(runs, {.stored = bf16, .left_transposed = true}, parts, {{1, 17, 5, 301}}, false);
  add(runs, {.dtype = bf16, .stored = bf16, .guarded = true}, parts, {{1, 17, 5, 301}}, true);
  for (const Run& run : runs) {
    const std::string_view name = squares ? "multiply_squares_" : "multiply_pairs_";
    CHECK((run.source.text.find(name) != std::string::npos));
  }
  return runs;
}

}  // namespace

TEST_CASE("product_form: bf16 dot products, on machines without the instruction too") {
  const std::vector<Run> runs = runs_of_pairs(false);
  check(runs);
  check(runs, "#undef __AVX512BF16__\n");
}

TEST_CASE("product_form: AMX tiles, on machines without them too") {
  const std::vector<Run> runs = runs_of_pairs(true);
  if (jit::host_has_amx()) check(runs);
  check(runs, "#undef __AMX_BF16__\n");
}

TEST_CASE("product_form: sums longer than a panel are computed in blocks, in order if strict") {
  std::vector<Run> runs;
  for (const bool strict : {false, true}) {
    add(runs, {.left_transposed = !strict}, {.strict = strict}, {{1, 17, 5, 1100}}, true);
    add(runs, {.right_transposed = true, .prologue = strict}, {.strict = strict},
        {{1, 17, 5, 1100}}, true);
  }
  add(runs, {.dtype = f64, .stored = f64}, {}, {{1, 17, 20, 1400}}, false);
  check(runs);
}

TEST_CASE(
    "product_form: rows that map to the same set of the L1 cache are packed for many columns") {
  std::vector<Run> runs;
  const codegen::CppOptions options{.target = {.vectors = {.bits = 256}}};
  add(runs, {.epilogue = true}, options, {{1, 17, 256, 1024}}, false);
  add(runs, {}, {.target = {.vectors = {.bits = 256}}, .strict = true}, {{2, 7, 257, 1024}}, false);
  const std::size_t packed = runs.size();
  add(runs, {}, options, {{1, 17, 256, 1040}}, false);  // rows map to different sets
  add(runs, {}, options, {{1, 17, 240, 1024}}, false);  // too few columns to pay for a copy
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool has_block = runs[i].source.text.find("block + (r - first)") != std::string::npos;
    CHECK(has_block == (i < packed));
  }
  check(runs);
}

TEST_CASE("product_form: the loops of a kernel are those of a batch, of rows, columns and depth") {
  Sizes sizes({3, 8, 16, 32}, false);
  const Kernel kernel = matrices("p", sizes, {});
  const auto form = codegen::product_form(kernel, false);
  REQUIRE(form);
  CHECK(same(codegen::count_of(form->batch), 3));
  CHECK(same(codegen::count_of(form->rows), 8));
  CHECK(same(codegen::count_of(form->columns), 16));
  CHECK(same(codegen::count_of(form->depth), 32));
  Sizes rows({8, 16}, false);
  CHECK_FALSE(codegen::product_form(softmax("s", rows, f32), false));
}
