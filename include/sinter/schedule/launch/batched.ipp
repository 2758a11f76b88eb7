#pragma once

#include <algorithm>  // std::max, std::min
#include <bit>        // std::bit_ceil

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/analysis/statistics.hpp>
#include <sinter/schedule/ir/kernel_list.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/launch/batched.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct CandidateFinder {
  Span<SingleLaunch> singles;
  const Target& target;
  bool equal = target.batching == LaunchBatching::equal;  // a batch has one text
  HashMap<Hash, std::size_t, HashOfHash> first{};  // the first with this kernel
  // Kernels whose form at one point is this.
  HashMap<Hash, std::size_t, HashOfHash> points{};

  bool can_batch_launches(const Kernel& kernel) const {
    return can_batch(kernel) && !(equal && is_row_tiled(kernel));
  }

  void generalize(std::size_t i) {
    SingleLaunch& single = singles[i];
    single.hash = hash_of(*single.kernel);
    const auto [known, is_new] = first.emplace(single.hash, i);
    if (!is_new) {
      require_same_kernel(*singles[known->second].kernel, *single.kernel);
      single.general = singles[known->second].general;
      return;
    }
    if (!can_batch_launches(*single.kernel) || (equal && loop_stage(*single.kernel) != nullptr))
      return;
    single.general = schedule::generalize(*single.kernel, equal);
    if (!single.general || !single.general->is_free) return;
    points.emplace(hash_of(at_one_point(single.general->kernel)), i);
  }

  void match_point(SingleLaunch& single) const {
    if (!single.kernel->grid.empty() || loop_stage(*single.kernel) != nullptr) return;
    if (!single.kernel->symbols.empty()) return;
    const auto known = points.find(single.hash);
    if (known == points.end()) return;
    single.general = singles[known->second].general;
    single.general->sizes.assign(single.general->sizes.size(), 1);
  }

  BatchCandidate make_candidate(const SingleLaunch& single) const {
    BatchCandidate result;
    result.text = single.general ? hash_of(single.general->kernel) : single.hash;
    result.can_batch = can_batch_launches(*single.kernel) && !(equal && single.is_product);
    result.work = single.launch->work;
    result.steps = single.steps;
    result.is_serial = !equal && (single.kernel->grid.empty() || same(result.work, 0));
    result.is_small = is_at_most(single.arena_bytes, target.launches.most_small_bytes);
    result.retained_bytes = single.retained_bytes;
    return result;
  }
};

struct LaunchBatcher {
  Span<const SingleLaunch> singles;
  FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel;
  Launch launch{};

  void add(const SingleLaunch& single, const Kernel& kernel, const std::vector<Extent>& sizes,
           LaunchPhase phase) {
    const Launch& own = *single.launch;
    const auto buffers = static_cast<std::int32_t>(own.buffers.size());
    const auto size_count = static_cast<std::int32_t>(sizes.size());
    launch.entries.push_back({add_kernel(kernel), buffers, size_count, own.work, phase});
    add_run(launch, own, sizes);
    if (!own.checks.empty()) launch.checks = own.checks;  // at most one has checks: see can_batch()
  }

  void add(const SingleLaunch& single, LaunchPhase phase) {
    add(single, *single.kernel, single.launch->sizes, phase);
  }

  void add_general(const SingleLaunch& single) {
    std::vector<Extent> sizes = single.general->sizes;
    for (Extent& size : sizes) {
      if (size.is_number()) continue;
      size = substitute(size, [&](Extent symbol) { return single.launch->sizes[symbol.id()]; });
    }
    add(single, single.general->kernel, sizes, LaunchPhase::parallel);
  }
};

// Whether all parallel kernels are equal, constant sizes included.
SINTER_INLINE bool are_equal(Span<const SingleLaunch> singles, const Batch& batch) {
  const Hash& first = singles[batch.parallel[0]].hash;
  return all_of(batch.parallel, [&](std::size_t k) { return singles[k].hash == first; });
}

