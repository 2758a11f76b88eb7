// docs/operations.md says what the tables say: it is written by this test, with
// SINTER_UPDATE_GOLDEN=1, and never by hand.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <sinter/autodiff/batching/rules.hpp>
#include <sinter/autodiff/gradient/rules.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/schedule/plan.hpp>

#include "../runtime/example.hpp"
#include "make.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

const std::filesystem::path root = SINTER_SOURCE_DIR;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// "f32[2, 3], f32[2, 3] -> f32[2, 3]"
std::string types_of(const Graph& graph, const Node& node) {
  std::string result;
  for (const Value input : node.inputs) {
    result += text(result.empty() ? "" : ", ", graph.type(input));
  }
  std::string_view separator = result.empty() ? "" : " -> ";
  for (const TensorType& type : node.results) {
    result += text(separator, type);
    separator = ", ";
  }
  return result;
}

std::string dtypes_of(Op op) {
  switch (info(op).takes) {
    case Takes::any:
      return "all";
    case Takes::numbers:
      return "all but boolean";
    case Takes::floating:
      return "floating";
    case Takes::integral:
      break;
  }
  return "integers, boolean";
}

std::string gradient_of(Op op) {
  if (autodiff::gradient_rule(op).apply != nullptr) {
    return op == Op::while_loop ? "an error" : "yes";
  }
  const bool steps = info(op).takes != Takes::integral && info(op).gives == Gives::same;
  return steps && info(op).kind != OpKind::leaf ? "0" : "none";
}

std::size_t kernels_of(Graph graph) {
  const Graph optimized = pass::optimize(graph, {});
  const schedule::Plan plan = schedule::plan(optimized, {});
  return schedule::kernel_launches(plan).size();
}

std::string row(Op op, std::int64_t tests) {
  Graph graph;
  Builder build(graph);
  const Value output = example::Example{build}.write(op);
  graph.outputs = {output};
  const bool is_batched = autodiff::batching_rule(op).apply != nullptr;
  return text("| `", op, "` | ", types_of(graph, graph[output.node]), " | ", dtypes_of(op), " | ",
              gradient_of(op), " | ", is_batched ? "yes" : "same for all", " | ", kernels_of(graph),
              " | ", tests, " |\n");
}

/// How many nodes of each operation the random programs have that CI runs.
std::map<Op, std::int64_t> nodes_in_random_programs() {
  random_program::Source source(1);
  for (int i = 0; i < random_program::programs_of_a_run; ++i) source.next();
  std::map<Op, std::int64_t> result;
  for (const auto& [signature, count] : source.counts()) result[std::get<0>(signature)] += count;
  return result;
}

std::string primitives() {
  std::string result =
      "| operation | for example | dtypes | gradient | vmap | kernels | random tests |\n"
      "|---|---|---|---|---|---|---|\n";
  auto tests = nodes_in_random_programs();
  for (std::size_t i = 0; i < op_count; ++i) {
    const Op op = static_cast<Op>(i);
    result += row(op, tests[op]);
  }
  return result;
}

/// How the work of functions grows that could grow faster than their operands. By hand, after
/// tests/end_to_end/operations/complexity_test.cpp, which counts.
constexpr std::string_view work_table =
    "n: elements of the operand; m: elements looked up, written or drawn; k: elements of the "
    "result.\n\n"
    "| functions | work, plain and compiled | torch |\n"
    "|---|---|---|\n"
    "| `sort`, `argsort`, `unique`, `randperm` | n log n | the same |\n"
    "| `topk`, `kthvalue`, `median`, `quantile`, `multinomial` without replacement | n log n: they "
    "sort the row | n, or n log k; `quantile` n log n |\n"
    "| `searchsorted`, `bucketize` | m log n; m times 48 steps if n is a size without an upper "
    "bound | m log n |\n"
    "| `multinomial` with replacement | n + m log n | the same |\n"
    "| `gather`, `take`, `take_along_axis`, `index_select`, brackets with tensors | k | the same "
    "|\n"
    "| `scatter_add`, `index_add`, `bincount`, gradients of the line above | n + m | the same |\n"
    "| `scatter`, `index_copy`, `index_put`, `set` with a list of positions | n + m log m: the "
    "last of equal positions is found by sorting | n + m |\n"
    "| `index_fill`, `masked_fill`, `set` with slices | n | n; m in place |\n"
    "| `masked_select`, `nonzero`, `masked_scatter`, also with a capacity | n | the same |\n"
    "| `cumsum`, `cumprod`, `prod` and their gradients | n | the same |\n"
    "| `scan`, `map` and their gradients | n | the same |\n"
    "| `repeat_interleave`, `tile`, `roll`, `flip`, `diagonal`, `pad` | k | the same |\n"
    "| `one_hot` | k, which is n times the classes | the same |\n"
    "| `matmul(one_hot(i, classes), w)` | n times the classes times the columns, as any product; "
    "`index_select(w, 0, i)` is n times the columns | the same |\n"
    "| pools, convolutions | k times the window | the same |\n"
    "| `conv_transpose` | k times the window, zeros between the elements included: stride times "
    "stride more than torch | k times the window / stride |\n"
    "| `embedding_bag` | rows of all bags; a maximum with offsets: bags times rows | rows of all "
    "bags |\n"
    "| `pixel_shuffle`, `pixel_unshuffle` | k | the same |\n"
    "| `adaptive_avg_pool`, `adaptive_max_pool`, `interpolate` | n + k for each axis | the same "
    "|\n\n";

std::string page() {
  return text(
      "# Operations\n\n"
      "Generated by `tests/random/operations_test.cpp` from the tables of the stages.\n\n"
      "## Primitives\n\n"
      "All other functions are composed of these and fused: softmax has no row in this table, but "
      "is one kernel. *For example*: the types of a small program. *Kernels*: the number of "
      "kernels of this program. *Random tests*: the number of nodes in the 1,000 random programs "
      "that each test run compares with the interpreter, in all dtypes and ranks 0 to 5. `call` "
      "is inlined before kernels are created; `input` is in each program.\n\n",
      primitives(),
      "\n## How work grows\n\n"
      "Elementwise operations and reductions are linear. The others:\n\n",
      work_table,
      "## Functions that are compared with torch\n\n"
      "The cases are in [tests/data/torch](../tests/data/torch), the functions in "
      "[tests/reference](../tests/reference) and "
      "[elementwise_functions.hpp](../tests/elementwise_functions.hpp). Each is tested forward, "
      "backward if it has a gradient, eager, compiled, and compiled with every size dynamic; if "
      "the size of the result depends on elements, only eager. All samples are run eagerly and one "
      "of each function is compiled; on request all are compiled. See "
      "[coming_from_torch.md](coming_from_torch.md) for intended differences.\n");
}

}  // namespace

TEST_CASE("operations: the page of documentation says what the tables say") {
  const std::string expected = page();
  const std::filesystem::path path = root / "docs/operations.md";
  if (std::getenv("SINTER_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << expected;
  INFO("docs/operations.md differs; SINTER_UPDATE_GOLDEN=1 writes what the tables say now");
  CHECK(read(path) == expected);
}
