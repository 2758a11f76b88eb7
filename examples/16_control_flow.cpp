// Branches and loops that depend on elements, inside one compiled graph.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <utility>

using namespace sinter;

bool near(const Tensor& found, const Tensor& expected) {
  return static_cast<bool>(all(abs(found - expected) < 1e-4f));
}

// The gradient of a training step, clipped if it is too long.
Tensor clipped(const Tensor& gradient) {
  const Tensor length = sqrt(sum(gradient * gradient));
  return cond(
      length > 1.0f, [](const Tensor& g, const Tensor& n) { return g / n; },
      [](const Tensor& g, const Tensor&) { return g; }, gradient, length);
}

// The square root by Newton's method: iterates until it converges.
Tensor root(const Tensor& x) {
  return while_loop([&](const Tensor& r) { return any(abs(r * r - x) > 1e-4f * x); },
                    [&](const Tensor& r) { return 0.5f * (r + x / r); }, x);
}

// A recurrent network over a sequence of any length: {the last state, all states}.
std::pair<Tensor, Tensor> recurrent(const Tensor& first, const Tensor& xs, const Tensor& weight) {
  const auto step = [&](const Tensor& state, const Tensor& x) {
    const Tensor next = tanh(matmul(state, weight) + x);
    return std::pair{next, next};
  };
  return scan(step, first, xs);
}

// The same as a loop on the host.
Tensor unrolled(Tensor state, const Tensor& xs, const Tensor& weight) {
  for (int i = 0; i < xs.size(0); ++i) state = tanh(matmul(state, weight) + xs[i]);
  return state;
}

Tensor loss(const Tensor& weight, const Tensor& xs) {
  return sum(square(recurrent(zeros({2, 4}), xs, weight).second));
}

int main() {
  bool right = true;

  const auto clip = compile(clipped, {.fullgraph = true});
  for (const float scale : {0.1f, 10.0f}) {
    const Tensor gradient = full({4}, scale);
    right = right && near(clip(gradient), scale > 0.5f ? full({4}, 0.5f) : gradient);
  }
  std::printf("cond:       %lld recording, %lld breaks\n",
              static_cast<long long>(clip.stats().recordings),
              static_cast<long long>(clip.stats().breaks));

  const auto newton = compile(root, {.fullgraph = true});
  right = right && near(newton(from_vector<float>({4, 9, 2}, {3})),
                        from_vector<float>({2, 3, std::sqrt(2.0f)}, {3}));

  const auto network = compile(recurrent, {.fullgraph = true});
  const auto slope = compile(grad(loss), {.fullgraph = true});
  const Tensor weight = randn({4, 4}) * 0.3f;
  for (const int length : {5, 80, 1, 12}) {
    Tensor xs = randn({length, 2, 4});
    mark_dynamic(xs, 0);
    right = right &&
            near(network(zeros({2, 4}), xs, weight).first, unrolled(zeros({2, 4}), xs, weight));
    right = right && near(slope(weight, xs), grad(loss)(weight, xs));
  }
  std::printf("scan:       %lld recording\n", static_cast<long long>(network.stats().recordings));
  std::printf("its gradient: %lld recording\n", static_cast<long long>(slope.stats().recordings));

  const Tensor rows = randn({3, 8});
  right = right &&
          near(map([](const Tensor& row) { return sum(row * row); }, rows), sum(rows * rows, 1));

  right = right && clip.stats().recordings == 1 && clip.stats().breaks == 0 &&
          network.stats().recordings == 1 && slope.stats().recordings == 1;
  return right ? 0 : 1;
}
