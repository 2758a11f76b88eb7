#include <doctest/doctest.h>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/jit/tune/target.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

// Returns the module that it would run.
class Picked final : public jit::TrialProgram {
 public:
  std::vector<std::int64_t> run(const Vector<std::size_t>& texts) override {
    module = module_of(texts);
    return std::vector<std::int64_t>(text_count());
  }
  std::int64_t passed() const override { return 0; }
  jit::Build build(const Vector<std::size_t>&) const override { return {}; }

  SharedPtr<const compiler::Module> module{};
};

}  // namespace

TEST_CASE("tuning_target: a program runs with each of its texts") {
  Vector<compiler::LoadedKernel> kernels(3);
  kernels[2].symbol = "faster";
  const Vector<jit::TuningText> texts{{0, {}}, {1, {}}, {1, {.unroll = 2}}};
  Picked program;
  program.use(make_shared_ptr<const compiler::Module>(
                  kernels, std::vector<std::string>{"a", "b", "c"}, compiler::CompileStats{}),
              texts);
  CHECK(program.run({0, 2}).size() == 3);
  REQUIRE(program.module->size() == 2);
  CHECK(program.module->name(1) == "c");
  CHECK(program.module->kernel(1).symbol == "faster");
  CHECK(program.take_failed() == -1);
}
