#pragma once
// Which sizes vary between calls. Stored with the disk cache, so that a later process records these
// sizes as dynamic at once.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/interface/signature.hpp>
#include <sinter/jit/record/recording.hpp>
#include <sinter/jit/state/miss.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Identifies a size or position that a trace uses: the source location of the operation, and the
/// number of sizes used there before it.
using SizePlace = std::pair<std::uint64_t, int>;

/// The shapes of captured tensors, in the order in which traces used them, and which of their
/// dimensions vary.
struct OutsideSizes {
  std::vector<Shape> shapes{};
  SortedSet<std::pair<std::size_t, int>> varying{};
};

/// The sizes of the leaves of the first call, and which of them changed since.
struct SeenSizes {
  Vector<TensorType> types{};
  Varying varying{};
  Hash key{};  ///< The key of `varying` in the disk cache.
  /// For calls with state that an earlier call created: the number of leaves of that earlier call,
  /// and for each leaf its number there; -1 for the state.
  std::size_t leaves_before = 0;
  Vector<std::int32_t> before{};
};

/// The disk cache key of the function compiled at `where` under `name`, called with leaves of these
/// dtypes and ranks.
Hash varying_key(Where where, std::string_view name, Span<const guard::Leaf> leaves);

/// The sizes that varied in an earlier process; empty if none are known.
Varying varying_before(const Hash& key);

/// Stores them for later processes.
void keep_for_later(const Hash& key, const Varying& varying);

namespace detail {
// Equal for calls that one recording may serve. With `may_vary`, sizes that may become dynamic are
// left out.
Hash key_of_sizes(const CallSignature& call, bool may_vary);
}  // namespace detail

/// Which sizes vary between the calls of one function. Guarded by the mutex of its State.
class SizeHistory {
 public:
  /// For the function compiled at `where` under `name`.
  SizeHistory(Dynamic dynamic, std::string name, Where where)
      : dynamic_(dynamic), name_(std::move(name)), where_(where) {}

  /// The sizes that vary between calls with this number of leaves. Only calls that may compile
  /// count.
  Varying varying(Span<const guard::Leaf> leaves, OnMiss on_miss);
  /// The sizes known to vary in calls with this number of leaves.
  const Varying& known(std::size_t leaves) { return seen_[leaves].varying; }
  /// `leaves` are those of a call with state that an earlier call created; `before` and `now` are
  /// the leaf names of the two. Sizes that vary in one vary in the other.
  void note_created_state(Span<const guard::Leaf> leaves, Span<const std::string> before,
                          Span<const std::string> now);
  /// True if the number at `place` has differed between calls; `number` is recorded if `notes`.
  bool varies(const SizePlace& place, std::int64_t number, bool notes);

  /// The known sizes of captured tensors.
  const SharedPtr<const OutsideSizes>& outside() const { return outside_; }
  /// The same after noting `shape` for captured tensor `index`.
  const SharedPtr<const OutsideSizes>& note_outside(std::size_t index, const Shape& shape);

 private:
  void keep_varying(const SeenSizes& seen);

  Dynamic dynamic_;
  std::string name_;
  Where where_;
  SortedMap<std::size_t, SeenSizes> seen_{};  // by number of leaves
  SharedPtr<const OutsideSizes> outside_ = make_shared_ptr<const OutsideSizes>();
  SortedMap<SizePlace, std::int64_t> program_sizes_{};  // detail::varying_size if it varies
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/size_history.ipp>
#endif
