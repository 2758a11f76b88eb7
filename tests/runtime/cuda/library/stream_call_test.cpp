// Custom operations that enqueue their work get the shapes of the call, and its memory.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sinter/base/text.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/custom/stream_kernel.hpp>
#include <sinter/runtime/cuda/library/stream_call.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Noted : StreamKernel {
  void prepare(std::span<const RawTensor> in, std::span<const RawTensor> out,
               int gpu) const override {
    calls.push_back(text("prepare ", in.size(), " ", out.size(), " gpu ", gpu));
  }
  void enqueue(std::span<const RawTensor> in, std::span<const RawTensor> out, int,
               void* stream) const override {
    calls.push_back(text("enqueue ", in[0].size(0), "x", in[0].size(1), " to ", out[0].numel()));
    memory = {in[0].data(), out[0].data(), stream};
  }
  mutable std::vector<std::string> calls{};
  mutable std::vector<void*> memory{};
};

}  // namespace

TEST_CASE("stream call: symbols have the sizes of the call") {
  CustomCode code;
  const auto kernel = make_shared_ptr<const Noted>();
  code.on_stream = kernel;
  schedule::Control control{.op = Op::custom, .inputs = 1, .results = 1};
  control.code = make_shared_ptr<const CustomCode>(std::move(code));
  const Extent rows = Extent::symbol(0);
  control.types = {{f32, {rows, 3}}, {f32, {rows}}};
  int memory[2] = {}, stream = 0;
  const std::vector<void*> pointers{&memory[0], &memory[1]};
  const std::vector<std::int64_t> symbols{5};
  const runtime::StreamCall call(control, pointers, symbols);
  call.prepare(cuda(1));
  call.enqueue(cuda(1), &stream);
  CHECK(kernel->calls == std::vector<std::string>{"prepare 1 1 gpu 1", "enqueue 5x3 to 5"});
  CHECK(kernel->memory == std::vector<void*>{&memory[0], &memory[1], &stream});
}
