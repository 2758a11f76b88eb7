// test: emulator
// Faults planted in the text of CUDA kernels: the emulator reports each, or the result differs.

#include <doctest/doctest.h>

#include "cuda_emulated.hpp"
#include "cuda_product_kernels.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

/// One kernel for each way in which kernels are emitted.
struct Kind {
  std::string name{};
  Kernel (*kernel)() = nullptr;
  std::vector<std::int64_t> sizes{};
  int spare = 0;  ///< Redundant barriers: others order the same accesses.
  bool strict = false;
};

Kernel rows(Op op, std::int64_t columns, DType dtype) {
  Sizes sizes({3, columns}, false);
  return reduction("rows", sizes, op, dtype, VectorAxis::stage);
}
Kernel columns(Op op, DType dtype) {
  Sizes sizes({70, 17}, false);
  return reduction("columns", sizes, op, dtype, VectorAxis::grid);
}
Kernel softmax_of(std::int64_t rows, std::int64_t columns, bool symbolic = false) {
  Sizes sizes({rows, columns}, symbolic);
  return softmax("softmax", sizes, f32);
}
Kernel product(std::int64_t m, DType dtype) {
  return product_of("product", {1, m, 40, 70}, KnownSizes::exactly, {.dtype = dtype, .sum = f32});
}
Kernel tile() {
  Sizes sizes({77, 40}, false);
  return transposed("tiles", sizes);
}
Kernel scan() {
  Sizes sizes({3, 300}, false);
  return cumulate("scan", sizes, Op::cumsum, f32, VectorAxis::none);
}
Kernel sort() {
  Sizes sizes({3, 40}, false);
  return sorted_rows("sorted", sizes, i8, false);
}
Kernel pack() {
  Sizes sizes({1023}, false);
  return binary("packs", sizes, Op::add, f32);
}

const Kind one_fold{"a sum of a row", [] { return rows(Op::sum, 1000, f32); }};
const Kind block_rows{
    .name = "a row of a block", .kernel = [] { return softmax_of(3, 1030); }, .spare = 1};
const Kind long_rows{.name = "a row in shared memory",
                     .kernel = [] { return softmax_of(3, 500, true); },
                     .sizes = {3, 500},
                     .spare = 2};
const Kind warp_rows{"rows of parts of a warp", [] { return softmax_of(70, 10); }};
const Kind argmax_rows{"argmax of a row", [] { return rows(Op::argmax, 1000, i8); }};
const Kind strict_rows{.name = "a strict sum of a row",
                       .kernel = [] { return rows(Op::sum, 300, f64); },
                       .strict = true};
const Kind sum_columns{"columns", [] { return columns(Op::sum, f32); }};
const Kind argmax_columns{"argmax of columns", [] { return columns(Op::argmax, i8); }};
const Kind tiles{"tiles", tile};
const Kind scans{.name = "a scan", .kernel = scan, .spare = 1};
const Kind sorts{"a sort", sort};
const Kind registers{
    .name = "a product in registers", .kernel = [] { return product(40, f32); }, .spare = 1};
const Kind mma{
    .name = "a product of tensor cores", .kernel = [] { return product(40, bf16); }, .spare = 1};
const Kind few_rows{
    .name = "a product of few rows", .kernel = [] { return product(2, bf16); }, .spare = 1};
const Kind packs{"packs", pack};

/// The program of one kernel, which a test changes before it is compiled.
class Planted {
 public:
  explicit Planted(const Kind& kind)
      : options_{.strict = kind.strict},
        kernel_(kind.kernel()),
        source_(codegen::emit_cuda(kernel_, options_)),
        text_(cuda_program({source_})),
        sizes_(kind.sizes) {}

  const std::string& text() const { return text_; }

  /// The report, or the difference in the result, if the program is `text` instead; "" if none.
  std::string found(const std::string& text) const {
    emulator::Emulator machine;
    emulator::use_device(0);
    const emulator::Program program(text);
    const Call call = call_emulated(program, source_, kernel_, Outputs::unwritten, 2, options_);
    const std::string wrong = difference(kernel_, call, sizes_, {.tolerance = 1e-5});
    const std::string report = first_report(machine);
    return report.empty() ? wrong : report;
  }

