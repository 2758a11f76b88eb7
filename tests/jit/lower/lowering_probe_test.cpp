// What a probe is told, and that programs are not cached meanwhile.

#include <doctest/doctest.h>

#include <string>

#include <sinter/jit/lower/lowering_probe.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Story final : jit::LoweringProbe {
  Story() { jit::lowering_probe = this; }
  ~Story() override { jit::lowering_probe = nullptr; }
  void begins(const Graph&, const jit::LowerOptions&) override { text += "begins "; }
  void lowered(const jit::LoweredProgram&) override { text += "lowered "; }
  void planning(schedule::Options&) override { text += "planning "; }
  void planned(schedule::Plan&) override { text += "planned "; }
  void printed(compiler::TranslationUnit&) override { text += "printed "; }
  void runs(const jit::Runnable&, const jit::CallMemory&) override { text += "runs "; }
  void ran(const jit::Runnable&, const jit::CallMemory&, Span<const std::int64_t>) override {
    text += "ran ";
  }
  std::string text{};
};

Tensor probed(const Tensor& x) { return sin(x) * 2 + 1; }

}  // namespace

TEST_CASE("lowering_probe: is told of each stage, and finds no program in the cache") {
  compile(probed)(ones({5}));
  Story story;
  const auto f = compile(probed);
  f(ones({5}));
  CHECK(story.text == "begins planning planned printed lowered runs ran ");
  f(ones({5}));
  CHECK(story.text == "begins planning planned printed lowered runs ran runs ran ");
}
