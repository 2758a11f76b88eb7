#include <doctest/doctest.h>
#include <sinter/base/container/shared_ptr.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

using namespace sinter::detail;

namespace {

std::atomic<int> alive = 0;

struct Object {
  explicit Object(int value) : number(value) {
    if (value < 0) throw std::runtime_error("negative");
    ++alive;
  }
  Object(const Object&) = delete;
  virtual ~Object() { --alive; }

  int number;
};

struct Derived : Object {
  using Object::Object;
};

struct Self : Object, SharedFromThis<Self> {
  using Object::Object;
};

}  // namespace

TEST_CASE("shared_ptr: the last owner destroys the object") {
  {
    SharedPtr<Object> a = make_shared_ptr<Object>(3), b = a, none;
    CHECK(alive == 1);
    CHECK(a == b);
    CHECK(none == nullptr);
    none = std::move(a);
    CHECK(a == nullptr);
    CHECK(none->number == 3);
    b = *&b;
    b.reset();
    CHECK(alive == 1);
    none = nullptr;
    CHECK(alive == 0);
    const SharedPtr<const Object> base = make_shared_ptr<const Derived>(4);
    const SharedPtr<const void> any = base;
    CHECK((*base).number == 4);
    CHECK(any.get() != nullptr);
  }
  CHECK(alive == 0);
}

TEST_CASE("shared_ptr: an owner of a part keeps the whole") {
  SharedPtr<Object> whole = make_shared_ptr<Object>(5);
  const SharedPtr<int> part(whole.owner(), &whole->number);
  whole.reset();
  CHECK(alive == 1);
  CHECK(*part == 5);
}

TEST_CASE("shared_ptr: an object of a unique pointer") {
  {
    const SharedPtr<Object> shared = share(UniquePtr<Object>(new Derived(6)));
    CHECK(shared->number == 6);
  }
  CHECK(alive == 0);
}

TEST_CASE("shared_ptr: a constructor that throws leaves nothing") {
  CHECK_THROWS_AS(make_shared_ptr<Object>(-1), std::runtime_error);
  CHECK(alive == 0);
}

TEST_CASE("weak_ptr: does not keep the object") {
  WeakPtr<const Object> weak;
  CHECK(weak.expired());
  CHECK(weak.lock() == nullptr);
  {
    const SharedPtr<Derived> shared = make_shared_ptr<Derived>(7);
    weak = shared;
    CHECK_FALSE(weak.expired());
    CHECK(weak.lock()->number == 7);
    CHECK(weak.is_same(WeakPtr<const Object>(shared)));
    CHECK_FALSE(weak.is_same(WeakPtr<const Object>()));
  }
  CHECK(weak.expired());
  CHECK(weak.lock() == nullptr);
  CHECK(alive == 0);
}

TEST_CASE("shared_from_this: refers to the owners of the object") {
  SharedPtr<Self> a = make_shared_ptr<Self>(8);
  const SharedPtr<const Self> b = std::as_const(*a).shared_from_this();
  const WeakPtr<Self> weak = a->weak_from_this();
  CHECK(a->shared_from_this() == a);
  a.reset();
  CHECK(b->number == 8);
  CHECK_FALSE(weak.expired());
}

TEST_CASE("shared_ptr: threads copy, lock and drop one object") {
  for (int round = 0; round < 20; ++round) {
    SharedPtr<Object> shared = make_shared_ptr<Object>(round);
    const WeakPtr<Object> weak = shared;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&weak, &wrong, round, copy = shared]() mutable {
        for (int step = 0; step < 200; ++step) {
          const SharedPtr<Object> other = step % 2 == 0 ? copy : weak.lock();
          if (other != nullptr && other->number != round) ++wrong;
          if (step == 150) copy.reset();
        }
      });
    }
    shared.reset();
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(weak.expired());
    CHECK(alive == 0);
  }
}

TEST_CASE("shared_ptr: an object may own the pointer that is assigned to") {
  struct Ring {
    SharedPtr<Ring> next{};
  };
  SharedPtr<Ring> ring = make_shared_ptr<Ring>();
  Ring* const raw = ring.get();
  raw->next = ring;
  ring = nullptr;
  raw->next = nullptr;  // destroys the object, and the pointer with it
}
