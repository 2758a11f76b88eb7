#include <doctest/doctest.h>
#include <sinter/base/philox.hpp>

#include <set>

using namespace sinter;
using namespace sinter::detail;

// kat_vectors of Random123 1.14: philox4x32 10
static_assert(philox4x32({0, 0, 0, 0}, {0, 0}) ==
              PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                         {0xffffffff, 0xffffffff}) ==
              PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                         {0xa4093822, 0x299f31d0}) ==
              PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

TEST_CASE("philox: gives the known answers of Random123, at run time too") {
  volatile std::uint32_t word = 0xffffffff;
  CHECK(philox4x32({word, word, word, word}, {word, word}) ==
        PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
}

TEST_CASE("random_words: the counter is made of group and offset + number, the key of the seed") {
  const std::uint64_t seed = 0x299f31d0a4093822, offset = 0x13198a2d90000000;
  const std::uint64_t group = 0x85a308d3243f6a88;
  CHECK(random_words(seed, offset, 0x73707344, group) ==
        philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}));
  CHECK(random_words(seed, offset, 0x73707344, group) ==
        PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("random_words: differ for another seed, draw or group") {
  std::set<PhiloxCounter> words;
  words.insert(random_words(1, 2, 3, 4));
  words.insert(random_words(2, 2, 3, 4));
  words.insert(random_words(1 + (std::uint64_t{1} << 32), 2, 3, 4));
  words.insert(random_words(1, 3, 3, 4));
  words.insert(random_words(1, 2 + (std::uint64_t{1} << 32), 3, 4));
  words.insert(random_words(1, 2, 5, 4));
  words.insert(random_words(1, 2, 3, 5));
  words.insert(random_words(1, 2, 3, 4 + (std::uint64_t{2} << 32)));
  CHECK(words.size() == 8);
}

TEST_CASE("random_words: a draw is the same whatever part of its position is the number") {
  CHECK(random_words(1, 7, 0, 4) == random_words(1, 2, 5, 4));
}
