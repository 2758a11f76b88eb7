// test: moved
// vmap in compiled functions, in every order of transforms, agrees with a loop over samples.

#include <doctest/doctest.h>

#include <set>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

// The same numbers in each run.
Tensor wave(const Shape& shape, float speed = 1.7f) {
  return sin(reshape(arange(numel(shape).value()), shape).to(f32) * speed);
}

// Row i of `found` is f(x[i], rest...).
template <class F, class... Rest>
bool are_rows(const Tensor& found, F f, const Tensor& x, const Rest&... rest) {
  const ScopedDevice host(cpu());  // the reference is computed on the host
  const Tensor rows = found.to(cpu()), inputs = x.to(cpu());
  bool result = rows.size(0) == inputs.size(0);
  for (int i = 0; result && i < inputs.size(0); ++i) {
    result = near_tensor(rows[i], f(Tensor(inputs[i]), rest.to(cpu())...), 1e-4);
  }
  return result;
}

// Checks vmap(f) on all backends, in one recording without a break that serves any number of
// samples; and vmap of the compiled function.
template <class F, class... Rest>
void agrees(F f, const Tensor& x, const Rest&... rest) {
  std::vector<std::optional<int>> axes{0};
  (axes.push_back((static_cast<void>(rest), std::nullopt)), ...);
  CHECK(are_rows(vmap(f, axes)(x, rest...), f, x, rest...));
  CHECK(are_rows(vmap(compile(f), axes)(x, rest...), f, x, rest...));
  for (const Backend backend : {Backend::eager, Backend::aot_eager, Backend::fused}) {
    if (by_device(false, backend == Backend::aot_eager)) continue;
    const auto fast = compile(vmap(f, axes), {.backend = backend, .fullgraph = true});
    CHECK(are_rows(fast(x, rest...), f, x, rest...));
    CHECK(fast.stats().recordings == 1);
  }
  const auto any = compile(vmap(f, axes), {.fullgraph = true});
  for (const int count : {3, 1, 2}) {
    Tensor some = slice(x, 0, 0, count);
    evaluate(some, Where::current());
    mark_dynamic(some, 0);
    CHECK(are_rows(any(some, rest...), f, some, rest...));
  }
  CHECK(any.stats().recordings == 1);
}

// A loss of a sample, of x and weights.
Tensor loss(const Tensor& x, const Tensor& w) {
  const Tensor hidden = tanh(matmul(w, x));
  return sum(softmax(hidden * 2.0f, -1) * hidden) + logsumexp(x);
}

Tensor slope(const Tensor& x, const Tensor& w) { return grad(loss, 1)(x, w); }

Tensor picked(const Tensor& x, const Tensor& table) {
  const Tensor at = argmax(x);
  return table[at] * max(x) + x[at];
}

Tensor branch(const Tensor& x) {
  return cond(
      sum(x) > 0.0f, [](const Tensor& t) { return exp(t); }, [](const Tensor& t) { return t * t; },
      x);
}

Tensor halved(const Tensor& x) {
  return while_loop([](const Tensor& t) { return max(t) > 0.2f; },
                    [](const Tensor& t) { return t * 0.5f; }, x);
}

Tensor recurrent(const Tensor& x, const Tensor& w) {
  const auto step = [&](const Tensor& h, const Tensor& v) {
    const Tensor next = tanh(w * h + v);
    return std::pair{next, next * h};
  };
  return scan(step, zeros({}), x).second;
}

Tensor recurrent_slope(const Tensor& x, const Tensor& w) {
  return grad([&](const Tensor& v) { return sum(recurrent(v, w)); })(x);
}

struct Network {
  nn::Linear first{4, 8}, second{8, 3};
  SINTER_MODULE(Network, first, second)
  Tensor forward(const Tensor& x) const { return second(relu(first(x))); }
};

Tensor sample_loss(const Network& model, const Tensor& x, const Tensor& y) {
  return mse_loss(model(x), y);
}

}  // namespace

