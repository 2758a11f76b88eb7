// test: deep emulator cost=35
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/attention/streaming.hpp>
#include <sinter/schedule/plan.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "cuda_emulated.hpp"
#include "nvrtc_check.hpp"

#include "cuda_emulator/emulator.hpp"
#include "schedule/against_interpreter.hpp"
#include "schedule/programs.hpp"

using namespace kernels;
using programs::Program;

namespace {

using Symbols = std::vector<std::int64_t>;

/// An attention: each query sees all keys, the keys up to its own (causal), or those of a mask.
struct Attention {
  DType dtype = f32;
  Extent batch = 2, queries = 40, keys = 40, width = 16, out = 16;
  bool causal = false, masked = false;
  bool taken = false;  ///< A bias is gathered from a table and added, per key.
  Symbols symbols{};
  bool tf32 = false;  ///< Whether tensor cores multiply f32.
};

bool is_half(DType dtype) { return info(dtype).size == 2; }

Value scores_of(Program& p, const Attention& a, Value q, Value k) {
  const DotAxes rows{.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {2}};
  const Value scores = p.build.dot_general(q, k, rows);
  return is_half(a.dtype) ? p.build.cast(scores, f32) : scores;
}

Value mixed(Program& p, const Attention& a, Value weights, Value v) {
  if (is_half(a.dtype)) weights = p.build.cast(weights, a.dtype);
  return p.build.dot_general(
      weights, v, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {1}});
}

Value visible(Program& p, const Attention& a, Value scores) {
  const Shape shape{a.batch, a.queries, a.keys};
  if (a.taken) {
    const Value any = p.input({a.keys}, i64);
    const Value at = p.build.elementwise(Op::remainder, {any, p.number(9, any)});
    const Value read = p.build.gather(p.input({9}, p.graph.type(scores).dtype), at, 0);
    scores = p.build.add(scores, p.broadcast(read, shape));
  }
  const Value none = p.number(-HUGE_VAL, scores);
  if (a.masked) return p.build.select(p.input(shape, boolean), scores, none);
  if (!a.causal) return scores;
  const Value row = p.build.iota({i64, shape}, 1), column = p.build.iota({i64, shape}, 2);
  return p.build.select(p.build.elementwise(Op::ge, {row, column}), scores, none);
}

Graph forward(const Attention& a) {
  Program p;
  const Value q = p.input({a.batch, a.queries, a.width}, a.dtype);
  const Value k = p.input({a.batch, a.keys, a.width}, a.dtype);
  const Value v = p.input({a.batch, a.keys, a.out}, a.dtype);
  const Value scores = visible(p, a, scores_of(p, a, q, k));
  p.graph.outputs = {mixed(p, a, p.softmax(scores), v)};
  return p.graph;
}

// The gradient of the queries, which recomputes the weights.
Graph backward(const Attention& a) {
  Program p;
  const Value q = p.input({a.batch, a.queries, a.width}, a.dtype);
  const Value k = p.input({a.batch, a.keys, a.width}, a.dtype);
  const Value v = p.input({a.batch, a.keys, a.out}, a.dtype);
  const Value g = p.input({a.batch, a.queries, a.out}, a.dtype);
  const Value weights = p.softmax(visible(p, a, scores_of(p, a, q, k)));
  const Value of_weights = scores_of(p, a, g, v);
  const Value total = p.along_row(Op::sum, p.build.mul(weights, of_weights));
  p.graph.outputs = {mixed(p, a, p.build.mul(weights, p.build.sub(of_weights, total)), k)};
  return p.graph;
}

struct Run {
  Attention of;
  Graph graph;
  schedule::Plan plan;
  Source source;

  Run(const Attention& attention, Graph made)
      : of(attention), graph(std::move(made)), plan(schedule::plan(graph, {.row_tiles = true})) {
    REQUIRE(plan.launches.size() == 1);
    REQUIRE(codegen::cuda_streaming_form(kernel(), {}).has_value());
    source = codegen::emit_cuda(kernel(), options());
  }
  codegen::CudaOptions options() const { return {.tf32 = of.tf32, .tuning = {}}; }
  const schedule::Kernel& kernel() const { return plan.kernels[0]; }
};

std::string program_of(const std::vector<Run>& runs) {
  Vector<Source> sources;
  for (const Run& run : runs) {
    bool known = false;
    for (const Source& one : sources) known = known || one.name == run.source.name;
    if (!known) sources.push_back(run.source);
  }
  return cuda_program(sources);
}

