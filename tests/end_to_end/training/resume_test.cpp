// test: moved
// A training loop that writes checkpoints is interrupted by exceptions or killed at random points.
// Resuming from the last checkpoint gives, bit for bit, the weights of an uninterrupted run.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "jit/support.hpp"
#include "moved.hpp"
#include "skip.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

namespace fs = std::filesystem;

constexpr int steps = 16, steps_per_checkpoint = 6;
const int throws = by_device(100, 5), kills = by_device(100, 4);

struct Net {
  nn::Linear in{6, 12}, out{12, 4};
  nn::Dropout dropout{0.25};
  SINTER_MODULE(Net, in, out, dropout)
  Tensor forward(const Tensor& x) const { return out(dropout(gelu(in(x)))); }
};

// Everything that the rest of a training run depends on.
struct Run {
  Net model{};
  optim::AdamW optimizer{.learning_rate = 0.01f};
  Tensor average = zeros({12, 6});
  Scalar step = 0, seed = 0, offset = 0;
  SINTER_MODULE(Run, model, optimizer, average, step, seed, offset)
};

struct Interruption : std::runtime_error {
  using runtime_error::runtime_error;
};

enum class Kind { none, between_steps, in_function, in_host, in_data, while_saving, killed };

// The points at which a run throws.
struct Fault {
  Kind kind = Kind::none;
  int step = -1;
  bool now(Kind where, int at) const { return kind == where && step == at; }
};

Fault fault;  // the current one, which functions on the host read
int current_step = 0;

void check_host(const Tensor&) {
  if (fault.now(Kind::in_host, current_step)) throw Interruption("of the host");
  if (fault.now(Kind::killed, current_step)) kill(getpid(), SIGKILL);
}

Tensor train(Run& run, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] =
      value_and_grad(run.model, [&] { return cross_entropy(run.model(x), target); });
  run.optimizer.step(run.model, gradients);
  run.average = run.average * 0.9f + run.model.in.weight * 0.1f;
  host(check_host)(loss);
  run.optimizer.learning_rate *= 0.99f;
  return loss;
}

// Has a capture, so that it is traced on every call.
const auto train_and_look = [look = &fault](Run& run, const Tensor& x, const Tensor& target) {
  const Tensor loss = train(run, x, target);
  if (look->now(Kind::in_function, current_step)) throw Interruption("of the function");
  return loss;
};

// The data of a step, the same in each run; with a target out of range where it is faulty.
std::pair<Tensor, Tensor> batch_of(int step) {
  std::vector<float> numbers(8 * 6);
  std::vector<std::int64_t> targets(8);
  std::minstd_rand random(static_cast<unsigned>(step + 1));
  for (float& number : numbers) number = static_cast<float>(random() % 1000) / 500.0f - 1.0f;
  for (std::int64_t& target : targets) target = static_cast<std::int64_t>(random() % 4);
  if (fault.now(Kind::in_data, step)) targets[5] = 4;
  return {tensor(numbers, {8, 6}), integers(targets)};
}

auto& closed_step() {
  static auto& step = *new auto(compile(train));
  return step;
}

auto& open_step() {
  static auto& step = *new auto(compile(train_and_look));
  return step;
}

class Trainer {
 public:
  explicit Trainer(fs::path checkpoint, bool open = false)
      : checkpoint_(std::move(checkpoint)), open_(open) {
    if (fs::exists(checkpoint_)) {
      io::load(checkpoint_.string(), run_);
      random::set_state({run_.seed.item<std::int64_t>(), run_.offset.item<std::int64_t>()});
    } else {
      random::manual_seed(11);
      run_ = Run();
    }
  }

  // Steps from the checkpoint to the end.
  const Run& finish() {
    for (int step = run_.step.item<int>(); step < steps; ++step) make_step(step);
    return run_;
  }

 private:
  void make_step(int step) {
    current_step = step;
    const auto [x, target] = batch_of(step);
    open_ ? open_step()(run_, x, target) : closed_step()(run_, x, target);
    if (fault.now(Kind::between_steps, step)) throw Interruption("of the loop");
    run_.step = step + 1;
    if ((step + 1) % steps_per_checkpoint == 0) save();
  }

  void save() {
    run_.seed = random::state().seed;
    run_.offset = random::state().offset;
    io::save(checkpoint_.string(), run_);
    if (fault.now(Kind::while_saving, run_.step.item<int>())) throw Interruption("of the disk");
  }

  fs::path checkpoint_;
  bool open_;
  Run run_{};
};

fs::path new_checkpoint(const std::string& name) {
  const fs::path directory = fs::path(sinter_test::directory()) / "resume";
  fs::create_directories(directory);
  fs::remove(directory / name);
  return directory / name;
}