TEST_CASE("vmap: operations agree with a loop over samples, compiled and eager") {
  const Tensor x = wave({3, 4}), w = wave({5, 4}, 0.3f);
  agrees(loss, x, w);
  agrees(picked, x, w);
  agrees([](const Tensor& v) { return softmax(v, 0) + mean(v); }, x);
  agrees([](const Tensor& v) { return permute(reshape(v, {2, 2}), {1, 0}); }, x);
}

TEST_CASE("vmap: convolutions and pools of three axes, and their gradients") {
  const Tensor volume = wave({2, 1, 2, 4, 4, 4}), kernel = wave({3, 2, 2, 2, 2});
  const auto convolve = [](const Tensor& x, const Tensor& w) { return conv3d(x, w); };
  agrees(convolve, volume, kernel);
  agrees([](const Tensor& x) { return max_pool3d(x, 3, {.stride = 1}); }, volume);
  agrees([](const Tensor& x) { return max_pool3d(x, 2); }, volume);
  agrees([](const Tensor& x) { return avg_pool3d(x, 3, {.stride = 2, .padding = 1}); }, volume);
  const auto energy = [](const Tensor& x, const Tensor& w) {
    return sum(square(avg_pool3d(conv3d(x, w, {.padding = 1}), 2)));
  };
  agrees(grad(energy), volume, kernel);
  agrees(grad(energy, 1), volume, kernel);
  const auto grouped = [](const Tensor& x, const Tensor& w) { return conv3d(x, w, {.groups = 2}); };
  agrees(grouped, volume, wave({2, 1, 2, 2, 2}));
  const Tensor twice = vmap(vmap(convolve, {0, unbatched}), {0, unbatched})(
      reshape(volume, {1, 2, 1, 2, 4, 4, 4}), kernel);
  CHECK(near_tensor(twice[0], vmap(convolve, {0, unbatched})(volume, kernel), 1e-4));
}

TEST_CASE("vmap: per-sample gradients, compiled and eager") {
  const Tensor x = wave({3, 4}), w = wave({5, 4}, 0.3f);
  agrees(slope, x, w);
  agrees([](const Tensor& v) { return grad([](const Tensor& u) { return sum(u * u * u); })(v); },
         x);
  const auto total = [](const Tensor& v, const Tensor& u) {
    return sum(vmap(loss, {0, unbatched})(v, u));
  };
  const auto fast = compile(grad(total, 1), {.fullgraph = true});
  CHECK(near_tensor(fast(x, w), sum(vmap(slope, {0, unbatched})(x, w), 0), 1e-4));
  const auto inner = compile(slope);
  CHECK(are_rows(vmap(inner, {0, unbatched})(x, w), slope, x, w));
}

TEST_CASE("vmap: branches and loops per sample, compiled and eager") {
  const Tensor x = wave({3, 4});
  agrees(branch, x);
  agrees(halved, x);
  agrees(recurrent, x, wave({}, 0.5f) + 0.7f);
  agrees(recurrent_slope, x, wave({}, 0.5f) + 0.7f);
}

TEST_CASE("vmap: nested, compiled and eager") {
  const auto distances = [](const Tensor& x, const Tensor& y) {
    const auto one = [](const Tensor& a, const Tensor& b) { return sum(square(a - b)); };
    return vmap(vmap(one, {unbatched, 0}), {0, unbatched})(x, y);
  };
  const Tensor x = wave({3, 4}), y = wave({5, 4}, 0.3f);
  const Tensor expected = sum(square(reshape(x, {3, 1, 4}) - reshape(y, {1, 5, 4})), 2);
  CHECK(near_tensor(distances(x, y), expected));
  CHECK(near_tensor(compile(distances, {.fullgraph = true})(x, y), expected));
}

TEST_CASE("vmap: per-sample gradients of a module agree with a loop") {
  const Network model;
  const Tensor x = wave({6, 4}), y = wave({6, 3}, 0.7f);
  const auto each = vmap(grad(sample_loss), {unbatched, 0, 0});
  const auto fast = compile(each, {.fullgraph = true});
  const Network found = fast(model, x, y), plain = each(model, x, y);
  for (int i = 0; i < 6; ++i) {
    const Network one = grad(sample_loss)(model, Tensor(x[i]), Tensor(y[i]));
    CHECK(near_tensor(found.first.weight[i], one.first.weight));
    CHECK(near_tensor(plain.first.weight[i], one.first.weight));
    CHECK(near_tensor((*found.second.bias)[i], *one.second.bias));
  }
  CHECK(fast.stats().recordings == 1);
}

