// test: deep cost=75
// Programs of all operations, mixed at random: kernels compute what the interpreter computes.
// SINTER_RANDOM_PROGRAMS says how many, SINTER_RANDOM_SEED which, SINTER_RANDOM_ONLY the seed of
// one.

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "run.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace random_program;

namespace {

/// Runs programs in batches, each of which is one translation unit, on two threads.
class Runner {
 public:
  explicit Runner(const std::vector<Program>& programs) : programs_(programs) {}

  std::vector<std::string> mistakes() {
    {
      const std::jthread other([this] { work(); });
      work();
    }
    return mistakes_;
  }

 private:
  static constexpr std::size_t batch = 125, most_mistakes = 5;

  void work() {
    while (true) {
      const std::size_t begin = next_.fetch_add(batch);
      if (begin >= programs_.size() || is_full()) return;
      run(begin, std::min(begin + batch, programs_.size()));
    }
  }

  void run(std::size_t begin, std::size_t end) {
    std::vector<Planned> all;
    for (std::size_t i = begin; i < end; ++i) {
      try {
        all.push_back(planned(programs_[i]));
      } catch (const std::exception&) {
        add(description(programs_[i]));
      }
    }
    try {
      compile_all(all);
    } catch (const std::exception& error) {
      return add(error.what());
    }
    for (const Planned& one : all) {
      if (!is_full() && !mistake(one).empty()) add(description(one.program));
    }
  }

  void add(const std::string& mistake) {
    const std::lock_guard lock(mutex_);
    mistakes_.push_back(mistake);
  }
  bool is_full() {
    const std::lock_guard lock(mutex_);
    return mistakes_.size() >= most_mistakes;
  }

  const std::vector<Program>& programs_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::vector<std::string> mistakes_;
};

}  // namespace

TEST_CASE("random programs: kernels compute what the interpreter computes") {
  const unsigned count = number_from("SINTER_RANDOM_PROGRAMS", programs_of_a_run);
  const unsigned only = number_from("SINTER_RANDOM_ONLY", 0);
  const compiler::FreshCache cache;
  random_program::Source source(number_from("SINTER_RANDOM_SEED", 1));
  std::vector<Program> programs;
  for (unsigned i = 0; i < count; ++i) {
    Program program = source.next();
    if (only == 0 || program.seed == only) programs.push_back(std::move(program));
  }
  for (const std::string& mistake : Runner(programs).mistakes()) FAIL_CHECK(mistake);
  if (count < programs_of_a_run) return;
  for (const Signature& signature : allowed_signatures()) {
    const auto found = source.counts().find(signature);
    const int hits = found == source.counts().end() ? 0 : found->second;
    INFO(text(std::get<0>(signature), " of ", std::get<1>(signature), ", rank ",
              std::get<2>(signature)));
    CHECK(hits >= 3);
  }
}