// The output of the kernel of `run` for `inputs`.
Storage result_of(const emulator::Program& program, const Run& run, const Vector<Storage>& inputs,
                  std::size_t bytes) {
  Storage output = Storage::allocate(bytes);
  std::vector<void*> buffers;
  std::vector<long> sizes;
  const schedule::Launch& launch = run.plan.launches[0];
  for (const std::int32_t id : launch.buffers) {
    const schedule::Buffer& buffer = run.plan.buffers[static_cast<std::size_t>(id)];
    const bool read = buffer.home == schedule::Home::input;
    const Storage& memory = read ? inputs[static_cast<std::size_t>(buffer.position)] : output;
    buffers.push_back(const_cast<void*>(static_cast<const void*>(memory.data())));
  }
  for (const Extent size : launch.sizes) sizes.push_back(evaluate(size, run.of.symbols));
  Context context;
  call_emulated(program, run.source, run.kernel(), Outputs::unwritten, 4, run.options())(
      buffers.data(), sizes.data(), &context, 0, 0);
  CHECK(context.fault == 0);
  return output;
}

double tolerance(const Attention& of) {
  if (of.tf32) return 3e-3;
  return of.dtype == bf16 ? 2e-2 : of.dtype == f16 ? 3e-3 : 2e-5;
}

void check(const std::vector<Run>& runs) {
  emulator::Emulator machine;
  emulator::use_device(0);
  const emulator::Program program(program_of(runs));
  for (const Run& run : runs) {
    INFO(run.source.name, " ", run.of.dtype, " ", run.of.queries, " x ", run.of.keys);
    const auto inputs = against_interpreter::random_inputs(run.graph, run.of.symbols, 1);
    const Storage expected = runtime::interpret(run.graph, inputs, run.of.symbols)[0];
    const Storage found = result_of(program, run, inputs, expected.bytes());
    const auto elements = static_cast<std::int64_t>(expected.bytes() / info(run.of.dtype).size);
    const execute::Block block{const_cast<std::byte*>(static_cast<const std::byte*>(found.data())),
                               elements, run.of.dtype};
    const double difference = against_interpreter::difference(expected, block);
    CHECK(difference < tolerance(run.of));
    if (run.of.tf32) CHECK(difference > tolerance({.dtype = f32}));  // TF32 rounds to 11 bits
    const std::vector<std::string> reports = machine.reports();
    REQUIRE((reports.empty() ? "" : reports[0]) == "");
  }
}

}  // namespace

TEST_CASE("cuda_streaming: tensor cores or CUDA cores compute the reference result") {
  std::vector<Run> runs;
  for (const DType dtype : {DType(f32), DType(f64), DType(bf16), DType(f16)}) {
    for (const bool causal : {false, true}) {
      const Attention odd{
          .dtype = dtype, .queries = 75, .keys = 83, .width = 24, .out = 40, .causal = causal};
      runs.emplace_back(odd, forward(odd));
    }
  }
  const Attention wide{.dtype = bf16, .queries = 130, .keys = 64, .width = 64, .out = 64};
  runs.emplace_back(wide, forward(wide));
  check(runs);
}

TEST_CASE("cuda_streaming: a second pass recomputes the scores") {
  std::vector<Run> runs;
  for (const DType dtype : {DType(f32), DType(bf16)}) {
    for (const bool causal : {false, true}) {
      const Attention one{.dtype = dtype, .queries = 70, .keys = 70, .causal = causal};
      runs.emplace_back(one, backward(one));
    }
  }
  check(runs);
}

TEST_CASE("cuda_streaming: fully masked rows agree with softmax") {
  std::vector<Run> runs;
  for (const DType dtype : {DType(f32), DType(bf16)}) {
    const Attention one{.dtype = dtype, .batch = 3, .queries = 50, .keys = 2, .masked = true};
    const Attention more{.dtype = dtype, .queries = 20, .keys = 150, .masked = true};
    runs.emplace_back(one, forward(one));
    runs.emplace_back(more, forward(more));
  }
  check(runs);
}

