// The guarantees, one function for each: docs/semantics.md shows these functions.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;

bool is(const Tensor& x, float value) {
  return static_cast<bool>(all(abs(x - value) < 1e-5f * (1.0f + std::fabs(value))));
}

bool values() {
  Tensor x = ones({3});
  const Tensor copy = x, row = reshape(x, {1, 3});
  x += 1.0f;  // x has a new value; copy and row are unchanged
  return is(x, 2) && is(copy, 1) && is(row, 1);
}

bool operators() {
  const Where above = Where::current();
  try {
    matmul(ones({3, 4}), ones({5, 4}));  // thrown here, compiled or not, before anything runs
  } catch (const ShapeError& error) {
    return error.where().line() == above.line() + 2;
  }
  return false;
}

bool typed() {
  const TensorOf<float, "batch", 4> x = ones({3, 4});
  const TensorOf<float, 4> scale = full({4}, 2.0f);
  const auto expression = exp(x * 0.0f) * scale;  // a type; nothing is recorded yet
  const TensorOf<float, "batch", 4> y = expression;
  return is(y, 2);
}

bool state() {
  auto add_to = compile([](Tensor& total, const Tensor& x) { total += x; });
  Tensor total = zeros({4});
  const Tensor x = ones({4});
  add_to(total, x);
  const float* const address = total.data<float>();
  add_to(total, x);  // no other handle: updated in place
  const bool stayed = total.data<float>() == address;
  const Tensor snapshot = total;
  add_to(total, x);  // the snapshot holds the old value: the state moves, once
  return stayed && is(snapshot, 2) && is(total, 3) && total.data<float>() != address;
}

struct Tied {
  nn::Embedding embed{6, 4};
  SINTER_MODULE(Tied, embed)
  Tensor forward(const Tensor& words) const {
    return matmul(embed(words), transpose(embed.weight, 0, 1));  // one member, used twice
  }
};

bool copies() {
  Tied model;
  const Tied backup = model;  // a copy: training the model does not change it
  model.embed.weight *= 0.0f;
  const Tensor words = arange(3);
  return is(model(words), 0) && !is(backup(words), 0);
}

bool arguments() {
  auto f = compile([](const Tensor& a, const Tensor& b) { return a * 2.0f - b; });
  const Tensor x = full({2}, 3.0f), y = ones({2});
  const bool right = is(f(x, x), 3) && is(f(x, y), 5);  // x and x are two arguments
  return right && f.stats().recordings == 1;
}

bool captures() {
  Tensor shift = zeros({2});
  auto f = compile([&shift](const Tensor& x) { return x + shift; });
  bool right = is(f(ones({2})), 1);
  shift = full({2}, 5.0f);  // seen, without a recompile
  right = right && is(f(ones({2})), 6);
  return right && f.stats().recompiles == 0;
}

bool numbers() {
  auto scaled = compile([](const Tensor& x, Scalar rate) { return x * rate; });
  auto with_float = compile([](const Tensor& x, float rate) { return x * rate; });
  bool right = true;
  for (int step = 0; step < 10; ++step) {
    const float rate = 1.0f / static_cast<float>(1 + step);
    right = right && is(scaled(ones({2}), rate), rate) && is(with_float(ones({2}), rate), rate);
  }
  return right && scaled.stats().recompiles == 0 && with_float.stats().recompiles == 1;
}

bool created_state() {
  nn::Linear model{4, 2};
  optim::AdamW optimizer{.learning_rate = 0.01f};  // its moments are created by the first step
  auto step = compile([](nn::Linear& net, optim::AdamW& adamw, const Tensor& x) {
    auto [loss, gradients] = value_and_grad(net, [&] { return mean(square(net(x))); });
    adamw.step(net, gradients);
    return loss;
  });
  for (int i = 0; i < 5; ++i) step(model, optimizer, ones({3, 4}));
  return step.stats().recordings == 1;
}

bool breaks() {
  auto f = compile([](const Tensor& x) {
    const Tensor y = tanh(x);
    if (sum(y) > 0.0f) return y;  // a read on the host: a graph break
    return -y;
  });
  auto whole = compile(
      [](const Tensor& x) {
        const Tensor y = tanh(x);
        return where(sum(y) > 0.0f, y, -y);
      },
      {.fullgraph = true});
  const Tensor x = full({3}, -1.0f);
  const bool right = is(f(x) - whole(x), 0);
  return right && f.stats().graphs == 2 && f.stats().breaks == 1 && whole.stats().graphs == 1;
}