TEST_CASE("vmap: an ensemble agrees with its members") {
  std::vector<Network> models(3);
  const Tensor x = wave({6, 4});
  const auto call = [](const Network& m, const Tensor& v) { return m(v); };
  const auto all_of_them = compile(vmap(call, {0, unbatched}), {.fullgraph = true});
  const Network stacked = nn::stack_modules(models);
  const Tensor found = all_of_them(stacked, x);
  for (int i = 0; i < 3; ++i) CHECK(near_tensor(found[i], models[static_cast<std::size_t>(i)](x)));
}

TEST_CASE("vmap: random numbers differ in each sample and call") {
  const auto noisy = [](const Tensor& v) { return v + rand({8}); };
  const auto fast = compile(vmap(noisy), {.fullgraph = true});
  std::set<double> found;
  for (int call = 0; call < 3; ++call) {
    for (const double number : numbers(fast(zeros({4})))) found.insert(number);
  }
  CHECK(found.size() == 96);
  CHECK(fast.stats().recordings == 1);
}

TEST_CASE("vmap: compiled jvp, jacobians and hessians") {
  const auto f = [](const Tensor& x) { return sin(x) * sum(x); };
  const Tensor x = wave({4}), t = wave({4}, 0.4f);
  CHECK(near_tensor(compile(jacrev(f))(x), jacfwd(f)(x)));
  CHECK(near_tensor(compile(jacfwd(f))(x), jacrev(f)(x)));
  const auto along = [&](const Tensor& v, const Tensor& u) { return jvp(f, v, u).tangent; };
  CHECK(near_tensor(compile(along)(x, t), matmul(jacrev(f)(x), t)));
  const auto back = [&](const Tensor& v, const Tensor& u) { return vjp(f, v).pullback(u); };
  CHECK(near_tensor(compile(back)(x, t), matmul(t, jacrev(f)(x))));
  CHECK(near_tensor(vmap(along)(wave({2, 4}), wave({2, 4}, 0.4f))[0], along(x, t)));
}

TEST_CASE("vmap: vmap of a replayed function is replayed, and other axes are a separate function") {
  const auto f = [](const Tensor& v) { return sum(v * v); };
  CHECK(jit::detail::may_replay<decltype(vmap(f))>);
  CHECK(jit::detail::may_replay<decltype(vmap(grad(loss), {0, unbatched}))>);
  CHECK(jit::detail::may_replay<decltype(vmap(sum))>);
  CHECK_FALSE(
      jit::detail::may_replay<decltype(vmap([x = ones({})](const Tensor& v) { return v * x; }))>);
  const Tensor x = wave({3, 3});
  const auto rows = compile(vmap(f)), columns = compile(vmap(f, 1));
  for (int call = 0; call < 3; ++call) {
    CHECK(near_tensor(rows(x), sum(x * x, 1)));
    CHECK(near_tensor(columns(x), sum(x * x, 0)));
  }
  CHECK(rows.stats().recordings == 1);
  CHECK(near_tensor(compile(vmap(sum))(x), sum(x, 1)));
}

TEST_CASE("vmap: samples of other sizes are recorded again, and then replayed") {
  const auto fast =
      compile(vmap([](const Tensor& v) { return softmax(v, 0); }), {.dynamic = Dynamic::off});
  for (int call = 0; call < 2; ++call) {
    for (const int size : {2, 5})
      CHECK(near_tensor(fast(wave({3, size})), softmax(wave({3, size}), 1)));
  }
  CHECK(fast.stats().recordings == 2);
}

TEST_CASE("vmap: a read of elements in a batch throws, also compiled") {
  const auto f = [](const Tensor& v) { return v * sum(v).item<float>(); };
  CHECK_THROWS_AS(vmap(f)(wave({2, 3})), GraphBreakError);
  CHECK_THROWS_AS(compile(vmap(f))(wave({2, 3})), GraphBreakError);
}