TEST_CASE("cuda_streaming: TF32 is used only where allowed, and only for products of f32") {
  std::vector<Run> runs;
  for (const bool causal : {false, true}) {
    Attention odd{.queries = 75, .keys = 83, .width = 24, .out = 40, .causal = causal};
    odd.tf32 = true;
    runs.emplace_back(odd, forward(odd));
    Attention rounded{.queries = 70, .keys = 70, .width = 64, .out = 64, .causal = causal};
    rounded.tf32 = true;
    runs.emplace_back(rounded, forward(rounded));
    runs.emplace_back(rounded, backward(rounded));
  }
  Attention read{.batch = 1, .queries = 70, .keys = 70, .width = 64, .out = 64, .taken = true};
  read.tf32 = true;
  runs.emplace_back(read, backward(read));
  CHECK(runs.back().source.text.find("128 rows, 16 steps") != std::string::npos);
  for (const Run& run : runs) CHECK(run.source.text.find("as TF32") != std::string::npos);
  check(runs);
  const Attention wide{.dtype = f64, .tf32 = true};
  CHECK(Run(wide, forward(wide)).source.text.find("in registers") != std::string::npos);
}

TEST_CASE("cuda_streaming: a bias is gathered by index") {
  std::vector<Run> runs;
  for (const DType dtype : {DType(f32), DType(bf16)}) {
    Attention one{.dtype = dtype, .queries = 70, .keys = 150, .causal = true, .taken = true};
    runs.emplace_back(one, forward(one));
    one.queries = one.keys = 70;
    runs.emplace_back(one, backward(one));
  }
  for (const Run& run : runs) CHECK(run.source.text.find("_checks(") != std::string::npos);
  check(runs);
}

TEST_CASE("cuda_streaming: one text serves all dynamic sizes") {
  const Extent batch = Extent::symbol(0, {.min = 0}), length = Extent::symbol(1, {.min = 0});
  std::vector<Run> runs;
  for (const Symbols& symbols : {Symbols{2, 33}, Symbols{1, 140}, Symbols{0, 5}}) {
    const Attention one{.dtype = bf16,
                        .batch = batch,
                        .queries = length,
                        .keys = length,
                        .causal = true,
                        .symbols = symbols};
    runs.emplace_back(one, forward(one));
  }
  CHECK(runs[0].source.name == runs[1].source.name);
  check(runs);
}

TEST_CASE("cuda_streaming: fully masked tiles are skipped") {
  for (const DType dtype : {DType(f32), DType(bf16)}) {
    const Attention one{.dtype = dtype, .batch = 1, .queries = 300, .keys = 300, .causal = true};
    std::vector<Run> runs;
    runs.emplace_back(one, forward(one));
    auto inputs = against_interpreter::random_inputs(runs[0].graph, {}, 1);
    const execute::Block values{static_cast<std::byte*>(inputs[2].data()), 300 * 16, dtype};
    for (std::int64_t i = 200 * 16; i < 300 * 16; ++i) values.store(i, constant(NAN, dtype));
    const emulator::Emulator machine;
    emulator::use_device(0);
    const emulator::Program program(program_of(runs));
    const Storage found = result_of(program, runs[0], inputs, inputs[0].bytes());
    const execute::Block block{const_cast<std::byte*>(static_cast<const std::byte*>(found.data())),
                               300 * 16, dtype};
    for (std::int64_t i = 0; i < 128 * 16; ++i) REQUIRE(!std::isnan(block.load(i).floating()));
    CHECK(std::isnan(block.load(299 * 16).floating()));
  }
}

TEST_CASE("cuda_streaming: strict kernels are not streamed") {
  const Run run({}, forward({}));
  CHECK(!codegen::cuda_streaming_form(run.kernel(), {.strict = true}).has_value());
}

TEST_CASE("cuda_streaming: NVRTC compiles streaming kernels for sm_80 and sm_90, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  std::vector<Run> runs;
  for (const DType dtype : {DType(bf16), DType(f32)}) {
    for (const Extent width : {Extent(64), Extent(128)}) {
      const Attention one{.dtype = dtype,
                          .batch = 16,
                          .queries = 2048,
                          .keys = 2048,
                          .width = width,
                          .out = width,
                          .causal = true};
      runs.emplace_back(one, forward(one));
      runs.emplace_back(one, backward(one));
      if (dtype != f32) {
        Attention read = one;
        read.taken = true;
        runs.emplace_back(read, same(width, 64) ? forward(read) : backward(read));
        continue;
      }
      Attention rounded = one;
      rounded.tf32 = true;
      runs.emplace_back(rounded, same(width, 64) ? forward(rounded) : backward(rounded));
    }
  }
  check_no_spills(program_of(runs));
}
