#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/module/module.hpp>

using namespace testing;

namespace {

struct Negate {
  int unused = 0;
  SINTER_MODULE(Negate, unused)
  Tensor forward(Operand x) const { return neg(x); }
};

struct Twice {
  Negate first, second;
  SINTER_MODULE(Twice, first, second)
  Tensor forward(Operand x) const { return abs({second({first(x), x.where}), x.where}); }
};

std::string path_of(const Tensor& x) {
  return x.lazy()->node.path == nullptr ? "" : *x.lazy()->node.path;
}

}  // namespace

TEST_CASE("module_scope: nodes carry the name of the innermost module that is an argument") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Twice twice, stranger;
  recorder.name_module(&twice, &detail::type_tag<Twice>, "net");
  recorder.name_module(&twice.first, &detail::type_tag<Negate>, "net.first");
  recorder.name_module(&twice.second, &detail::type_tag<Negate>, "net.second");
  const Tensor x = recorder.placeholder({f32, {2}});

  const Tensor y = twice(x);

  CHECK(path_of(y) == "net");
  const Tensor second(y.lazy()->operands[0].lazy);
  CHECK(path_of(second) == "net.second");
  CHECK(path_of(Tensor(second.lazy()->operands[0].lazy)) == "net.first");
  CHECK(path_of(neg(x)) == "");
  CHECK(path_of(stranger(x)) == "");
}

TEST_CASE("module_scope: outside of recordings there are no names") {
  CHECK(path_of(Twice()(ones({2}))) == "");
}
