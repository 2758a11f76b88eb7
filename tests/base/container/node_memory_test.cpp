#include <doctest/doctest.h>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/node_memory.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>

#include <cstdint>
#include <memory>

using namespace sinter::detail;

TEST_CASE("node_memory: nodes are aligned, apart, and stay where they are") {
  const std::size_t sizes[] = {8, 24, 40, 56, 500, 20000};
  for (const std::size_t bytes : sizes) {
    NodeMemory memory;
    Vector<unsigned char*> nodes;
    for (int i = 0; i < 200; ++i) {
      auto* const node = static_cast<unsigned char*>(memory.take(bytes));
      CHECK(reinterpret_cast<std::uintptr_t>(node) % __STDCPP_DEFAULT_NEW_ALIGNMENT__ == 0);
      for (std::size_t k = 0; k < bytes; ++k) node[k] = static_cast<unsigned char>(i);
      nodes.push_back(node);
    }
    bool kept = true;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t k = 0; k < bytes; ++k) kept = kept && nodes[i][k] == i;
    }
    CHECK(kept);
  }
}

TEST_CASE("node_memory: what was given back is taken first, and swap exchanges all of it") {
  NodeMemory a, b;
  void* const first = a.take(32);
  void* const second = a.take(32);
  a.give_back(first, 32);
  a.give_back(second, 32);
  a.swap(b);
  CHECK(b.take(32) == second);
  CHECK(b.take(32) == first);
  CHECK(a.take(32) != nullptr);
  b.release();
  CHECK(b.take(64) != nullptr);  // after a release, nodes may have another size
}

TEST_CASE_TEMPLATE("node_memory: maps destroy their elements once, and are used again", Map,
                   HashMap<int, std::shared_ptr<int>>, SortedMap<int, std::shared_ptr<int>>) {
  const auto shared = std::make_shared<int>(7);
  Map map;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) map.emplace(i, shared);
    CHECK(shared.use_count() == 101);
    for (int i = 0; i < 100; i += 2) map.erase(i);
    CHECK(shared.use_count() == 51);
    for (int i = 100; i < 140; ++i) map.emplace(i, shared);
    CHECK(map.size() == 90);
    CHECK(map.at(139) == shared);
    Map moved = std::move(map);
    CHECK(moved.size() == 90);
    map = moved;
    CHECK(shared.use_count() == 181);
    moved.clear();
    CHECK(moved.empty());
    CHECK(moved.find(1) == moved.end());
    CHECK(shared.use_count() == 91);
    map.clear();
    CHECK(shared.use_count() == 1);
  }
}
