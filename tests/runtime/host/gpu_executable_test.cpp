#include <doctest/doctest.h>

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/runtime/host/gpu_executable.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

// Counts its runs, and gives away what it "recorded".
class Counted final : public runtime::GpuExecutable {
 public:
  void run(Span<void* const>, Span<void* const>, Span<const std::int64_t>, Where,
           Span<const Storage* const>) const override {
    replays_.push_back(make_shared_ptr<int>(1));
  }
  runtime::GpuReplays take_replays() const override { return std::exchange(replays_, {}); }
  std::size_t kept_bytes() const override { return replays_.size() * sizeof(int); }
  const schedule::Plan& plan() const override { return plan_; }
  const SharedPtr<const compiler::Module>& module() const override { return module_; }

 private:
  schedule::Plan plan_{};
  SharedPtr<const compiler::Module> module_{};
  mutable runtime::GpuReplays replays_{};
};

}  // namespace

// The one of CUDA: tests/runtime/cuda/execute/executable_test.cpp.
TEST_CASE("gpu_executable: replays of any kind can be taken away, and live as long as wanted") {
  const UniquePtr<runtime::GpuExecutable> executable = make_unique_ptr<Counted>();
  executable->run({}, {}, {}, {}, {});
  CHECK(executable->kept_bytes() == sizeof(int));
  WeakPtr<void> replay;
  {
    const runtime::GpuReplays taken = executable->take_replays();
    REQUIRE(taken.size() == 1);
    CHECK(executable->kept_bytes() == 0);
    replay = taken[0];
  }
  CHECK(replay.expired());
}
