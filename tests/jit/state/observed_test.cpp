#include <doctest/doctest.h>

#include <sinter/jit/state/observed.hpp>
#include <sinter/jit/state/state.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::jit;

namespace {

struct Count : ObserverFunction {
  void operator()(std::string_view, const Tensor&) const override { ++calls; }
  mutable int calls = 0;
};

}  // namespace

TEST_CASE("observed: an observer is not called after stop()") {
  const auto count = make_shared_ptr<const Count>();
  Observer observer("*", count, Where::current());
  observer.call("x", ones({1}));
  observer.stop();
  observer.call("x", ones({1}));
  CHECK(count->calls == 1);
}

TEST_CASE("observed: each set of observers has a state of its own") {
  Observers observers;
  CHECK_FALSE(observers.any());
  CHECK(observers.current() == nullptr);
  const auto fresh = [] { return make_shared_ptr<State>(CompileOptions{}, Where::current()); };
  const auto count = make_shared_ptr<const Count>();
  const auto a = make_shared_ptr<const Observer>("*", count, Where::current());
  const auto b = make_shared_ptr<const Observer>("b", count, Where::current());
  observers.add(a, fresh());
  const auto first = observers.current();
  REQUIRE(first != nullptr);
  observers.add(b, fresh());
  CHECK(&observers.current()->state() != &first->state());
  observers.remove(a.get(), fresh());
  CHECK(observers.any());
  observers.remove(b.get(), fresh());
  CHECK_FALSE(observers.any());
  CHECK(observers.current() == nullptr);
}
