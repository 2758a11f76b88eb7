// test: emulator
// The choices of Mode::max_autotune on a GPU, with a clock set by the tests.

#include <doctest/doctest.h>
#include <sinter/jit/cuda/tune.hpp>
#include <sinter/jit/tune/tuner.hpp>

#include <map>

#include "cuda_emulator/emulator.hpp"
#include "jit/support.hpp"

using namespace testing;
using emulator::Timed;

namespace {

constexpr CompileOptions tuned{.mode = Mode::max_autotune, .autotune_seconds = 0.001};

const auto product = [](const Tensor& x, const Tensor& y) { return relu(matmul(x, y)); };
const auto curve = [](const Tensor& x) { return softmax(x * 2.0f, -1); };

Tensor sample(const Shape& shape) {
  return reshape(sin(arange(numel(shape).value()).to(f32)), shape);
}

// A machine on which a launch with this number of blocks, or the library product of this name,
// takes 10 us, and every other one 100 us. Keeps the blocks of the last launch.
struct Clocked {
  explicit Clocked(unsigned blocks, std::string library = "") {
    machine.set_times([this, blocks, library](const Timed& one) -> std::int64_t {
      if (one.kernel.find("product ") == 0) {
        ++products[one.kernel];
        return one.kernel == library ? 10'000 : 100'000;
      }
      last_blocks = one.blocks;
      if (one.blocks == refused) return -1;
      return one.blocks == blocks ? 10'000 : 100'000;
    });
  }

  emulator::Emulator machine{};
  unsigned last_blocks = 0, refused = 0;
  std::map<std::string, int> products{};
};

template <class F>
std::string source_of(const F& f) {
  const Explanation all = f.explain();
  std::string result;
  for (const KernelInfo& kernel : all.kernels) result += kernel.source;
  return result;
}

}  // namespace

