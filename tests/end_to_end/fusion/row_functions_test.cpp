// Row functions, their gradients and those of their parameters are one kernel each, for all sizes,
// static or dynamic, and all dtypes. Kernels are counted in plans, and executed without a compiler.

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <sinter/graph/verify.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/sinter.hpp>
#include <sinter/trace/subgraph/body.hpp>

#include "schedule/against_interpreter.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

using Tensors = std::vector<Tensor>;

struct Row {
  std::string name{};
  Vector<TensorType> types{};
  std::function<Tensors(const Tensors&)> function{};
};

Graph graph_of(const Row& row) {
  detail::Body body;
  {
    const detail::BodyScope scope(body);
    for (const TensorType& type : row.types) detail::add_variable(body, type, Where::current());
    body.results = row.function(body.variables);
  }
  std::vector<Tensor> captured;
  return pass::optimize(detail::graph_of(body, captured), {});
}

// The gradients of `function` with respect to all arguments but the first,
// which is the cotangent.
template <std::size_t count, class Function>
auto gradients(Function function) {
  return [function](const Tensors& v) -> Tensors {
    const auto pull = [&](const auto&... arguments) {
      const auto gradient = vjp(function, arguments...).pullback(v[0]);
      if constexpr (count == 1) {
        return Tensors{Tensor(std::get<0>(std::tuple(gradient)))};
      } else {
        return std::apply([](const auto&... g) { return Tensors{g...}; }, gradient);
      }
    };
    if constexpr (count == 1) return pull(v[1]);
    if constexpr (count == 2) return pull(v[1], v[2]);
    if constexpr (count == 3) return pull(v[1], v[2], v[3]);
    if constexpr (count == 4) return pull(v[1], v[2], v[3], v[4]);
  };
}

void add_softmax(std::vector<Row>& rows, const TensorType& x, const TensorType& label) {
  const TensorType number{x.dtype, {}};
  const auto soft = [](const Tensor& a) { return softmax(a, -1); };
  const auto log_soft = [](const Tensor& a) { return log_softmax(a, -1); };
  rows.push_back({"softmax", {x}, [=](const Tensors& v) { return Tensors{soft(v[0])}; }});
  rows.push_back({"softmax'", {x, x}, gradients<1>(soft)});
  rows.push_back({"log_softmax'", {x, x}, gradients<1>(log_soft)});
  const auto loss = [](const Tensors& v) { return Tensors{nll_loss(log_softmax(v[0], -1), v[1])}; };
  rows.push_back({"log_softmax + nll", {x, label}, loss});
  const auto both = [](const Tensors& v) {
    const auto of = [&](const Tensor& a) { return cross_entropy(a, v[1]); };
    const auto [value, gradient] = value_and_grad(of)(v[0]);
    return Tensors{value, gradient};
  };
  rows.push_back({"cross_entropy and its gradient", {x, label}, both});
  const auto pulled = [](const Tensors& v) {
    const auto of = [&](const Tensor& a) { return cross_entropy(a, v[1]); };
    return Tensors{Tensor(std::get<0>(std::tuple(vjp(of, v[0]).pullback(v[2]))))};
  };
  rows.push_back({"cross_entropy'", {x, label, number}, pulled});
}

void add_norms(std::vector<Row>& rows, const TensorType& x, const TensorType& column) {
  const auto layer = [](const Tensor& a, const Tensor& r, const Tensor& g, const Tensor& b) {
    return layer_norm(a + r, g, b);
  };
  const auto root = [](const Tensor& a, const Tensor& g) { return rms_norm(a, g); };
  rows.push_back({"layer_norm with residual", {x, x, column, column}, [](const Tensors& v) {
                    const Tensor sum = v[0] + v[1];
                    return Tensors{sum, layer_norm(sum, v[2], v[3])};
                  }});
  rows.push_back({"layer_norm' with residual", {x, x, x, column, column}, gradients<4>(layer)});
  rows.push_back(
      {"rms_norm", {x, column}, [=](const Tensors& v) { return Tensors{root(v[0], v[1])}; }});
  rows.push_back({"rms_norm'", {x, x, column}, gradients<2>(root)});
}

