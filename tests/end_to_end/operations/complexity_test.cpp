// Complexity of each operation: linear or n log n, as in torch.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace {

/// Counts the elements of the values that are computed, and computes them.
struct Counter final : Evaluator {
  Counter() : inner(current_evaluator()) { current_evaluator() = this; }
  ~Counter() override { current_evaluator() = inner; }
  Vector<Storage> evaluate(const Graph& graph, Span<const Storage> inputs, Device device) override {
    for (const Node& node : graph.nodes) {
      for (const TensorType& type : node.results) elements += numel(type.shape).number();
    }
    return inner->evaluate(graph, inputs, device);
  }

  Evaluator* inner;
  std::int64_t elements = 0;
};

using Call = std::function<Tensor(int size)>;

std::int64_t work(const Call& call, int size) {
  const Counter counter;
  evaluate(call(size));
  return counter.elements;
}

Tensor row(int n) { return rand({n}); }
Tensor whole(int n, int high) { return randint(0, high, {n}); }
Tensor slope(Tensor (*f)(const Tensor&), const Tensor& x) {
  return grad([f](const Tensor& v) { return sum(f(v)); })(x);
}

struct Row {
  std::string name;
  Call call;
};

// Table: search, counting and sorting.
const std::vector<Row> ordered{
    {"searchsorted", [](int n) { return searchsorted(sort(row(n)).values, row(n)); }},
    {"searchsorted of rows",
     [](int n) {
       return searchsorted(sort(rand({2, n})).values, rand({2, n}));
     }},
    {"bucketize", [](int n) { return bucketize(row(n), sort(row(n)).values); }},
    {"bincount", [](int n) { return bincount(whole(n, n)); }},
    {"bincount of weights", [](int n) { return bincount(whole(n, n), row(n)); }},
    {"unique", [](int n) { return unique(whole(n, n)); }},
    {"sort", [](int n) { return sort(row(n)).values; }},
    {"topk", [](int n) { return topk(row(n), n / 2).values; }},
    {"kthvalue", [](int n) { return kthvalue(row(n), n / 2).values; }},
    {"median", [](int n) { return median(row(n)); }},
    {"quantile", [](int n) { return quantile(row(n), 0.3); }},
    {"argmax", [](int n) { return argmax(row(n)); }},
    {"randperm", [](int n) { return randperm(n); }},
    {"multinomial", [](int n) { return multinomial(row(n), n / 2); }},
    {"multinomial with replacement", [](int n) { return multinomial(row(n), n, true); }},
};

// Table: gather and scatter.
const std::vector<Row> indexed{
    {"index_select", [](int n) { return index_select(row(n), 0, whole(n, n)); }},
    {"gather",
     [](int n) {
       return gather(rand({n, 4}), 0, randint(0, n, {n, 4}));
     }},
    {"scatter", [](int n) { return scatter(row(n), 0, whole(n, n), row(n)); }},
    {"scatter_add", [](int n) { return scatter_add(row(n), 0, whole(n, n), row(n)); }},
    {"index_add",
     [](int n) {
       return index_add(rand({4, n}), 1, whole(n, n), rand({4, n}));
     }},
    {"index_copy", [](int n) { return index_copy(row(n), 0, whole(n, n), row(n)); }},
    {"index_fill", [](int n) { return index_fill(row(n), 0, whole(n, n), 1); }},
    {"index_put", [](int n) { return index_put(row(n), {whole(n, n)}, row(n)); }},
    {"set",
     [](int n) {
       return set(row(n), Slice{0, {}, 2}, 1);
     }},
    {"masked_select", [](int n) { return masked_select(row(n), whole(n, 2) > 0); }},
    {"masked_select of a capacity",
     [](int n) { return masked_select(row(n), whole(n, 2) > 0, n); }},
    {"masked_scatter", [](int n) { return masked_scatter(row(n), whole(n, 2) > 0, row(n)); }},
    {"nonzero", [](int n) { return nonzero(whole(n, 2)); }},
    {"nonzero of a capacity", [](int n) { return nonzero(whole(n, 2), n); }},
    {"repeat_interleave", [](int n) { return repeat_interleave(row(n), 3); }},
    {"one_hot", [](int n) { return one_hot(whole(n, 8), 8); }},
    {"diagonal",
     [](int n) {
       return diagonal(expand(row(n), {4, n}));
     }},
    {"nll_loss",
     [](int n) {
       return nll_loss(rand({n, 8}), whole(n, 8));
     }},
    {"gradient of index_select",
     [](int n) {
       const Tensor at = whole(n, n);
       return grad([at](const Tensor& x) { return sum(index_select(x, 0, at) * 2); })(row(n));
     }},
};

// Table: scans, resampling and convolution.
const std::vector<Row> along_rows{
    {"cumsum", [](int n) { return cumsum(row(n), 0); }},
    {"gradient of cumsum",
     [](int n) { return slope([](const Tensor& x) { return cumsum(x, 0); }, row(n)); }},
    {"gradient of cumprod",
     [](int n) { return slope([](const Tensor& x) { return cumprod(x, 0); }, row(n)); }},
    {"gradient of prod",
     [](int n) { return slope([](const Tensor& x) { return prod(x); }, row(n)); }},
    {"gradient of sort",
     [](int n) { return slope([](const Tensor& x) { return sort(x).values * x; }, row(n)); }},
    {"interpolate",
     [](int n) {
       return interpolate(rand({1, 1, n}), {.scale_factor = 1.5, .mode = "linear"});
     }},
    {"adaptive_avg_pool1d",
     [](int n) {
       return adaptive_avg_pool1d(rand({1, 1, n}), n / 2 + 1);
     }},
    {"adaptive_max_pool1d",
     [](int n) {
       return adaptive_max_pool1d(rand({1, 1, n}), n / 2 + 1);
     }},
    {"gradient of max_pool1d",
     [](int n) {
       return slope([](const Tensor& x) { return max_pool1d(x, 3); }, rand({1, 1, n}));
     }},
    {"conv_transpose1d",
     [](int n) {
       return conv_transpose1d(rand({1, 1, n}), rand({1, 1, 3}), {.stride = 2});
     }},
    {"conv1d of a group for each channel",
     [](int n) {
       return conv1d(rand({1, n, 4}), rand({n, 1, 3}), {.groups = n});
     }},
    {"local_response_norm",
     [](int n) {
       return local_response_norm(rand({1, n, 2}), 5);
     }},
    {"einsum",
     [](int n) {
       return einsum("i,j->", {row(n), row(n)});
     }},
    {"roll", [](int n) { return roll(row(n), 7, 0); }},
};

// n log n grows from 256 to 4,096 by 24, n squared by 256.
void check_work(const std::vector<Row>& rows) {
  for (const Row& each : rows) {
    const std::int64_t few = work(each.call, 256), many = work(each.call, 4096);
    INFO(each.name << ": " << few << " elements of 256, " << many << " of 4,096");
    CHECK(many < 30 * few);
  }
}

}  // namespace

TEST_CASE("complexity: search, counting and sorting grow as n log n") { check_work(ordered); }
TEST_CASE("complexity: gather and scatter grow as n") { check_work(indexed); }
TEST_CASE("complexity: scans, resampling and convolution grow as n") { check_work(along_rows); }