// Excludes partial reductions and their readers, which share a launch anyway: see finalizer.hpp.
SINTER_INLINE void exclude_partials(Span<const SingleLaunch> singles,
                                    Vector<BatchCandidate>& candidates) {
  HashSet<std::int32_t> combined;  // buffers
  for (std::size_t i = 0; i < singles.size(); ++i) {
    const Vector<std::int32_t>& buffers = singles[i].launch->buffers;
    const bool combines = has(*singles[i].kernel, Code::combine);
    const bool reads =
        any_of(buffers, [&](std::int32_t buffer) { return combined.count(buffer) != 0; });
    if (combines || reads) candidates[i].can_batch = false;
    if (!combines) continue;
    for_each_buffer(*singles[i].kernel, buffers, [&](std::int32_t buffer, std::size_t argument) {
      if (singles[i].kernel->arguments[argument].access != Access::read) combined.insert(buffer);
    });
  }
}

}  // namespace detail

SINTER_INLINE void measure_arena(Span<SingleLaunch> singles, Span<const Buffer> buffers) {
  HashSet<std::int32_t> later;
  for (std::size_t i = singles.size(); i-- > 0;) {
    SingleLaunch& single = singles[i];
    for (const std::int32_t id : single.launch->buffers) {
      const Buffer& buffer = buffers[id];
      if (buffer.home != Home::arena) continue;
      const Extent bytes = bytes_of(buffer);
      single.arena_bytes += bytes;
      if (later.insert(id).second) single.retained_bytes += bytes;
    }
  }
}

SINTER_INLINE Vector<BatchCandidate> candidates(Span<SingleLaunch> singles, const Target& target) {
  detail::CandidateFinder finder{singles, target};
  for (std::size_t i = 0; i < singles.size(); ++i) finder.generalize(i);
  for (SingleLaunch& single : singles) finder.match_point(single);
  Vector<BatchCandidate> result;
  for (const SingleLaunch& single : singles) result.push_back(finder.make_candidate(single));
  if (!finder.equal) detail::exclude_partials(singles, result);
  return result;
}

SINTER_INLINE Launch batched_launch(Span<const SingleLaunch> singles, const Batch& batch,
                                    FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel) {
  detail::LaunchBatcher batcher{singles, add_kernel};
  const bool equal = detail::are_equal(singles, batch);
  for (const std::size_t k : batch.prologue) batcher.add(singles[k], LaunchPhase::prologue);
  batcher.launch.kernel = static_cast<std::int32_t>(batcher.launch.entries.size());
  for (const std::size_t k : batch.parallel) {
    equal ? batcher.add(singles[k], LaunchPhase::parallel) : batcher.add_general(singles[k]);
  }
  batcher.launch.kernel = batcher.launch.entries[batcher.launch.kernel].kernel;
  for (const std::size_t k : batch.epilogue) batcher.add(singles[k], LaunchPhase::epilogue);
  return std::move(batcher.launch);
}

SINTER_INLINE std::size_t table_words_per_kernel(const Kernel& kernel) {
  return 1 + buffer_count(kernel) + kernel.symbols.size();
}

SINTER_INLINE std::size_t table_words(const Kernel& kernel) {
  return static_cast<std::size_t>(kernel.batch_capacity) * table_words_per_kernel(kernel) + 1;
}

// The capacity of a table is a power of two, so that similar batches share a text.
SINTER_INLINE Vector<Launch> batched_launches(
    Span<const SingleLaunch> singles, const Batch& batch, std::size_t table_bytes,
    FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel) {
  const SingleLaunch& first = singles[batch.parallel[0]];
  const bool equal = detail::are_equal(singles, batch);
  const Kernel& kernel = equal ? *first.kernel : first.general->kernel;
  const std::size_t most = (table_bytes / 8 - 1) / table_words_per_kernel(kernel);
  const std::size_t step = std::max<std::size_t>(most, 1);
  const std::size_t capacity = std::min(std::bit_ceil(batch.parallel.size()), step);
  Vector<Launch> result;
  for (std::size_t from = 0; from < batch.parallel.size(); from += step) {
    const auto begin = batch.parallel.begin() + static_cast<std::ptrdiff_t>(from);
    const std::size_t count = std::min(step, batch.parallel.size() - from);
    if (count == 1) {
      const SingleLaunch& one = singles[*begin];
      result.push_back(*one.launch);
      result.back().kernel = add_kernel(*one.kernel);
      continue;
    }
    const Batch batch_part{{}, {begin, begin + static_cast<std::ptrdiff_t>(count)}, {}};
    result.push_back(batched_launch(singles, batch_part, [&](const Kernel& one) {
      Kernel with_capacity = one;
      with_capacity.batch_capacity = static_cast<std::int32_t>(capacity);
      return add_kernel(with_capacity);
    }));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
