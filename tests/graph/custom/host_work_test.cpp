#include <doctest/doctest.h>
#include <sinter/graph/custom/host_work.hpp>
#include <sinter/graph/custom/raw_tensor.hpp>

using namespace sinter::detail;

namespace {

struct Plain : HostKernel {
  void operator()(std::span<const sinter::RawTensor>,
                  std::span<const sinter::RawTensor>) const override {}
};

struct Waiting : Plain {
  HostWork work() const override { return HostWork::wait; }
};

}  // namespace

TEST_CASE("host work: a host function computes unless it says something else") {
  CHECK(Plain().work() == HostWork::compute);
  CHECK(Waiting().work() == HostWork::wait);
}
