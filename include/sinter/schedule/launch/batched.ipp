#pragma once

#include <algorithm>      // std::all_of, std::any_of, std::max, std::min
#include <bit>            // std::bit_ceil
#include <unordered_map>  // std::unordered_map
#include <unordered_set>  // std::unordered_set

#include <sinter/schedule/analysis/statistics.hpp>
#include <sinter/schedule/ir/kernel_list.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/launch/batched.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// What a kernel may keep in the arena and still wait for others: its time is mostly that of its
// launch, and the memory does not matter.
inline constexpr std::int64_t most_small_bytes = 4 << 20;

SINTER_INLINE bool is_joinable(const Kernel& kernel) {
  if (kernel.serial || has(kernel, Code::sort) || has(kernel, Code::combine)) return false;
  return std::none_of(kernel.instructions.begin(), kernel.instructions.end(),
                      [](const Instruction& one) { return can_fault(one); });
}

SINTER_INLINE bool has_rows(const Kernel& kernel) {
  return std::any_of(kernel.stages.begin(), kernel.stages.end(),
                     [](const Stage& stage) { return !stage.loops.empty(); });
}

SINTER_INLINE bool has_loops(const Kernel& kernel) {
  return !kernel.grid.empty() || has_rows(kernel);
}

struct CandidateFinder {
  std::span<Single> singles;
  bool gpu = false;
  std::unordered_map<Hash, std::size_t, HashOfHash> first{};   // with this kernel
  std::unordered_map<Hash, std::size_t, HashOfHash> points{};  // what is this at one point

  bool joins(const Kernel& kernel) const {
    return is_joinable(kernel) && !(gpu && is_block(kernel));
  }

  void generalize(std::size_t i) {
    Single& single = singles[i];
    single.hash = hash_of(*single.kernel);
    const auto [known, is_new] = first.emplace(single.hash, i);
    if (!is_new) {
      require_same_kernel(*singles[known->second].kernel, *single.kernel);
      single.general = singles[known->second].general;
      return;
    }
    if (!joins(*single.kernel) || (gpu && has_rows(*single.kernel))) return;
    single.general = schedule::generalize(*single.kernel, gpu);
    if (!single.general || !single.general->is_free) return;
    points.emplace(hash_of(at_one_point(single.general->kernel)), i);
  }

  void match_point(Single& single) const {
    if (has_loops(*single.kernel) || !single.kernel->symbols.empty()) return;
    const auto known = points.find(single.hash);
    if (known == points.end()) return;
    single.general = singles[known->second].general;
    single.general->sizes.assign(single.general->sizes.size(), 1);
  }

  Candidate candidate(const Single& single) const {
    Candidate result;
    result.text = single.general ? hash_of(single.general->kernel) : single.hash;
    result.is_joinable = joins(*single.kernel) && !(gpu && single.is_product);
    result.work = single.launch->work;
    result.steps = single.steps;
    result.is_alone = !gpu && (single.kernel->grid.empty() || same(result.work, 0));
    result.is_small = is_at_most(single.arena_bytes, most_small_bytes);
    result.held = single.held;
    return result;
  }
};

struct LaunchJoiner {
  std::span<const Single> singles;
  FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel;
  Launch launch{};

  void add(const Single& single, const Kernel& kernel, const std::vector<Extent>& sizes,
           Turn turn) {
    const Launch& own = *single.launch;
    const auto buffers = static_cast<std::int32_t>(own.buffers.size());
    const auto size_count = static_cast<std::int32_t>(sizes.size());
    launch.entries.push_back({add_kernel(kernel), buffers, size_count, own.work, turn});
    add_run(launch, own, sizes);
    if (!own.checks.empty()) launch.checks = own.checks;  // of one at most: see is_joinable()
  }

  void add(const Single& single, Turn turn) {
    add(single, *single.kernel, single.launch->sizes, turn);
  }

  void add_general(const Single& single) {
    std::vector<Extent> sizes = single.general->sizes;
    for (Extent& size : sizes) {
      if (size.is_number()) continue;
      size = substitute(size, [&](Extent symbol) { return single.launch->sizes[symbol.id()]; });
    }
    add(single, single.general->kernel, sizes, Turn::together);
  }
};

// Whether those together are one kernel, numbers included.
SINTER_INLINE bool are_equal(std::span<const Single> singles, const Batch& batch) {
  const Hash& first = singles[batch.together[0]].hash;
  return std::all_of(batch.together.begin(), batch.together.end(),
                     [&](std::size_t k) { return singles[k].hash == first; });
}

