// test: alone
#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/runtime/host/executable.hpp>
#include <sinter/runtime/host/thread_pool.hpp>
#include <sinter/schedule/plan.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <thread>

namespace sinter::inline SINTER_ABI::detail::runtime::detail {
std::int32_t threads_for(const schedule::Launch& launch, Span<const std::int64_t> symbols);
}  // namespace sinter::inline SINTER_ABI::detail::runtime::detail

using namespace sinter;
using namespace sinter::detail;

namespace {

runtime::Executable executable_of(const Graph& graph, Vector<schedule::Update> updates = {}) {
  schedule::Plan plan = schedule::plan(graph, {.updates = std::move(updates)});
  verify(plan);
  compiler::TranslationUnit unit;
  for (const schedule::Kernel& kernel : plan.kernels) {
    unit.kernels.push_back(codegen::emit_cpp(kernel, {.target = {.vectors = {.bits = 128}}}));
  }
  unit.prelude = codegen::cpp_prelude(unit.kernels);
  auto module = compiler::load_or_compile(unit);
  REQUIRE(module != nullptr);
  return {std::move(plan), std::move(module)};
}

using Floats = std::vector<float>;

Floats counting(std::size_t size) {
  Floats result(size);
  std::iota(result.begin(), result.end(), 0.0f);
  return result;
}

// The sum of each row of x, minus that of all rows, in several kernels and with an arena.
Graph rows_against_all(Extent rows, Extent columns) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {rows, columns}});
  const Value sums = build.reduce(Op::sum, x, {1});
  const Value all = build.reshape(build.reduce(Op::max, sums, {0}), {1});
  graph.outputs = {build.sub(sums, build.expand(all, {rows}))};
  return graph;
}

Floats run_rows(const runtime::Executable& executable, Floats x, std::size_t rows,
                std::vector<std::int64_t> symbols = {}) {
  Floats result(rows);
  void* const inputs[] = {x.data()};
  void* const outputs[] = {result.data()};
  executable.run(inputs, outputs, symbols);
  return result;
}

bool is_right(const Floats& found, const Floats& x) {
  const std::size_t rows = found.size(), columns = x.size() / rows;
  std::vector<double> sums(rows);
  for (std::size_t i = 0; i < x.size(); ++i) sums[i / columns] += static_cast<double>(x[i]);
  const double all = *std::max_element(sums.begin(), sums.end());
  for (std::size_t i = 0; i < rows; ++i) {
    const double expected = sums[i] - all;
    const double error = static_cast<double>(found[i]) - expected;
    if (error * error > 1e-8 * (1 + all * all)) return false;
  }
  return true;
}

// state + table[index], which may fault, and state * 2, which replaces state.
Graph faulty(Extent size) {
  Graph graph;
  Builder build(graph);
  const Value state = build.input({f32, {size}}), table = build.input({f32, {4}});
  const Value index = build.input({i64, {size}});
  const Value two = build.constant(constant(2.0f), {f32, {size}});
  graph.outputs = {build.add(state, build.gather(table, index, 0)), build.mul(state, two)};
  for (Node& node : graph.nodes) node.where = Where::current();
  return graph;
}

}  // namespace

TEST_CASE("executable: runs the launches of a plan in order") {
  const runtime::Executable executable = executable_of(rows_against_all(5, 7));
  CHECK(executable.plan().launches.size() >= 2);
  const Floats x = counting(35);
  for (int again = 0; again < 3; ++again) CHECK(is_right(run_rows(executable, x, 5), x));
}

TEST_CASE("executable: each call has its own sizes of symbols, buffers and arena") {
  const runtime::Executable executable =
      executable_of(rows_against_all(Extent::symbol(0, {.min = 1}), Extent::symbol(1, {})));
  for (const auto& [rows, columns] : {std::pair{5, 7}, {1, 1}, {100, 33}, {3, 5000}, {2, 2}}) {
    const Floats x = counting(static_cast<std::size_t>(rows * columns));
    CHECK(is_right(run_rows(executable, x, static_cast<std::size_t>(rows), {rows, columns}), x));
  }
}

