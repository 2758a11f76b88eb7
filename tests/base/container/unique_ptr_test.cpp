#include <doctest/doctest.h>
#include <sinter/base/container/unique_ptr.hpp>

#include <utility>

using namespace sinter::detail;

namespace {

struct Base {
  explicit Base(int& alive) : alive_(alive) { ++alive_; }
  Base(const Base&) = delete;
  virtual ~Base() { --alive_; }
  virtual int number() const { return 1; }

 private:
  int& alive_;
};

struct Derived : Base {
  using Base::Base;
  int number() const override { return 2; }
};

}  // namespace

TEST_CASE("unique_ptr: destroys its object once") {
  int alive = 0;
  {
    UniquePtr<Base> a = make_unique_ptr<Base>(alive), none;
    CHECK(alive == 1);
    CHECK(none == nullptr);
    none = std::move(a);
    CHECK(a == nullptr);
    CHECK(none->number() == 1);
    none = make_unique_ptr<Derived>(alive);
    CHECK(alive == 1);
    CHECK((*none).number() == 2);
    Base* const object = none.release();
    CHECK_FALSE(none);
    CHECK(alive == 1);
    a.reset(object);
    a = std::move(*&a);
    CHECK(a.get() == object);
    none.reset();
  }
  CHECK(alive == 0);
}
