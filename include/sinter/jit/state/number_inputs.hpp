#pragma once
// Decides which constants of a graph become inputs of its program: those that changed between
// calls. A constant is compiled in at first; its first change recompiles, later changes do not.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint64_t

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Identifies graphs by their kind, the hash of the graph with all constants as inputs, and by the
/// number of constants.
class NumberInputs {
 public:
  /// True if a graph of this kind is known, with any constants.
  bool knows(const Hash& kind, std::size_t numbers) const;
  /// Which constants are inputs. With `may_differ`, those that differ from an earlier graph of this
  /// kind.
  Vector<bool> choose(const Hash& kind, Span<const std::uint64_t> numbers, bool may_differ);
  /// The number of known kinds.
  std::size_t size() const { return known_.size(); }
  void clear() { known_.clear(); }

 private:
  // The constants of a graph, and which of them are inputs.
  struct Numbers {
    Vector<std::uint64_t> bits{};
    Vector<bool> are_inputs{};
    bool fit(Span<const std::uint64_t> numbers) const;
  };
  static Hash key_of(const Hash& kind, std::size_t numbers);

  HashMap<Hash, Vector<Numbers>, HashOfHash> known_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/number_inputs.ipp>
#endif