TEST_CASE("executable: large kernels are divided among threads, with the results of one thread") {
  const runtime::Executable executable = executable_of(rows_against_all(300, 1000));
  const Floats x = counting(300000);
  for (const int threads : {1, 2, 3, 8}) {
    runtime::set_num_threads(threads);
    for (int again = 0; again < 3; ++again) CHECK(is_right(run_rows(executable, x, 300), x));
  }
  runtime::set_num_threads(0);
}

TEST_CASE("executable: the useful number of threads depends on arithmetic and bytes") {
  const auto threads_for = [](Extent work, Extent operations, Extent bytes) {
    schedule::Launch launch;
    launch.work = work, launch.operations = operations, launch.bytes_read = bytes;
    const std::int64_t sizes[] = {1 << 14};
    return runtime::detail::threads_for(launch, sizes);
  };
  const Extent elements = Extent::symbol(0);
  const std::int32_t expensive = threads_for(elements, 16 * elements, 8 * elements);
  CHECK(threads_for(elements, elements, elements) == 1);
  CHECK(expensive > 1);
  CHECK(expensive < threads_for(elements, 32 * elements, 16 * elements));
  CHECK(threads_for(elements, 1 << 30, 0) == 64);
  CHECK(threads_for(1 << 18, 0, 1 << 20) == std::numeric_limits<std::int32_t>::max());
}

TEST_CASE(
    "executable: small expensive kernels are divided among threads, with the results of one "
    "thread") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {20011}});
  graph.outputs = {build.elementwise(Op::sin, {build.elementwise(Op::exp, {x})})};
  const runtime::Executable executable = executable_of(graph);
  Floats x_values = counting(20011);
  for (float& value : x_values) value *= 1e-4f;
  runtime::set_num_threads(1);
  const Floats alone = run_rows(executable, x_values, 20011);
  int wrong = 0;
  for (const int threads : {2, 3, 8}) {
    runtime::set_num_threads(threads);
    for (int again = 0; again < 100; ++again) {
      wrong += run_rows(executable, x_values, 20011) != alone;
    }
  }
  runtime::set_num_threads(0);
  CHECK(wrong == 0);
}

TEST_CASE("executable: calls of several threads overlap, each with its own arena") {
  const runtime::Executable executable =
      executable_of(rows_against_all(Extent::symbol(0, {.min = 1}), 64));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 1; thread <= 6; ++thread) {
    threads.emplace_back([&, thread] {
      const auto rows = static_cast<std::size_t>(thread * 7);
      const Floats x = counting(rows * 64);
      for (int call = 0; call < 50; ++call) {
        wrong += !is_right(run_rows(executable, x, rows, {thread * 7}), x);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("executable: an index out of range throws with its line, and updates nothing") {
  for (const std::int64_t size : {6, 100000}) {
    const runtime::Executable executable = executable_of(faulty(size), {{0, 1}});
    Floats state(static_cast<std::size_t>(size), 3.0f), table{1, 2, 3, 4}, sums(state.size());
    std::vector<std::int64_t> index(state.size(), -4);
    void* const inputs[] = {state.data(), table.data(), index.data()};
    void* const outputs[] = {sums.data(), state.data()};  // in place
    for (const std::int64_t bad : {4, -5}) {
      index.back() = bad;
      try {
        executable.run(inputs, outputs, {});
        FAIL_CHECK("nothing was thrown");
      } catch (const IndexError& error) {
        const std::string report = error.what();
        CHECK(report.find(std::to_string(bad)) != std::string::npos);
        CHECK(report.find("executable_test.cpp") != std::string::npos);
      }
      CHECK(std::all_of(state.begin(), state.end(), [](float value) { return value == 3.0f; }));
    }
    index.back() = 3;
    executable.run(inputs, outputs, {});
    CHECK(sums.front() == 4.0f);
    CHECK(sums.back() == 7.0f);
    CHECK(state.back() == 6.0f);
  }
}
