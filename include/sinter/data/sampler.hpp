#pragma once
// Sampler: in which order an epoch visits the examples of a dataset, and which process gets which.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint64_t
#include <vector>   // std::vector

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::data {

struct SamplerOptions {
  bool shuffle = false;
  std::uint64_t seed = 0;  ///< With the number of the epoch it determines the order.
  int rank = 0;            ///< Of this process, among `ranks` that share the examples.
  int ranks = 1;
  bool drop_last = false;  ///< Leaves out what would give some ranks one example more.
};

/// The indices of a dataset in the order of an epoch: 0, 1, ... or shuffled, the same on each
/// machine. Of several ranks, rank r gets the places r, r + ranks, ...: each index belongs to
/// exactly one rank, and their counts differ by at most one, or with `drop_last` not at all.
class Sampler {
 public:
  /// For a dataset of `size` examples.
  ///
  /// Throws ValueError unless 0 <= rank < ranks
  explicit Sampler(std::size_t size, SamplerOptions options = {}, Where where = Where::current());

  /// The number of indices of this rank in an epoch.
  std::size_t size() const { return count_; }
  /// The indices of this rank in this epoch.
  std::vector<std::size_t> indices(std::uint64_t epoch = 0) const;

 private:
  std::size_t dataset_size_, count_;
  SamplerOptions options_;
};

/// The seed for the augmentation of example `index` in an epoch.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t epoch, std::size_t index);

}  // namespace sinter::inline SINTER_ABI::data

#ifdef SINTER_DEFINITIONS
#include <sinter/data/sampler.ipp>
#endif
