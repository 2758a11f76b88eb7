#pragma once
// Which numbers of a program are inputs of what is compiled: those that changed from run to run.
// Each is compiled in at first, and the second time that it differs costs nothing more.

#include <cstddef>        // std::size_t
#include <cstdint>        // std::uint64_t
#include <span>           // std::span
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Knows graphs by their kind, the hash of the graph in which all numbers are inputs, and by how
/// many numbers they have.
class NumberInputs {
 public:
  /// True if a graph of this kind is known, with whatever numbers.
  bool knows(const Hash& kind, std::size_t numbers) const;
  /// Which numbers are inputs: with `may_differ`, those that are no longer what they were in
  /// another graph of this kind.
  std::vector<bool> choose(const Hash& kind, std::span<const std::uint64_t> numbers,
                           bool may_differ);
  /// How many kinds are known.
  std::size_t size() const { return known_.size(); }
  void clear() { known_.clear(); }

 private:
  // The numbers of a graph, and which of them are inputs.
  struct Numbers {
    std::vector<std::uint64_t> bits{};
    std::vector<bool> are_inputs{};
    bool fit(std::span<const std::uint64_t> numbers) const;
  };
  static Hash key_of(const Hash& kind, std::size_t numbers);

  std::unordered_map<Hash, std::vector<Numbers>, HashOfHash> known_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/number_inputs.ipp>
#endif
