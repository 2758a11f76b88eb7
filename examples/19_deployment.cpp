// Deployment: controlling when compilation may happen, in a program with latency limits.
#include <sinter/sinter.hpp>

#include <cstdio>

using namespace sinter;

struct Classifier {
  nn::Linear hidden{16, 64}, out{64, 4};
  SINTER_MODULE(Classifier, hidden, out)
  Tensor forward(const Tensor& x) const { return softmax(out(relu(hidden(x))), -1); }
};

bool agree(const Tensor& a, const Tensor& b) { return static_cast<bool>(all(abs(a - b) < 1e-5f)); }

// Everything is compiled before the first request, and nothing after it.
bool serve(const Classifier& model) {
  const auto answer = compile(model, {.name = "classifier"});
  answer.prepare(TensorSpec{{8, 16}}.dynamic(0, {.min = 1, .max = 64}));
  answer.freeze();
  const std::int64_t compiler_runs = answer.stats().compiler_runs;
  bool right = true;
  for (const int batch : {1, 7, 64}) {
    const Tensor x = randn({batch, 16});
    right = right && agree(answer(x), model(x));
  }
  try {
    answer(randn({65, 16}));
    right = false;
  } catch (const RecompileLimitError& error) {
    std::printf("%s\n\n", error.what());
  }
  return right && answer.stats().compiler_runs == compiler_runs;
}

// The eager backend answers the first requests, while another thread compiles.
bool warm_up(const Classifier& model) {
  const auto answer = compile(model, {.background = true});
  const Tensor x = randn({5, 16});
  bool right = agree(answer(x), model(x));
  wait_for_background();
  const std::int64_t eager = answer.stats().eager_calls;
  right = right && agree(answer(x), model(x)) && answer.stats().eager_calls == eager;
  std::printf("%lld calls, %lld of them eager\n\n", static_cast<long long>(answer.stats().calls),
              static_cast<long long>(eager));
  return right;
}

// The first request waits until the fastest candidate for each kernel is found.
bool try_ways(const Classifier& model) {
  const auto answer = compile(model, {.mode = Mode::max_autotune, .autotune_seconds = 0.5});
  const Tensor x = randn({64, 16});
  bool right = agree(answer(x), model(x));  // times, then answers
  const std::int64_t compiler_runs = answer.stats().compiler_runs;
  right = right && agree(answer(x), model(x));
  return right && answer.stats().compiler_runs == compiler_runs;
}

// The same program under different stances.
bool take_stances(const Classifier& model) {
  const auto answer = compile(model);
  bool right = true;
  {
    const ScopedStance scope(Stance::force_eager);  // to check that compilation is not the cause
    answer(randn({2, 16}));
    right = right && answer.stats().recordings == 0;
  }
  answer(randn({2, 16}));
  set_stance(Stance::eager_on_recompile);  // new signatures run eagerly
  answer(randn({2, 16}, f64).to(f32));
  answer(randn({3, 16}));
  set_stance(Stance::standard);
  const Stats stats = answer.stats();
  std::printf("%lld calls, %lld of them eager, %lld recordings\n",
              static_cast<long long>(stats.calls), static_cast<long long>(stats.eager_calls),
              static_cast<long long>(stats.recordings));
  return right && stats.recordings == 1 && stats.eager_calls == 2;
}

int main() {
  const Classifier model;
  const bool right = serve(model) && warm_up(model) && try_ways(model) && take_stances(model);
  return right ? 0 : 1;
}