// The same loss, with the class of each row gathered by index.
void add_picked(std::vector<Row>& rows, const TensorType& x, const TensorType& label) {
  const TensorType number{x.dtype, {}};
  const auto loss = [](const Tensor& a, const Tensor& classes) {
    return -mean(take_along_axis(log_softmax(a, 1), unsqueeze(classes, 1), 1));
  };
  rows.push_back({"log_softmax + take_along_axis", {x, label}, [=](const Tensors& v) {
                    return Tensors{loss(v[0], v[1])};
                  }});
  rows.push_back({"log_softmax + gather", {x, label}, [](const Tensors& v) {
                    return Tensors{gather(log_softmax(v[0], 1), 1, unsqueeze(v[1], 1))};
                  }});
  rows.push_back(
      {"log_softmax + take_along_axis, and its gradient", {x, label}, [=](const Tensors& v) {
         const auto of = [&](const Tensor& a) { return loss(a, v[1]); };
         const auto [value, gradient] = value_and_grad(of)(v[0]);
         return Tensors{value, gradient};
       }});
  rows.push_back({"(log_softmax + take_along_axis)'", {x, label, number}, [=](const Tensors& v) {
                    const auto of = [&](const Tensor& a) { return loss(a, v[1]); };
                    return Tensors{Tensor(std::get<0>(std::tuple(vjp(of, v[0]).pullback(v[2]))))};
                  }});
}

void add_group_norm(std::vector<Row>& rows, const TensorType& x, int groups) {
  const TensorType channel{x.dtype, {x.shape[1]}};
  const auto norm = [groups](const Tensor& a, const Tensor& g, const Tensor& b) {
    return group_norm(a, groups, g, b);
  };
  rows.push_back({"group norm", {x, channel, channel}, [=](const Tensors& v) {
                    return Tensors{norm(v[0], v[1], v[2])};
                  }});
  rows.push_back({"group norm'", {x, x, channel, channel}, gradients<3>(norm)});
}

std::vector<Row> table(DType dtype, Extent count, Extent length, Extent batch) {
  std::vector<Row> rows;
  const TensorType x{dtype, {count, length}};
  add_softmax(rows, x, {i64, {count}});
  add_norms(rows, x, {dtype, {length}});
  add_group_norm(rows, {dtype, {batch, 6, 5, 7}}, 3);
  add_group_norm(rows, {dtype, {count, 24}}, 4);
  return rows;
}

constexpr DType dtypes[]{f32, f64, bf16, f16};

void check_counts(const std::function<std::vector<Row>(DType)>& rows) {
  for (const DType dtype : dtypes) {
    for (const Row& row : rows(dtype)) {
      INFO(row.name << " " << dtype << " " << text(row.types[0].shape));
      const schedule::Plan plan =
          schedule::plan(graph_of(row), {.target = schedule::host_target()});
      CHECK(plan.launches.size() == 1);
    }
  }
}

void check_counts(Extent count, Extent length, Extent batch) {
  check_counts([&](DType dtype) { return table(dtype, count, length, batch); });
}

// A single row: norms of a batch of 1, where the gradients of parameters are sums over parts of the
// row.
std::vector<Row> lone_table(DType dtype, Extent length) {
  std::vector<Row> rows;
  const TensorType x{dtype, {1, length}};
  add_norms(rows, x, {dtype, {length}});
  add_softmax(rows, x, {i64, {1}});
  for (const int groups : {1, 2, 3, 6}) add_group_norm(rows, {dtype, {1, 6, 5, 7}}, groups);
  add_group_norm(rows, {dtype, {1, 8, length}}, 4);
  add_group_norm(rows, {dtype, {1, 24}}, 4);
  return rows;
}

double tolerance(DType dtype) { return dtype == bf16 ? 0.1 : dtype == f16 ? 0.02 : 1e-4; }

void check_values(const std::function<std::vector<Row>(DType)>& rows,
                  const against_interpreter::Symbols& symbols) {
  for (const DType dtype : dtypes) {
    for (const Row& row : rows(dtype)) {
      INFO(row.name << " " << dtype);
      const Graph graph = graph_of(row);
      const auto inputs = against_interpreter::random_inputs(graph, symbols, 3);
      const auto expected = runtime::interpret(graph, inputs, symbols);
      const schedule::Plan plan = schedule::plan(graph, {.target = schedule::host_target()});
      schedule::verify(plan);
      execute::Call call{plan, against_interpreter::copies_of(inputs), symbols};
      REQUIRE(call.run());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(against_interpreter::difference(expected[i], call.output(i)) < tolerance(dtype));
      }
    }
  }
}

void check_values(Extent count, Extent length, Extent batch,
                  const against_interpreter::Symbols& symbols) {
  check_values([&](DType dtype) { return table(dtype, count, length, batch); }, symbols);
}