bool same_state(const Run& found, const Run& expected) {
  const auto a = nn::named_parameters(found), b = nn::named_parameters(expected);
  bool result = a.size() == b.size() && a.size() == 13;
  for (std::size_t i = 0; result && i < a.size(); ++i) {
    result = a[i].first == b[i].first && same_bits(a[i].second, b[i].second);
  }
  return result && found.step.item<int>() == steps &&
         same_bits(found.optimizer.learning_rate.tensor(),
                   expected.optimizer.learning_rate.tensor());
}

// Trains in a new process rather than a fork, which would invalidate an open CUDA driver.
[[noreturn]] void train_in_new_program(const fs::path& checkpoint, int step) {
  setenv("SINTER_CHILD", checkpoint.c_str(), 1);
  setenv("SINTER_CHILD_STEP", std::to_string(step).c_str(), 1);
  execl("/proc/self/exe", "child", "--test-case=resume: child", "--no-skip", nullptr);
  _exit(1);
}

// Trains in a child process, which kills itself in `step`, or is killed after `delay` unless it has
// finished. True if it was killed.
bool is_killed(const fs::path& checkpoint, int step, std::chrono::microseconds delay) {
  const pid_t child = fork();
  if (child == 0) {
    if (sinter_test::on_gpu()) train_in_new_program(checkpoint, step);
    fault = {Kind::killed, step};
    Trainer(checkpoint).finish();
    _exit(0);
  }
  usleep(static_cast<useconds_t>(delay.count()));
  if (step < 0) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

// An uninterrupted run, and its duration.
struct Reference {
  Run run;
  std::chrono::microseconds duration;
};

const Reference& reference() {
  static const Reference& result = *new Reference([] {
    Trainer(new_checkpoint("first")).finish();  // compiles
    Trainer(new_checkpoint("first"), true).finish();
    const auto start = std::chrono::steady_clock::now();
    Run run = Trainer(new_checkpoint("reference")).finish();
    const auto end = std::chrono::steady_clock::now();
    return Reference{std::move(run),
                     std::chrono::duration_cast<std::chrono::microseconds>(end - start)};
  }());
  return result;
}

}  // namespace

TEST_CASE("resume: child" * doctest::skip()) {
  const char *const checkpoint = std::getenv("SINTER_CHILD"), *const step =
                                                                  std::getenv("SINTER_CHILD_STEP");
  if (checkpoint == nullptr || step == nullptr) SINTER_SKIP("this case is run by others");
  fault = {Kind::killed, std::atoi(step)};
  Trainer(checkpoint).finish();
}

TEST_CASE("resume: two uninterrupted runs are equal bit for bit") {
  CHECK(same_state(Trainer(new_checkpoint("again")).finish(), reference().run));
  CHECK(same_state(Trainer(new_checkpoint("again"), true).finish(), reference().run));
}

TEST_CASE("resume: a run that throws at 100 random points ends with the same weights") {
  const std::vector<Kind> kinds{Kind::between_steps, Kind::in_function, Kind::in_host,
                                Kind::in_data, Kind::while_saving};
  std::minstd_rand random(5);
  for (int i = 0; i < throws; ++i) {
    const Kind kind = kinds[static_cast<std::size_t>(i) % kinds.size()];
    int step = static_cast<int>(random() % steps);
    if (kind == Kind::while_saving) step = steps_per_checkpoint * (1 + step % 2);
    INFO("kind " << static_cast<int>(kind) << ", step " << step);
    const fs::path checkpoint = new_checkpoint("thrown");
    fault = {kind, step};
    bool thrown = false;
    try {
      Trainer(checkpoint, kind == Kind::in_function).finish();
    } catch (const Interruption&) {
      thrown = kind != Kind::in_data;
    } catch (const IndexError&) {
      thrown = kind == Kind::in_data;
    }
    fault = {};
    CHECK(thrown);
    REQUIRE(same_state(Trainer(checkpoint).finish(), reference().run));
  }
}

TEST_CASE("resume: a run that is killed at 100 random points ends with the same weights") {
  std::minstd_rand random(6);
  const auto longest = static_cast<unsigned>(reference().duration.count());
  fs::path checkpoint = new_checkpoint("killed");
  int done = 0;
  for (int attempt = 0; done < kills && attempt < 20 * kills; ++attempt) {
    const int step = attempt % 2 == 0 ? static_cast<int>(random() % steps) : -1;
    const std::chrono::microseconds delay(step < 0 ? random() % longest : 0);
    if (is_killed(checkpoint, step, delay) && ++done % 4 != 0) continue;  // several per run
    REQUIRE(same_state(Trainer(checkpoint).finish(), reference().run));
    checkpoint = new_checkpoint("killed");
  }
  CHECK(done == kills);
}
