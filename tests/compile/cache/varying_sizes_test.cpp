#include "disk_cache_harness.hpp"

#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/compile/cache/portable_cache.hpp>
#include <sinter/compile/cache/varying_sizes.hpp>

#include <thread>

namespace {

using Sizes = Vector<VaryingSize>;

// An empty cache with records of varying sizes enabled.
struct Kept {
  FreshCache cache{};
  bool before = keep_varying(true);
  ~Kept() { keep_varying(before); }
};

}  // namespace

TEST_CASE("varying_sizes: a new record is merged with the old one") {
  const Kept kept;
  CHECK(known_varying(key(1)).empty());
  remember_varying(key(1), Sizes{{0, 1}});
  remember_varying(key(1), Sizes{{2, 0}, {0, 1}});
  CHECK(known_varying(key(1)) == Sizes{{0, 1}, {2, 0}});
  CHECK(known_varying(key(2)).empty());
  CHECK(files(kept.cache.directory()).size() == 1);
}

TEST_CASE("varying_sizes: a damaged, truncated or empty entry is ignored and replaced") {
  const Kept kept;
  remember_varying(key(1), Sizes{{0, 1}, {3, 2}});
  const std::string path = files(kept.cache.directory()).at(0), whole = content_of(path);
  for (std::size_t i = 0; i < whole.size(); i += 7) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    overwrite(path, damaged);
    CHECK(known_varying(key(1)).empty());
    overwrite(path, whole.substr(0, i));
    CHECK(known_varying(key(1)).empty());
  }
  remember_varying(key(1), Sizes{{5, 0}});
  CHECK(known_varying(key(1)) == Sizes{{5, 0}});
}

TEST_CASE("varying_sizes: save_cache and load_cache transfer records") {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/saved";
  {
    const Kept kept;
    remember_varying(key(1), Sizes{{0, 1}});
    remember_varying(key(1), Sizes{{2, 0}});
    compiler::save_cache(file);
  }
  const Kept kept;
  CHECK(known_varying(key(1)).empty());

  const CacheContents found = compiler::load_cache(file);

  CHECK(found.usable == 0);
  CHECK(found.unusable == 0);
  CHECK(known_varying(key(1)) == Sizes{{0, 1}, {2, 0}});
  remember_varying(key(1), Sizes{{3, 0}});
  CHECK(known_varying(key(1)) == Sizes{{0, 1}, {2, 0}, {3, 0}});
}

TEST_CASE("varying_sizes: records that others may have written are ignored") {
  const Kept kept;
  remember_varying(key(1), Sizes{{0, 1}});
  chmod(files(kept.cache.directory()).at(0).c_str(), 0666);
  CHECK(known_varying(key(1)).empty());
}

TEST_CASE("varying_sizes: a directory that cannot be written is no error") {
  const Kept kept;
  const std::string errors = errors_of_child([] {
    set_cache_directory("/dev/null/sinter");
    remember_varying(key(1), Sizes{{0, 1}});
    return known_varying(key(1)).empty();
  });
  CHECK(errors != "the child failed");
}

TEST_CASE("varying_sizes: concurrent writers leave a whole entry") {
  const Kept kept;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (std::uint32_t j = 0; j < 25; ++j) remember_varying(key(1), Sizes{{i, j}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Sizes known = known_varying(key(1));
  CHECK(known.size() >= 25);
  for (const VaryingSize& size : known) CHECK((size.leaf < 4 && size.dim < 25));
}

TEST_CASE("varying_sizes: disabled records are neither read nor written") {
  const Kept kept;
  remember_varying(key(1), Sizes{{0, 1}});
  CHECK(keep_varying(false));
  CHECK(known_varying(key(1)).empty());
  remember_varying(key(1), Sizes{{0, 2}});
  CHECK_FALSE(keep_varying(true));
  CHECK(known_varying(key(1)) == Sizes{{0, 1}});
}

TEST_CASE("varying_sizes: the key depends on line, name and leaves, not on the directory") {
  const Where here = Where::current(), there = Where::current();
  const std::vector<std::string> one{"argument 0 f32 2"}, other{"argument 0 f32 3"};
  CHECK(function_key(here, "f", one) == function_key(here, "f", one));
  CHECK(function_key(here, "f", one) != function_key(there, "f", one));
  CHECK(function_key(here, "f", one) != function_key(here, "g", one));
  CHECK(function_key(here, "f", one) != function_key(here, "f", other));
  CHECK(function_key(here, "f", one) != function_key(here, "f", {}));
}
