#pragma once
// Which sizes vary from call to call. What varied is kept with the disk cache: a function that met
// other sizes in a process before is recorded for any size at once.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <map>          // std::map
#include <memory>       // std::shared_ptr
#include <set>          // std::set
#include <span>         // std::span
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/interface/signature.hpp>
#include <sinter/jit/record/recording.hpp>
#include <sinter/jit/state/miss.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Identifies a size or position of a run: the source location of the call that uses it, and how
/// many sizes were used there before it.
using SizePlace = std::pair<std::uint64_t, int>;

/// The shapes of tensors of outside, in the order in which runs met them, and which dimensions of
/// them vary.
struct OutsideSizes {
  std::vector<Shape> shapes{};
  std::set<std::pair<std::size_t, int>> varying{};
};

/// The sizes of the leaves of the first call, and which of them were others since then.
struct SeenSizes {
  std::vector<TensorType> types{};
  Varying varying{};
  Hash key{};  ///< Under which what varies is kept for processes after this one.
  /// Of calls with state that an earlier call created: the number of leaves of that call, and which
  /// of them each leaf was; -1 for the state.
  std::size_t leaves_before = 0;
  std::vector<std::int32_t> before{};
};

/// The function that was compiled at `where` under `name`, called with leaves of these dtypes and
/// ranks: what varied belongs to it.
Hash varying_key(Where where, std::string_view name, std::span<const guard::Leaf> leaves);

/// The sizes that varied in a process before; none where none are known.
Varying varying_before(const Hash& key);

/// Keeps them for processes after this one.
void keep_for_later(const Hash& key, const Varying& varying);

namespace detail {
// Equal for calls that one recording may serve: sizes that may become dynamic, if `may_vary`, are
// not part of it.
Hash key_of_sizes(const CallSignature& call, bool may_vary);
}  // namespace detail

/// Which sizes vary between the calls of one function. The function has a mutex for it.
class SizeHistory {
 public:
  /// Of the function that was compiled at `where` under `name`.
  SizeHistory(Dynamic dynamic, std::string name, Where where)
      : dynamic_(dynamic), name_(std::move(name)), where_(where) {}

  /// The sizes that vary between calls with as many leaves as these. A call that may compile
  /// counts; one that is refused or interpreted does not.
  Varying varying(std::span<const guard::Leaf> leaves, OnMiss on_miss);
  /// What is known of calls with so many leaves.
  const Varying& known(std::size_t leaves) { return seen_[leaves].varying; }
  /// The call with `leaves` has the state that a call without it created; `before` and `now` are
  /// the names of their leaves. What varies in calls like it, varies in calls like that one.
  void note_created_state(std::span<const guard::Leaf> leaves, std::span<const std::string> before,
                          std::span<const std::string> now);
  /// True if the number at `place` has differed between calls; `number` is recorded if `notes`.
  bool varies(const SizePlace& place, std::int64_t number, bool notes);

  /// What is known of tensors of outside.
  const std::shared_ptr<const OutsideSizes>& outside() const { return outside_; }
  /// The same with `shape` of the one number `index`.
  const std::shared_ptr<const OutsideSizes>& note_outside(std::size_t index, const Shape& shape);

 private:
  void keep_varying(const SeenSizes& seen);

  Dynamic dynamic_;
  std::string name_;
  Where where_;
  std::map<std::size_t, SeenSizes> seen_{};  // by the number of leaves
  std::shared_ptr<const OutsideSizes> outside_ = std::make_shared<const OutsideSizes>();
  std::map<SizePlace, std::int64_t> program_sizes_{};  // detail::varying_size for those that vary
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/varying.ipp>
#endif
