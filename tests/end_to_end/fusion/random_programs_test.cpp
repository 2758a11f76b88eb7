// test: deep moved
// Random programs: fused against eager, sizes static and marked. Many share one recording.

#include <doctest/doctest.h>

#include <random>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

// The inputs of a program: two matrices, a row, integers and a mask.
struct Inputs {
  Tensor a, b, row, integers, mask;
};

// Generates small programs; the same seed gives the same program.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::vector<Tensor> write(const Inputs& inputs, int programs) {
    std::vector<Tensor> results;
    for (int i = 0; i < programs; ++i) results.push_back(program(inputs));
    return results;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  const Tensor& any(const std::vector<Tensor>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }

  // All values have the shape of inputs.a, so that any two can be combined.
  Tensor program(const Inputs& inputs) {
    std::vector<Tensor> values{inputs.a, inputs.b, inputs.a + inputs.row,
                               inputs.integers.to(f32) * 0.25f,
                               where(inputs.mask, inputs.a, inputs.b)};
    for (int step = 2 + below(5); step > 0; --step) {
      const Tensor &x = any(values), &y = any(values);
      values.push_back(bounded(operation(x, y, inputs)));
    }
    return last(values.back());
  }

  Tensor bounded(const Tensor& x) { return clamp(x, -8.0f, 8.0f); }

  Tensor operation(const Tensor& x, const Tensor& y, const Inputs& inputs) {
    switch (below(5)) {
      case 0:
        return unary(x);
      case 1:
        return binary(x, y);
      case 2:
        return reduction(x);
      case 3:
        return movement(x, y);
      default:
        return product(x, y, inputs);
    }
  }

  Tensor unary(const Tensor& x) {
    switch (below(8)) {
      case 0:
        return exp(x * 0.25f);
      case 1:
        return tanh(x);
      case 2:
        return sin(x);
      case 3:
        return sqrt(abs(x));
      case 4:
        return relu(x) - 1.0f;
      case 5:
        return gelu(x);
      case 6:
        return x.to(f16).to(f32);
      default:
        return (x.to(i32) * 3).to(f32);
    }
  }

  Tensor binary(const Tensor& x, const Tensor& y) {
    switch (below(6)) {
      case 0:
        return x + y;
      case 1:
        return x * y;
      case 2:
        return x / (1.0f + abs(y));
      case 3:
        return maximum(x, y) - minimum(x, -y);
      case 4:
        return where(x < y, x, y * 0.5f);
      default:
        return (x.to(f64) - y.to(f64)).to(f32);
    }
  }

  Tensor reduction(const Tensor& x) {
    switch (below(6)) {
      case 0:
        return x - max(x, {-1}, true);
      case 1:
        return softmax(x, -1) * 2.0f;
      case 2:
        return x - mean(x, {0}, true);
      case 3:
        return x + sum(x, {0, 1}, true) * 0.01f;
      case 4:
        return x * argmax(x, 1, true).to(f32) * 0.1f;
      default:
        return layer_norm_over(x, 1);
    }
  }

  Tensor movement(const Tensor& x, const Tensor& y) {
    switch (below(5)) {
      case 0:
        return flip(x, {below(2)}) + y;
      case 1:
        return transpose(transpose(x, 0, 1) * 2.0f, 0, 1);
      case 2:
        return pad(x, {{1, 0}, {0, 2}})[{Slice{0, x.size(0)}, Slice{0, x.size(1)}}] - y;
      case 3:
        return reshape(reshape(x, {-1}) * 0.5f, {x.size(0), x.size(1)});
      default:
        return x + expand(reshape(sum(y, {1}), {y.size(0), 1}), {y.size(0), y.size(1)});
    }
  }

  Tensor product(const Tensor& x, const Tensor& y, const Inputs& inputs) {
    switch (below(3)) {
      case 0:
        return matmul(matmul(x, transpose(y, 0, 1)) * 0.1f, y) * 0.1f;
      case 1:
        return matmul(x, matmul(transpose(x, 0, 1), y) * 0.05f) * 0.1f;
      default:
        return index_select(x, 0, inputs.integers[{all, 0}] % 2) + y;
    }
  }

  Tensor last(const Tensor& x) {
    switch (below(5)) {
      case 0:
        return sum(x);
      case 1:
        return mean(x, {0});
      case 2:
        return max(x, {1});
      case 3:
        return (x > 0.0f);
      default:
        return x;
    }
  }

  std::mt19937 random_;
};

Inputs inputs_of(int rows, int columns, bool marks) {
  Inputs result{randn({rows, columns}), randn({rows, columns}), randn({columns}),
                randint(0, 20, {rows, columns}), rand({rows, columns}) < 0.5f};
  for (Tensor* tensor : {&result.a, &result.b, &result.integers, &result.mask}) {
    elements_of(*tensor);
    if (marks) mark_dynamic(*tensor, 0);
    if (marks) mark_dynamic(*tensor, 1);
  }
  elements_of(result.row);
  if (marks) mark_dynamic(result.row, 0);
  return result;
}

const int programs = by_device(20, 10);

template <unsigned seed>
std::vector<Tensor> written(const Tensor& a, const Tensor& b, const Tensor& row,
                            const Tensor& integers, const Tensor& mask) {
  return Writer(seed).write({a, b, row, integers, mask}, programs);
}

// Tolerance for f32 sums of a few hundred products; comparisons of nearly equal numbers may differ.
bool agree(const Tensor& found, const Tensor& expected) {
  if (found.dtype() != boolean) return near_tensor(found, expected, 2e-3);
  const Numbers a = numbers(found), b = numbers(expected);
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += a[i] != b[i];
  return a.size() == b.size() && different <= 1 + a.size() / 50;
}

template <unsigned seed>
void check(bool marks, Numerics numerics) {
  const auto f = compile(written<seed>, {.numerics = numerics});
  const auto eager = compile(written<seed>, {.backend = Backend::eager});
  random::manual_seed(seed);
  for (const auto& [rows, columns] : {std::pair{5, 7}, std::pair{16, 33}, std::pair{2, 3}}) {
    if (!marks && rows != 5) continue;
    const Inputs in = inputs_of(rows, columns, marks);
    const auto found = f(in.a, in.b, in.row, in.integers, in.mask);
    const auto expected = on_host(eager, in.a, in.b, in.row, in.integers, in.mask);
    for (std::size_t i = 0; i < found.size(); ++i) {
      INFO("seed " << seed << ", program " << i << ", " << rows << " x " << columns);
      CHECK(agree(found[i], expected[i]));
    }
  }
  CHECK(f.stats().recordings == 1);
}

template <unsigned... seed>
void check_all(std::integer_sequence<unsigned, seed...>, bool marks, Numerics numerics) {
  ((seed < by_device(6u, 2u) ? check<seed + 1>(marks, numerics) : void()), ...);
}

using Seeds = std::make_integer_sequence<unsigned, 6>;

}  // namespace

TEST_CASE("random programs: fused and eager agree with static sizes") {
  check_all(Seeds(), false, Numerics::fast);
}

TEST_CASE("random programs: fused and eager agree with symbolic sizes") {
  check_all(Seeds(), true, Numerics::fast);
}

TEST_CASE("random programs: strict and eager agree") {
  check_all(Seeds(), false, Numerics::strict);
}
