// Errors: each names your line, the values, the rule and the fix; nothing has changed then.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

using namespace sinter;

int shown = 0;

// Prints the error of type `Error` that `body` throws; it must contain `part`.
template <class Error, class Body>
void show(const char* part, Body body) {
  try {
    body();
  } catch (const Error& error) {
    std::printf("%s\n\n", error.what());
    if (std::strstr(error.what(), part) != nullptr) ++shown;
  }
}

int main() {
  const Tensor a = randn({3, 4}), b = randn({5, 4});
  show<ShapeError>("broadcast", [&] { a + b; });
  show<ShapeError>("matmul", [&] { matmul(a, b); });
  show<ShapeError>("reshape", [&] { reshape(a, {5, 5}); });
  show<IndexError>("axis", [&] { sum(a, {2}); });
  show<DTypeError>("bitwise_and", [&] { a& a; });
  show<ValueError>("undefined", [&] { Tensor().shape(); });
  show<GradientError>("one", [&] { grad([](const Tensor& x) { return x * x; })(a); });

  int steps = 0;
  auto count = compile([](int& n, const Tensor& x) { return x * static_cast<float>(++n); });
  show<ValueError>("Scalar", [&] { count(steps, a); });

  auto branch = compile([](const Tensor& x) { return sum(x) > 0 ? x : -x; }, {.fullgraph = true});
  show<GraphBreakError>("where", [&] { branch(a); });

  // a fault in the data: the state is unchanged
  auto update = compile([](Tensor& total, const Tensor& table, const Tensor& rows) {
    total += sum(index_select(table, 0, rows), {0});
  });
  Tensor total = zeros({4});
  const Tensor rows = from_vector(std::vector<std::int64_t>{0, 3}, {2});
  show<IndexError>("3", [&] { update(total, a, rows); });
  const bool unchanged = !static_cast<bool>(any(total));

  std::printf("%d errors\n", shown);
  return shown == 10 && unchanged ? 0 : 1;
}
