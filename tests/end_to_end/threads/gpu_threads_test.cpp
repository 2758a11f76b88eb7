// test: deep emulator gpu
// Many threads call compiled functions on GPUs at once: each has its own streams, graphs, arenas
// and state, and may read, use and release results of the others.

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "cuda_emulator/gpus.hpp"
#include "gpu.hpp"
#include "in_threads.hpp"
#include "jit/support.hpp"

using namespace gpu;
using sinter_test::in_threads;
using testing::ScopedFreshCache;

namespace {

constexpr int threads = 4;
const CompileOptions ways[]{{}, {.mode = Mode::reduce_overhead}};

// Whether all elements are `value`.
bool are(const Tensor& x, double value) {
  bool result = true;
  for (const double one : elements(x)) result = result && std::abs(one - value) < 1e-4;
  return result;
}

// A few kernels with temporaries; all elements of the result are 1 + `x` times its columns.
Tensor rows_and_columns(const Tensor& x) {
  return softmax(x, 1) * sum(x, 1, true) + sum(exp(x - x), 0) / x.size(0);
}

// Passes tensors from one thread to another.
class Queue {
 public:
  void push(Tensor x) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(x));
    changed_.notify_all();
  }
  Tensor pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !all_.empty(); });
    Tensor result = std::move(all_.front());
    all_.pop_front();
    return result;
  }

 private:
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::deque<Tensor> all_{};
};

}  // namespace

TEST_CASE("gpu_threads: calls of one function with different sizes do not interfere") {
  SINTER_GPUS(machine, 1);
  for (const CompileOptions& way : ways) {
    const auto f = compile(rows_and_columns, way);
    std::atomic<int> wrong = 0;
    in_threads(threads, cuda(), [&](int thread) {
      for (int call = 0; call < 6; ++call) {
        Tensor x = full({2 + (call + thread) % 3, 5}, static_cast<float>(thread));
        mark_dynamic(x, 0);
        wrong += !are(f(x), thread + 1);
      }
    });
    CHECK(wrong == 0);
    CHECK(f.stats().recordings == 1);
    CHECK(f.stats().calls == 6 * threads);
    const bool graphs = way.mode == Mode::reduce_overhead;
    CHECK(machine.graph_launches() == (graphs ? 6 * threads : 0));
  }
}

TEST_CASE("gpu_threads: host scalars are those of the call") {
  SINTER_GPUS(machine, 1);
  for (const CompileOptions& way : ways) {
    const auto f = compile([](const Tensor& x, Scalar by) { return softmax(x, 0) * by; }, way);
    std::atomic<int> wrong = 0;
    in_threads(threads, cuda(), [&](int thread) {
      const Tensor x = ones({4});
      for (int call = 0; call < 6; ++call) {
        const int by = 10 * thread + call;
        wrong += !are(f(x, static_cast<float>(by)), by / 4.0);
      }
    });
    CHECK(wrong == 0);
    CHECK(f.stats().recordings == 1);
  }
}

TEST_CASE("gpu_threads: each thread trains its own model, with one shared function") {
  SINTER_GPUS(machine, 1);
  const auto train = [](nn::Linear& model, optim::AdamW& optimizer, const Tensor& x) {
    auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
    optimizer.step(model, gradients);
    return loss;
  };
  const nn::Linear start(6, 5);
  const auto weights = [&](const auto& step, Device device, int thread) {
    nn::Linear model = start;
    nn::to(model, device);
    optim::AdamW optimizer{.learning_rate = 0.01f * static_cast<float>(thread + 1)};
    const Tensor x = sample({7, 6}, 0.1 * thread).to(device);
    for (int i = 0; i < 4; ++i) step(model, optimizer, x);
    return elements(model.weight);
  };
  std::vector<std::vector<double>> expected;
  for (int i = 0; i < threads; ++i) expected.push_back(weights(compile(train), cpu(), i));
  for (const CompileOptions& way : ways) {
    const auto step = compile(train, way);
    std::vector<std::vector<double>> found(threads);
    in_threads(threads, cuda(), [&](int thread) {
      found[static_cast<std::size_t>(thread)] = weights(step, cuda(), thread);
    });
    for (std::size_t i = 0; i < threads; ++i) CHECK(difference(found[i], expected[i]) < 1e-5);
    CHECK(step.stats().eager_calls == 0);
  }
}

TEST_CASE("gpu_threads: results of one thread are used and released by others") {
  SINTER_GPUS(machine, 1);
  for (const CompileOptions& way : ways) {
    const auto first = compile([](const Tensor& x) { return cumsum(x, 0) + sum(x); }, way);
    const auto second = compile([](const Tensor& x) { return x * 2.0f + max(x); }, way);
    std::vector<Queue> queues(2);
    std::atomic<int> wrong = 0;
    constexpr int count = 8;
    // Each pair of threads produces and consumes; tensors of one side reuse the memory of the
    // other.
    in_threads(threads, cuda(), [&](int thread) {
      Queue& queue = queues[static_cast<std::size_t>(thread / 2)];
      for (int i = 1; i <= count; ++i) {
        if (thread % 2 == 0) {
          queue.push(first(full({3}, static_cast<float>(i))));  // 4i, 5i, 6i
        } else {
          wrong +=
              elements(second(queue.pop())) != std::vector<double>{14.0 * i, 16.0 * i, 18.0 * i};
        }
      }
    });
    CHECK(wrong == 0);
    CHECK(first.stats().recordings == 1);
    CHECK(second.stats().recordings == 1);
  }
}

