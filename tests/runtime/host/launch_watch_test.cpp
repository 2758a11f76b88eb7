// A watch sees each launch after it ran, and may end the call.

#include <doctest/doctest.h>

#include <stdexcept>

#include <sinter/runtime/host/launch_watch.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Count final : runtime::LaunchWatch {
  Count() { runtime::launch_watch = this; }
  ~Count() override { runtime::launch_watch = nullptr; }
  void launched(const schedule::Plan& plan, const schedule::Launch& launch, void* const* pointers,
                Span<const std::int64_t>) override {
    ++launches;
    CHECK(launch.buffers.size() >= 1);
    CHECK(plan.buffers.size() >= launch.buffers.size());
    CHECK(pointers[0] != nullptr);
    if (throws) throw std::runtime_error("stop");
  }
  int launches = 0;
  bool throws = false;
};

}  // namespace

TEST_CASE("launch_watch: counts launches, and ends calls") {
  const auto f = compile([](const Tensor& x) { return matmul(softmax(x, 1), x) + 1; });
  const Tensor x = ones({4, 4});
  f(x);
  Count count;
  f(x);
  CHECK(count.launches == f.stats().launches);
  count.throws = true;
  CHECK_THROWS_AS(f(x), std::runtime_error);
  count.throws = false;
  CHECK_NOTHROW(f(x));
}