bool randomness() {
  auto f = compile([](const Tensor& x) { return x + (randn({4}) - randn({4})); });
  random::manual_seed(7);
  const Tensor first = f(zeros({4})), second = f(zeros({4}));  // each call makes new draws
  random::manual_seed(7);
  return !is(first, 0) && !is(first - second, 0) && is(f(zeros({4})) - first, 0);
}

bool guards() {
  auto f = compile([](const Tensor& x, int times) { return x * times; });
  f(ones({2}), 3);
  f(zeros({2}), 3);         // other elements, at another address: replayed
  f(ones({2}), 4);          // a plain value: recorded again
  f(ones({2}).to(f64), 3);  // another dtype
  return f.stats().recordings == 3;
}

bool dimensions() {
  auto f = compile([](const Tensor& x) { return softmax(x, -1); });
  for (int batch : {7, 1, 64, 0}) {
    Tensor x = ones({batch, 8});
    mark_dynamic(x, 0);
    f(x);
  }
  return f.stats().recordings == 1;
}

bool recompiles() {
  auto f = compile([](const Tensor& x) { return x * 2.0f; }, {.dynamic = Dynamic::off});
  f(ones({4}));
  f(ones({5}));
  const std::string why = f.explain().recompiles.at(0);
  return why.find("expected size(0) == 4, found 5") != std::string::npos;
}

bool backends() {
  const auto program = [](const Tensor& x) { return softmax(exp(x) / 3.0f, -1); };
  const Tensor x = randn({4, 9});
  const Tensor fused = compile(program)(x);
  const Tensor eager = compile(program, {.backend = Backend::eager})(x);
  return is(fused - eager, 0);
}

bool errors() {
  auto update = compile([](Tensor& total, const Tensor& table, const Tensor& index) {
    total += sum(index_select(table, 0, index));
  });
  Tensor total = zeros({1});
  const Tensor table = ones({4}), index = from_vector(std::vector<std::int64_t>{0, 4}, {2});
  try {
    update(total, table, index);
  } catch (const IndexError&) {
    return is(total, 0);  // unchanged
  }
  return false;
}

bool threads() {
  auto f = compile([](const Tensor& x) { return sin(x) + 1.0f; });
  std::vector<std::thread> workers;
  std::vector<int> right(4, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    workers.emplace_back([&, i] { right[i] = is(f(zeros({8})), 1); });
  }
  for (std::thread& thread : workers) thread.join();
  return right == std::vector<int>(4, 1) && f.stats().recordings == 1;
}

struct Layer {
  nn::Linear up{8, 16}, down{16, 8};
  SINTER_MODULE(Layer, up, down)
  Tensor forward(const Tensor& x) const { return x + down(relu(up(x))); }
};

struct Model {
  std::vector<Layer> layers;
  SINTER_MODULE(Model, layers)
  Tensor forward(Tensor x) const {
    for (const Layer& layer : layers) x = layer(x);
    return x;
  }
};

bool keys() {
  const ScopedFreshCache fresh;
  compile(Layer())(ones({2, 8}));
  auto same_code = compile([](const Layer& layer, const Tensor& x) { return layer(x); });
  same_code(Layer(), ones({2, 8}));
  return same_code.stats().kernels_compiled == 0;
}

bool repetition() {
  std::vector<std::int64_t> compiled;
  for (const unsigned depth : {4u, 32u}) {
    const ScopedFreshCache fresh;
    auto f = compile(Model{.layers = std::vector<Layer>(depth)});
    f(ones({2, 8}));
    compiled.push_back(f.stats().kernels_compiled);
  }
  return compiled[0] == compiled[1];
}

bool cache() {
  const ScopedFreshCache fresh;
  const auto program = [](const Tensor& x) { return tanh(x) * 3.0f; };
  compile(program)(ones({5}));
  reset();  // as in a new process: compiled kernels are on disk
  auto again = compile(program);
  again(ones({5}));
  return again.stats().compiler_runs == 0 && again.stats().disk_hits == 1;
}

int main() {
  bool (*const promises[])() = {values,     operators, typed,      state,         copies,
                                arguments,  captures,  numbers,    created_state, breaks,
                                randomness, guards,    dimensions, recompiles,    backends,
                                errors,     threads,   keys,       repetition,    cache};
  int number = 0, broken = 0;
  for (bool (*const promise)() : promises) {
    ++number;
    if (promise()) continue;
    ++broken;
    std::printf("promise %d does not hold\n", number);
  }
  std::printf("%d promises, %d broken\n", number, broken);
  return broken;
}
