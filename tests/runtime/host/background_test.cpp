#include <doctest/doctest.h>

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/runtime/host/background.hpp>

#include <atomic>
#include <mutex>

using namespace sinter;
using namespace sinter::detail;

namespace {

class Job : public runtime::BackgroundJob {
 public:
  Job(std::atomic<int>& runs, std::mutex& gate) : runs_(runs), gate_(gate) {}
  void run() noexcept override {
    const std::lock_guard lock(gate_);
    ++runs_;
  }

 private:
  std::atomic<int>& runs_;
  std::mutex& gate_;
};

}  // namespace

TEST_CASE("background: each job is run once, by another thread") {
  std::atomic<int> runs{0};
  std::mutex gate;
  {
    const std::lock_guard closed(gate);  // so that no job of this test can finish
    for (int i = 0; i < 20; ++i) runtime::run_in_background(make_shared_ptr<Job>(runs, gate));
    CHECK(runs == 0);
  }
  runtime::wait_for_background();
  CHECK(runs == 20);
}

TEST_CASE("background: waiting without jobs returns at once") {
  runtime::wait_for_background();
  runtime::keep_background_running();
}

TEST_CASE("background: jobs are destroyed when they are done") {
  std::atomic<int> runs{0};
  std::mutex gate;
  const auto job = make_shared_ptr<Job>(runs, gate);
  runtime::run_in_background(job);
  runtime::wait_for_background();
  runtime::run_in_background(make_shared_ptr<Job>(runs, gate));
  runtime::wait_for_background();
  CHECK(runs == 2);
  while (job.owner().block()->owners != 1) {
  }  // the worker thread destroys it soon
}
