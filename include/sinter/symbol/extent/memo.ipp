#pragma once

#include <array>  // std::array
#include <mutex>  // std::lock_guard

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/memo.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct AnswerKey {
  ExtentQuestion question;
  std::uint64_t a;
  std::uint64_t b;
  bool operator==(const AnswerKey&) const = default;
};

struct HashOfAnswerKey {
  std::size_t operator()(const AnswerKey& key) const {
    std::uint64_t hash = key.a * 0x9e3779b97f4a7c15 + key.b;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93 + static_cast<std::uint64_t>(key.question);
    return static_cast<std::size_t>(hash ^ hash >> 29);
  }
};

// In parts, so that threads that record at the same time seldom wait for each other.
struct AnswerTable {
  struct Part {
    ProcessMutex mutex;
    HashMap<AnswerKey, Extent, HashOfAnswerKey> answers;
  };
  Part& part(const AnswerKey& key) { return parts[HashOfAnswerKey()(key) >> 7 & 15]; }

  std::array<Part, 16> parts;
};

SINTER_INLINE AnswerTable& answer_table() {
  static AnswerTable& table = *new AnswerTable;
  return table;
}

SINTER_INLINE Optional<Extent> recall(ExtentQuestion question, Extent a, Extent b) {
  const detail::AnswerKey key{question, a.bits(), b.bits()};
  auto& part = detail::answer_table().part(key);
  const std::lock_guard lock(part.mutex);
  const auto found = part.answers.find(key);
  return found == part.answers.end() ? std::nullopt : Optional(found->second);
}

SINTER_INLINE void remember(ExtentQuestion question, Extent a, Extent b, Extent answer) {
  const detail::AnswerKey key{question, a.bits(), b.bits()};
  auto& part = detail::answer_table().part(key);
  const std::lock_guard lock(part.mutex);
  part.answers.emplace(key, answer);
}

}  // namespace sinter::inline SINTER_ABI::detail
