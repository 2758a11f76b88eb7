#include <doctest/doctest.h>
#include <sinter/jit/interface/backend_names.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Nothing : jit::CustomBackend {
  using CustomBackend::CustomBackend;
  jit::LoweredProgram lower(const Graph&, const jit::LowerOptions&) const override { return {}; }
};

}  // namespace

TEST_CASE("backend_names: the backend that was added last has the name") {
  CHECK(jit::find_custom_backend("nothing") == nullptr);
  const auto first = make_shared_ptr<const Nothing>("nothing");
  const auto second = make_shared_ptr<const Nothing>("nothing");
  jit::add_custom_backend(first);
  CHECK(jit::find_custom_backend("nothing").get() == first.get());
  jit::add_custom_backend(second);
  CHECK(jit::require_custom_backend("nothing", Where::current()).get() == second.get());
}

TEST_CASE("backend_names: the error lists the names, each once, and the nearest") {
  jit::add_custom_backend(make_shared_ptr<const Nothing>("twice"));
  jit::add_custom_backend(make_shared_ptr<const Nothing>("twice"));
  const std::string told =
      message_of<ValueError>([] { jit::require_custom_backend("twise", Where::current()); });
  CHECK(contains(told, "did you mean twice?"));
  const std::size_t listed = told.find("the registered backends are");
  REQUIRE(listed != told.npos);
  const std::size_t name = told.find("twice", listed);
  CHECK(told.substr(name + 5, told.find('\n', name) - name).find("twice") == std::string::npos);
}