// What combines results in chunks and what reads these are one launch already: see finalizer.hpp.
SINTER_INLINE void keep_chunks_apart(std::span<const Single> singles,
                                     std::vector<Candidate>& candidates) {
  std::unordered_set<std::int32_t> combined;  // buffers
  for (std::size_t i = 0; i < singles.size(); ++i) {
    const std::vector<std::int32_t>& buffers = singles[i].launch->buffers;
    const bool combines = has(*singles[i].kernel, Code::combine);
    const bool reads = std::any_of(buffers.begin(), buffers.end(), [&](std::int32_t buffer) {
      return combined.count(buffer) != 0;
    });
    if (combines || reads) candidates[i].is_joinable = false;
    if (!combines) continue;
    std::size_t next = 0;
    for (const Argument& argument : singles[i].kernel->arguments) {
      if (argument.access == Access::local) continue;
      if (argument.access != Access::read) combined.insert(buffers[next]);
      ++next;
    }
  }
}

}  // namespace detail

SINTER_INLINE void measure_arena(std::span<Single> singles, std::span<const Buffer> buffers) {
  std::unordered_set<std::int32_t> later;
  for (std::size_t i = singles.size(); i-- > 0;) {
    Single& single = singles[i];
    for (const std::int32_t id : single.launch->buffers) {
      const Buffer& buffer = buffers[static_cast<std::size_t>(id)];
      if (buffer.home != Home::arena) continue;
      const Extent bytes = buffer.elements * Extent(info(buffer.dtype).size);
      single.arena_bytes += bytes;
      if (later.insert(id).second) single.held += bytes;
    }
  }
}

SINTER_INLINE std::vector<Candidate> candidates(std::span<Single> singles, bool gpu) {
  detail::CandidateFinder finder{singles, gpu};
  for (std::size_t i = 0; i < singles.size(); ++i) finder.generalize(i);
  for (Single& single : singles) finder.match_point(single);
  std::vector<Candidate> result;
  for (const Single& single : singles) result.push_back(finder.candidate(single));
  if (!gpu) detail::keep_chunks_apart(singles, result);
  return result;
}

SINTER_INLINE Launch joint_launch(std::span<const Single> singles, const Batch& batch,
                                  FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel) {
  detail::LaunchJoiner joiner{singles, add_kernel};
  const bool equal = detail::are_equal(singles, batch);
  for (const std::size_t k : batch.before) joiner.add(singles[k], Turn::before);
  joiner.launch.kernel = static_cast<std::int32_t>(joiner.launch.entries.size());
  for (const std::size_t k : batch.together) {
    equal ? joiner.add(singles[k], Turn::together) : joiner.add_general(singles[k]);
  }
  const auto main = static_cast<std::size_t>(joiner.launch.kernel);
  joiner.launch.kernel = joiner.launch.entries[main].kernel;
  for (const std::size_t k : batch.after) joiner.add(singles[k], Turn::after);
  return std::move(joiner.launch);
}

SINTER_INLINE std::size_t words_of_part(const Kernel& kernel) {
  return 1 + buffer_count(kernel) + kernel.symbols.size();
}

SINTER_INLINE std::size_t words_of_table(const Kernel& kernel) {
  return static_cast<std::size_t>(kernel.parts) * words_of_part(kernel) + 1;
}

// Tables have room for a power of two, so that a few parts more are no other text.
SINTER_INLINE std::vector<Launch> joint_launches(
    std::span<const Single> singles, const Batch& batch, std::size_t table_bytes,
    FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel) {
  const Single& first = singles[batch.together[0]];
  const bool equal = detail::are_equal(singles, batch);
  const Kernel& kernel = equal ? *first.kernel : first.general->kernel;
  const std::size_t most = (table_bytes / 8 - 1) / words_of_part(kernel);
  const std::size_t step = std::max<std::size_t>(most, 1);
  const std::size_t parts = std::min(std::bit_ceil(batch.together.size()), step);
  std::vector<Launch> result;
  for (std::size_t from = 0; from < batch.together.size(); from += step) {
    const auto begin = batch.together.begin() + static_cast<std::ptrdiff_t>(from);
    const std::size_t count = std::min(step, batch.together.size() - from);
    if (count == 1) {
      const Single& one = singles[*begin];
      result.push_back(*one.launch);
      result.back().kernel = add_kernel(*one.kernel);
      continue;
    }
    const Batch part{{}, {begin, begin + static_cast<std::ptrdiff_t>(count)}, {}};
    result.push_back(joint_launch(singles, part, [&](const Kernel& one) {
      Kernel with_parts = one;
      with_parts.parts = static_cast<std::int32_t>(parts);
      return add_kernel(with_parts);
    }));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
