// A StreamKernel is shared by the nodes of a custom operation, and deleted with them.

#include <doctest/doctest.h>

#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/custom/stream_kernel.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Counted : StreamKernel {
  Counted() { ++alive; }
  ~Counted() override { --alive; }
  void prepare(std::span<const RawTensor>, std::span<const RawTensor>, int) const override {}
  void enqueue(std::span<const RawTensor>, std::span<const RawTensor>, int,
               void* stream) const override {
    ++*static_cast<int*>(stream);
  }
  static inline int alive = 0;
};

}  // namespace

TEST_CASE("stream kernel: it lives as long as the code that has it") {
  int calls = 0;
  {
    CustomCode code;
    code.on_stream = make_shared_ptr<const Counted>();
    const CustomCode copy = code;
    CHECK(Counted::alive == 1);
    copy.on_stream->enqueue({}, {}, 0, &calls);
  }
  CHECK(calls == 1);
  CHECK(Counted::alive == 0);
}