std::vector<Row> picked_table(DType dtype, Extent count, Extent length) {
  std::vector<Row> rows;
  add_picked(rows, {dtype, {count, length}}, {i64, {count}});
  return rows;
}

}  // namespace

TEST_CASE("row functions: one kernel each for a single row") {
  for (const Extent length : {Extent(33), Extent(1024), Extent::symbol(0, {.min = 0})}) {
    check_counts([&](DType dtype) { return lone_table(dtype, length); });
  }
}

TEST_CASE("row functions: one kernel each for a single image") {
  check_counts([](DType dtype) {
    std::vector<Row> rows;
    add_group_norm(rows, {dtype, {1, 64, 56, 56}}, 32);
    return rows;
  });
}

TEST_CASE("row functions: a gather from a row is fused into the row's kernel") {
  for (const Extent count : {Extent(1), Extent(7), Extent(4096)}) {
    for (const Extent length : {Extent(10), Extent(33), Extent(1024)}) {
      check_counts([&](DType dtype) { return picked_table(dtype, count, length); });
    }
  }
  check_counts([&](DType dtype) { return picked_table(dtype, 2048, 32000); });
}

TEST_CASE("row functions: single rows and gathers agree with the interpreter") {
  check_values([](DType dtype) { return lone_table(dtype, 13); }, {});
  check_values([](DType dtype) { return lone_table(dtype, Extent::symbol(0, {.min = 0})); }, {40});
  check_values([](DType dtype) { return picked_table(dtype, 19, 13); }, {});
  check_values([](DType dtype) { return picked_table(dtype, 1, 13); }, {});
}

TEST_CASE("row functions: one kernel each, for known sizes and all floating dtypes") {
  check_counts(4096, 1024, 64);
  check_counts(77, 33, 9);
  check_counts(1023, 4097, 33);
  check_counts(40000, 8, 1024);
  check_counts(3, 5, 2);
}

TEST_CASE("row functions: one kernel each for many short rows") {
  for (const auto& [count, length] : {std::pair{4096, 2}, {100000, 2}, {100000, 7}, {100000, 64}}) {
    check_counts([&, count = count, length = length](DType dtype) {
      std::vector<Row> rows = picked_table(dtype, count, length);
      add_softmax(rows, {dtype, {count, length}}, {i64, {count}});
      return rows;
    });
  }
}

TEST_CASE("row functions: one kernel each for a few rows that fit in the cache") {
  check_counts([](DType dtype) {
    std::vector<Row> rows;
    add_group_norm(rows, {dtype, {1, 32, 64, 64}}, 4);
    add_group_norm(rows, {dtype, {2, 64, 56, 56}}, 4);
    return rows;
  });
}

TEST_CASE(
    "row functions: one kernel each, for dynamic sizes that are known when the "
    "program runs") {
  const Extent rows = Extent::symbol(0, {.min = 0}), columns = Extent::symbol(1, {.min = 0});
  check_counts(rows, 1024, rows);
  check_counts(rows, 10, rows);
  check_counts(4096, columns, 64);
  check_counts(rows, columns, rows);
}

TEST_CASE(
    "row functions: on a GPU row functions are one kernel, and sums over rows are up to three") {
  const std::set<std::string> of_rows{
      "softmax",  "softmax'",   "log_softmax'",        "layer_norm with residual",
      "rms_norm", "group norm", "log_softmax + gather"};
  for (const auto& [count, length] : {std::pair{4096, 1024}, {77, 33}, {1023, 4097}, {3, 5}}) {
    std::vector<Row> rows = table(f32, count, length, 9), picked = picked_table(f16, count, length);
    rows.insert(rows.end(), picked.begin(), picked.end());
    for (const Row& row : rows) {
      INFO(row.name << " " << text(row.types[0].shape));
      const schedule::Plan plan =
          schedule::plan(graph_of(row), {.row_tiles = true, .target = schedule::gpu_target()});
      CHECK(plan.launches.size() <= (of_rows.count(row.name) > 0 ? 1 : 4));
    }
  }
}

TEST_CASE("row functions: kernels agree with the interpreter") {
  check_values(19, 13, 3, {});
  const Extent rows = Extent::symbol(0, {.min = 0}), columns = Extent::symbol(1, {.min = 0});
  check_values(rows, columns, rows, {17, 12});
  check_values(rows, columns, rows, {1, 9});
}
