// test: moved
// Gradients of collectives by finite differences over all ranks, and of their batched forms.

#include <doctest/doctest.h>

#include "../world.hpp"

using namespace sinter;
using namespace ranks;

namespace {

// The sum over all ranks of what `f` gives on each for its own tensor, in f64.
template <class F>
double total(const F& f, const Tensor& mine) {
  return dist::all_reduce(f(mine)).template item<double>();
}

// Compares the gradient of the total with differences, of each element of each rank in turn.
template <class F>
void check_gradient(const F& f, const Tensor& mine) {
  const Tensor eager = grad(f)(mine);
  const Tensor compiled = compile([&](const Tensor& x) { return grad(f)(x); })(mine);
  CHECK(difference(eager, compiled) < 1e-9);
  const auto found = eager.to_vector<double>();
  const auto given = mine.to_vector<double>();
  constexpr double step = 1e-5;
  for (int moved = 0; moved < size(); ++moved) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto at = [&](double by) {
        std::vector<double> elements = given;
        if (rank() == moved) elements[i] += by;
        return total(f, from_vector(elements, mine.shape()));
      };
      const double slope = (at(step) - at(-step)) / (2 * step);
      if (rank() == moved) CHECK(found[i] == doctest::Approx(slope).epsilon(1e-6));
    }
  }
}

// A weight for each element and rank, so that every part of a gradient differs.
Tensor weighted(const Tensor& y) { return sum(sin(y * (1 + 0.3 * rank())) * y); }

}  // namespace

TEST_CASE("gradients: all_reduce") {
  for (const auto reduce :
       {dist::Reduce::sum, dist::Reduce::mean, dist::Reduce::min, dist::Reduce::max}) {
    check_gradient([reduce](const Tensor& x) { return weighted(dist::all_reduce(x * x, reduce)); },
                   elements({3}).to(f64));
  }
}

TEST_CASE("gradients: all_gather, reduce_scatter, broadcast and all_to_all") {
  const Tensor x = elements({size(), 2}).to(f64);
  check_gradient([](const Tensor& y) { return weighted(dist::all_gather(y, 1)); }, x);
  for (const auto reduce : {dist::Reduce::sum, dist::Reduce::mean, dist::Reduce::max}) {
    check_gradient(
        [reduce](const Tensor& y) { return weighted(dist::reduce_scatter(y, 0, reduce)); }, x);
  }
  for (int root = 0; root < size(); ++root) {
    check_gradient([root](const Tensor& y) { return weighted(dist::broadcast(y, root)); }, x);
  }
  check_gradient([](const Tensor& y) { return weighted(dist::all_to_all(y, 0)); }, x);
}

TEST_CASE("gradients: equal extrema share theirs") {
  const auto largest = [](const Tensor& x) { return sum(dist::all_reduce(x, dist::Reduce::max)); };
  CHECK(difference(grad(largest)(ones({2})), ones({2})) < 1e-6);
}

TEST_CASE("gradients: second derivatives") {
  const auto f = [](const Tensor& x) { return weighted(dist::all_reduce(x * x)); };
  check_gradient([&](const Tensor& x) { return sum(grad(f)(x) * cos(x)); }, elements({3}).to(f64));
}

TEST_CASE("gradients: in scan and vmap") {
  const Tensor x = elements({3, 2}).to(f64);
  const auto scanned = [](const Tensor& xs) {
    const auto step = [](const Tensor& carry, const Tensor& row) {
      const Tensor next = sin(carry + dist::all_reduce(row));
      return std::pair{next, next};
    };
    return weighted(scan(step, zeros({2}, f64), xs).first);
  };
  check_gradient(scanned, x);
  const auto batched = [](const Tensor& xs) {
    return weighted(vmap([](const Tensor& row) { return dist::all_gather(row * row); })(xs));
  };
  check_gradient(batched, x);
  const auto of_each = [](const Tensor& xs) {
    const auto one = [](const Tensor& row) { return weighted(dist::all_reduce(row * row)); };
    return sum(vmap(grad(one))(xs) * xs);
  };
  check_gradient(of_each, x);
}