 private:
  codegen::CudaOptions options_;
  Kernel kernel_;
  Source source_;
  std::string text_;
  std::vector<std::int64_t> sizes_;
};

}  // namespace

TEST_CASE("planted in CUDA: removing any barrier is detected") {
  for (const Kind* const one :
       {&one_fold, &block_rows, &long_rows, &argmax_rows, &sum_columns, &argmax_columns, &tiles,
        &scans, &sorts, &registers, &mma, &few_rows}) {
    const Kind& kind = *one;
    INFO(kind.name);
    const Planted planted(kind);
    CHECK(planted.found(planted.text()) == "");
    const std::string barrier = "__syncthreads();";
    int barriers = 0;
    std::string missed;
    for (std::size_t at = 0; (at = planted.text().find(barrier, at)) != std::string::npos; ++at) {
      ++barriers;
      std::string without = planted.text();
      if (planted.found(without.erase(at, barrier.size())).empty()) missed += text(" ", barriers);
    }
    INFO(barriers, " barriers, not noticed:", missed);
    CHECK(barriers > kind.spare);
    CHECK(count(missed, " ") == kind.spare);
  }
}

namespace {

struct Change {
  const char* name;
  const Kind& kind;
  std::string printed, instead;
};

const Change changes[]{
    {"a pack goes past the end", packs, "if (i0 + 4 <= 1023)", "if (i0 + 4 <= 1024)"},
    {"a last element is left out", packs, "i0 < 1023; ++i0", "i0 < 1022; ++i0"},
    {"a pack of a row goes past its end", block_rows,
     "if (at < whole) row[i] =", "if (at <= whole) row[i] ="},
    {"half of a warp is not asked", block_rows, "offset = threads / 2", "offset = threads / 4"},
    {"a warp's part is left out", block_rows, "warp < warps; ++warp", "warp + 1 < warps; ++warp"},
    {"a row's mask is that of the first row", warp_rows, " << threadIdx.x % 32 / threads * threads",
     ""},
    {"a row is folded with its neighbour", warp_rows, "offset = threads / 2", "offset = threads"},
    {"the first of equals is the last", argmax_rows, "there < at", "there > at"},
    {"another lane has the sum", strict_rows, "__shfl_sync(~0u, a1, 0)",
     "__shfl_sync(~0u, a1, 31)"},
    {"a thread without a column has one", sum_columns, "live ? ", "true ? "},
    {"a column is not folded with the last", sum_columns, "offset >= columns", "offset > columns"},
    {"a tile reads past the end", tiles, " < 40", " < 41"},
    {"a tile is transposed twice", tiles, "[x][row];", "[row][x];"},
    {"the first lanes of a scan add themselves", scans, "if (lane >= offset) v", "v"},
    {"a warp of a scan ends a lane early", scans, "lane == 31", "lane == 30"},
    {"a sort forgets who was first", sorts, "(x == y && a < b)", "(x == y && a > b)"},
    {"a sort stops a level early", sorts, "1l << level < count", "2l << level < count"},
    {"copies are waited for a step late", registers, "wait_copies<buffers - 2>",
     "wait_copies<buffers - 1>"},
    {"a product leaves out a step", registers, "(depth + 15) / 16", "depth / 16"},
    {"a product's last rows are read past the end", mma, "rows - tile.row", "rows + 1 - tile.row"},
    {"a product's last rows are written past the end", mma, "row >= rows", "row > rows"},
};

}  // namespace

TEST_CASE("planted in CUDA: wrong bounds, lanes and orders are detected") {
  for (const Change& one : changes) {
    INFO(std::string(one.name));
    const Planted planted(one.kind);
    std::string changed = planted.text();
    for (std::size_t at = 0; (at = changed.find(one.printed, at)) != std::string::npos;) {
      changed.replace(at, one.printed.size(), one.instead);
      at += one.instead.size();
    }
    REQUIRE_MESSAGE(changed != planted.text(), changed);
    CHECK(planted.found(changed) != "");
  }
}