TEST_CASE("cuda_tuning: the tile that takes the least time is chosen, and replayed in a graph") {
  const ScopedFreshCache fresh;
  Clocked clocked(1);  // one tile of 64 x 64; the cost model would have four of 32 x 32
  const auto f = compile(product, tuned);
  const Tensor x = sample({40, 64}), y = sample({64, 50}), expected = product(x, y);
  const Tensor there_x = x.to(cuda()), there_y = y.to(cuda());
  CHECK(near_tensor(f(there_x, there_y).to(cpu()), expected, 1e-4));
  CHECK(source_of(f).find("// tuned: tile_rows 64, tile_columns 64\n") == 0);
  const std::size_t graphs = clocked.machine.graph_launches(),
                    launches = clocked.machine.launches();
  const std::int64_t before = jit::timed_runs();
  CHECK(near_tensor(f(there_x, there_y).to(cpu()), expected, 1e-4));
  CHECK(clocked.machine.graph_launches() == graphs + 1);
  CHECK(clocked.machine.launches() == launches + 1);
  CHECK(clocked.last_blocks == 1);
  CHECK(jit::timed_runs() == before);
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("cuda_tuning: the next process times nothing on the same GPU model") {
  const ScopedFreshCache fresh;
  const Tensor x = sample({40, 64}), y = sample({64, 50});
  const auto timed = [&] {
    const std::int64_t before = jit::timed_runs();
    const auto f = compile(product, tuned);
    CHECK(near_tensor(f(x.to(cuda()), y.to(cuda())).to(cpu()), product(x, y), 1e-4));
    CHECK(source_of(f).find("// tuned: tile_rows 64, tile_columns 64\n") == 0);
    return jit::timed_runs() - before;
  };
  {
    Clocked clocked(1);
    CHECK(timed() > 0);
    reset();
    CHECK(timed() == 0);
  }
  reset();
  {
    Clocked clocked(1);
    CHECK(timed() == 0);
    CHECK(clocked.machine.compilations() == 0);
    CHECK(clocked.machine.launches() == 1);
  }
}

TEST_CASE("cuda_tuning: choices for products of one precision are not used for another") {
  const ScopedFreshCache fresh;
  Clocked clocked(1);
  const Tensor x = sample({40, 64}), y = sample({64, 50});
  const auto timed = [&](MatmulPrecision precision) {
    set_float32_matmul_precision(precision);
    const std::int64_t before = jit::timed_runs();
    const auto f = compile(product, tuned);
    CHECK(near_tensor(f(x.to(cuda()), y.to(cuda())).to(cpu()), product(x, y), 2e-2));
    CHECK(source_of(f).find("// tuned: tile_rows 64, tile_columns 64\n") == 0);
    CHECK(contains(source_of(f), "as TF32") == (precision != MatmulPrecision::highest));
    set_float32_matmul_precision(MatmulPrecision::highest);
    reset();
    return jit::timed_runs() - before;
  };
  for (const auto precision : {MatmulPrecision::high, MatmulPrecision::highest}) {
    CHECK(timed(precision) > 0);
    CHECK(timed(precision) == 0);
  }
}

TEST_CASE("cuda_tuning: the library's next algorithm, or our kernel, is chosen if it is faster") {
  const Tensor x = sample({16, 128}).to(bf16), y = sample({128, 1024}).to(bf16);
  const Tensor expected = product(x, y).to(f32);
  const auto tuned_product = [&](Clocked& clocked) {
    const auto f =
        compile(product, {.mode = Mode::max_autotune_no_cuda_graphs, .autotune_seconds = 0.0015});
    const Tensor there_x = x.to(cuda()), there_y = y.to(cuda());
    CHECK(near_tensor(f(there_x, there_y).to(cpu()).to(f32), expected, 5e-2));
    clocked.products.clear();
    clocked.last_blocks = 0;
    CHECK(near_tensor(f(there_x, there_y).to(cpu()).to(f32), expected, 5e-2));
  };
  {
    const ScopedFreshCache fresh;
    Clocked clocked(0, "product 2");
    tuned_product(clocked);
    CHECK(clocked.products == std::map<std::string, int>{{"product 2", 1}});
    CHECK(clocked.last_blocks == 0);
  }
  const ScopedFreshCache fresh;
  Clocked clocked(16);  // of 16 x 64
  tuned_product(clocked);
  CHECK(clocked.products.empty());
  CHECK(clocked.last_blocks == 16);
}

TEST_CASE("cuda_tuning: the fastest number of threads per row is chosen") {
  const ScopedFreshCache fresh;
  Clocked clocked(2);  // four rows in a block; the default has a block for each row
  const auto f = compile(curve, tuned);
  const Tensor x = sample({8, 512});
  CHECK(near_tensor(f(x.to(cuda())).to(cpu()), curve(x), 1e-5));
  CHECK(source_of(f).find("// tuned: row_threads 32\n") == 0);
  CHECK(near_tensor(f(x.to(cuda())).to(cpu()), curve(x), 1e-5));
  CHECK(clocked.last_blocks == 2);
}

TEST_CASE("cuda_tuning: a text that cannot be launched is dropped, which is logged") {
  const ScopedFreshCache fresh;
  const ScopedVariable logs("SINTER_LOGS", "autotune");
  Clocked clocked(1);
  clocked.refused = 1;
  const auto f = compile(product, tuned);
  const Tensor x = sample({40, 64}), y = sample({64, 50});
  std::string words;
  words = said(
      [&] { CHECK(near_tensor(f(x.to(cuda()), y.to(cuda())).to(cpu()), product(x, y), 1e-4)); });
  INFO(words);
  CHECK(contains(words, "tile_rows 64, tile_columns 64 is dropped: "));
  CHECK(contains(words, "error 701"));
  CHECK(!contains(words, "restart the program"));
  CHECK(contains(words, "tile_rows 64, tile_columns 64 not run"));
  CHECK(contains(words, "chosen: default"));
  CHECK(source_of(f).find("// tuned") == std::string::npos);
}

TEST_CASE("cuda_tuning: if branches are part of a CUDA Graph nothing is timed, which is logged") {
  const ScopedFreshCache fresh;
  const ScopedVariable logs("SINTER_LOGS", "autotune");
  const Clocked clocked(1);
  const auto chosen = [](const Tensor& x) {
    const auto halved = [](const Tensor& t) { return t * 0.5f; };
    return cond(
        sum(x) > 0, [](const Tensor& t) { return softmax(t, 1); }, halved, x);
  };
  const Tensor x = sample({8, 512}).to(cuda());
  const std::string in_graph = said([&] { compile(chosen, tuned)(x); });
  CHECK(contains(in_graph, "sinter[autotune]: nothing is tuned: branches and loops are part of"));
  const Mode no_graphs = Mode::max_autotune_no_cuda_graphs;
  const std::string apart = said([&] { compile(chosen, {.mode = no_graphs})(x); });
  CHECK(!contains(apart, "nothing is tuned"));
}

TEST_CASE("cuda_tuning: a text that does not compile is dropped, and the others are compared") {
  const ScopedFreshCache fresh;
  const ScopedVariable logs("SINTER_LOGS", "autotune");
  const Tensor x = sample({40, 64}), y = sample({64, 50});
  Clocked clocked(1);
  static std::map<void*, std::string> sources;
  static Nvrtc table;  // used until the machine ends
  static const Nvrtc* real = nullptr;
  real = nvrtc();
  table = *real;
  table.create_program = [](void** program, const char* source, const char* name, int count,
                            const char* const* headers, const char* const* names) {
    const int result = real->create_program(program, source, name, count, headers, names);
    sources[*program] = source;
    return result;
  };
  table.compile_program = [](void* program, int count, const char* const* options) {
    const bool refused = contains(sources[program], "tile_rows 32, tile_columns 64");
    return refused ? 6 : real->compile_program(program, count, options);
  };
  const Nvrtc* const before = replace_nvrtc(&table);
  const auto f = compile(product, tuned);
  std::string words = said(
      [&] { CHECK(near_tensor(f(x.to(cuda()), y.to(cuda())).to(cpu()), product(x, y), 1e-4)); });
  replace_nvrtc(before);
  INFO(words);
  CHECK(contains(words, "tile_rows 32, tile_columns 64 is dropped: "));
  CHECK(contains(words, "generated CUDA does not compile"));
  CHECK(source_of(f).find("// tuned: tile_rows 64, tile_columns 64\n") == 0);
}

TEST_CASE("cuda_tuning: other modes, and a budget of 0, time nothing") {
  const ScopedFreshCache fresh;
  Clocked clocked(1);
  const Tensor x = sample({40, 64}), y = sample({64, 50});
  const std::int64_t before = jit::timed_runs();
  for (const Mode mode : {Mode::standard, Mode::reduce_overhead, Mode::max_autotune}) {
    const std::size_t launches = clocked.machine.launches();
    const auto f = compile(product, {.mode = mode, .autotune_seconds = 0});
    CHECK(near_tensor(f(x.to(cuda()), y.to(cuda())).to(cpu()), product(x, y), 1e-4));
    CHECK(clocked.machine.launches() == launches + 1);
    CHECK(source_of(f).find("// tuned") == std::string::npos);
  }
  CHECK(jit::timed_runs() == before);
}

TEST_CASE("cuda_tuning: state is updated once, and random numbers are those of a call") {
  const ScopedFreshCache fresh;
  const auto step = [](Tensor& total, const Tensor& x) {
    total = total + softmax(x, -1) * 2.0f;
    return dropout(total, 0.5f);
  };
  const auto run = [&](const CompileOptions& options) {
    random::manual_seed(7);
    const auto f = compile(step, options);
    Tensor total = zeros({8, 512}).to(cuda());
    const Tensor x = sample({8, 512}).to(cuda());
    std::vector<Tensor> results;
    for (int i = 0; i < 3; ++i) results.push_back(f(total, x).to(cpu()));
    results.push_back(total.to(cpu()));
    return results;
  };
  Clocked clocked(2);
  const std::int64_t before = jit::timed_runs();
  const std::vector<Tensor> expected = run({}), found = run(tuned);
  CHECK(jit::timed_runs() > before);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(near_tensor(found[i], expected[i], 1e-6));
  }
}

TEST_CASE("cuda_tuning: in the background, calls continue with the default") {
  const ScopedFreshCache fresh;
  Clocked clocked(2);
  const auto f =
      compile(curve, {.mode = Mode::max_autotune, .background = true, .autotune_seconds = 0.001});
  const Tensor x = sample({8, 512}), there = x.to(cuda()), expected = curve(x);
  for (int i = 0; i < 3; ++i) {
    CHECK(near_tensor(f(there).to(cpu()), expected, 1e-5));
    wait_for_background();
  }
  CHECK(source_of(f).find("// tuned: row_threads 32\n") == 0);
}