TEST_CASE("gpu_threads: state passed from thread to thread is updated in place") {
  SINTER_GPUS(machine, 1);
  for (const CompileOptions& way : ways) {
    const auto add = compile([](Tensor& total, const Tensor& x) { total = total + sum(x); }, way);
    Queue tokens;
    std::atomic<int> calls = 0, moved = 0;
    tokens.push(zeros({5}).to(cuda()));
    in_threads(threads, cuda(), [&](int) {
      for (int i = 0; i < 6; ++i) {
        Tensor total = tokens.pop();
        const bool is_first = calls++ == 0;
        const void* const before = testing::place(total);
        add(total, ones({3}));
        moved += !is_first && testing::place(total) != before;
        tokens.push(std::move(total));
      }
    });
    CHECK(are(tokens.pop(), 3.0 * 6 * threads));
    CHECK(moved == 0);
  }
}

TEST_CASE(
    "gpu_threads: a fault in one thread is thrown by its call, and leaves its state unchanged") {
  SINTER_GPUS(machine, 1);
  for (const CompileOptions& way : ways) {
    const auto f =
        compile([](Tensor& state, const Tensor& table,
                   const Tensor& at) { state = state + sum(index_select(table, 0, at)); },
                way);
    const Tensor table = ones({8}).to(cuda());
    std::atomic<int> wrong = 0;
    in_threads(threads, cuda(), [&](int thread) {
      const bool is_faulty = thread == 0;
      const Tensor at = list(std::vector<std::int64_t>{1, is_faulty ? 8 : 2}).to(cuda());
      Tensor state = zeros({4});
      for (int call = 0; call < 5; ++call) {
        try {
          f(state, table, at);
          wrong += is_faulty;
        } catch (const IndexError& error) {
          wrong += !is_faulty || !has(error.what(), "8");
        }
      }
      wrong += !are(state, is_faulty ? 0 : 10);
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE(
    "gpu_threads: more threads than graphs, and threads that end before their results are read") {
  SINTER_GPUS(machine, 1);
  const auto f = compile(rows_and_columns, ways[1]);
  std::vector<Tensor> inputs, results(24);
  for (int i = 0; i < 24; ++i) inputs.push_back(full({3, 4}, static_cast<float>(i)).to(cuda()));
  for (std::size_t begin : {0u, 12u}) {  // the second dozen reuses the streams of the first
    std::vector<std::jthread> list;
    for (std::size_t i = begin; i < begin + 12; ++i) {
      list.emplace_back([&, i] {
        for (int again = 0; again < 3; ++again) results[i] = f(inputs[i]);
      });
    }
  }
  for (std::size_t i = 0; i < 24; ++i) CHECK(are(results[i], static_cast<double>(i) + 1));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("gpu_threads: two GPUs, each used by half of the threads, which exchange tensors") {
  SINTER_GPUS(machine, 2);
  for (const CompileOptions& way : ways) {
    const auto f = compile(rows_and_columns, way);
    std::atomic<int> wrong = 0;
    std::vector<Queue> mail(2);
    in_threads(threads, cpu(), [&](int thread) {
      const int here = thread % 2;
      const ScopedDevice scope(cuda(here));
      for (int call = 1; call <= 4; ++call) {
        const Tensor y = f(full({4, 5}, static_cast<float>(call)));
        wrong += y.device() != cuda(here);
        mail[static_cast<std::size_t>(1 - here)].push(y);
        const Tensor other = mail[static_cast<std::size_t>(here)].pop();
        wrong += other.device() != cuda(1 - here);
        const Tensor twice = f(other.to(cuda(here)) * 0.0f + y);
        wrong += twice.device() != cuda(here) || !are(twice, call + 2);
      }
    });
    CHECK(wrong == 0);
    CHECK(f.stats().variants == 2);
    CHECK(f.stats().recordings == 2);
  }
}

TEST_CASE(
    "gpu_threads: functions are created, compiled in the background and destroyed concurrently") {
  SINTER_GPUS(machine, 2);
  const ScopedFreshCache fresh;
  std::atomic<int> wrong = 0;
  const auto shared = compile(rows_and_columns, ways[1]);
  in_threads(threads, cpu(), [&](int thread) {
    const ScopedDevice scope(cuda(thread % 2));
    for (int round = 0; round < 3; ++round) {
      const auto own = compile(
          [by = static_cast<float>(thread)](const Tensor& x) { return cumsum(x, 0) * (x + by); },
          {.mode = Mode::reduce_overhead, .background = round == 1});
      const Tensor x = ones({3});
      for (int call = 0; call < 3; ++call) {
        const double by = thread + 1;
        wrong += elements(own(x)) != std::vector<double>{by, 2 * by, 3 * by};
        wrong += !are(shared(full({2, 2}, static_cast<float>(call))), call + 1);
      }
    }
  });
  wait_for_background();
  CHECK(wrong == 0);
}
