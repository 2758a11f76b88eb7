#pragma once

#include <algorithm>  // std::max, std::sort, std::unique
#include <cstddef>    // std::size_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/runtime/cuda/graph/dependencies.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// Computes the dependencies launch by launch.
class DependencyAnalysis {
 public:
  DependencyAnalysis(const schedule::Plan& plan, Span<const schedule::Update> updates,
                     Span<const schedule::Kernel> kernels)
      : plan_(plan),
        kernels_(kernels),
        aliases_(plan.buffers.size()),
        writers_(plan.buffers.size()),
        readers_(plan.buffers.size()) {
    find_updated(updates);
    find_overlaps();
  }

  Vector<Vector<std::int32_t>> result() {
    Vector<Vector<std::int32_t>> all;
    const std::size_t words = (plan_.launches.size() + 63) / 64;
    Vector<Vector<std::uint64_t>> ancestors;
    for (std::size_t launch = 0; launch < plan_.launches.size(); ++launch) {
      all.emplace_back();
      ancestors.emplace_back(words);
      for (const std::int32_t before : conflicts(launch)) {
        const auto at = static_cast<std::size_t>(before);
        if ((ancestors[launch][at / 64] >> at % 64 & 1) != 0) continue;
        all.back().push_back(before);
        ancestors[launch][at / 64] |= std::uint64_t{1} << at % 64;
        for (std::size_t i = 0; i < words; ++i) ancestors[launch][i] |= ancestors[at][i];
      }
      record(launch);
    }
    return all;
  }

 private:
  struct Use {
    std::size_t buffer = 0;
    bool reads = true, writes = true;
  };

  // How a launch accesses its buffers; control flow is assumed to read and write all of them.
  Vector<Use> uses(std::size_t launch) const {
    const schedule::Launch& one = plan_.launches[launch];
    Vector<Use> result;
    for (const std::int32_t buffer : one.buffers) {
      result.push_back({static_cast<std::size_t>(buffer)});
    }
    if (enqueues(plan_, one)) {
      const schedule::Control& control = plan_.controls[static_cast<std::size_t>(one.control)];
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i].reads = i < static_cast<std::size_t>(control.inputs);
        result[i].writes = !result[i].reads;
      }
    }
    if (one.control >= 0) return result;
    schedule::for_each_entry(one, [&](const schedule::Entry& entry, std::size_t next, std::size_t) {
      const std::size_t end = next + static_cast<std::size_t>(entry.buffers);
      for (const auto& argument : kernels_[static_cast<std::size_t>(entry.kernel)].arguments) {
        if (argument.access == schedule::Access::local || next == end) continue;
        result[next].reads = argument.access != schedule::Access::write;
        result[next].writes = argument.access != schedule::Access::read;
        ++next;
      }
    });
    return result;
  }

  // The earlier launches that conflict with this one, the last first.
  Vector<std::int32_t> conflicts(std::size_t launch) const {
    Vector<std::int32_t> result;
    const auto add = [&](const Vector<std::int32_t>& launches) {
      result.insert(result.end(), launches.begin(), launches.end());
    };
    if (last_enqueued_ >= 0 && enqueues(plan_, plan_.launches[launch])) {
      result.push_back(last_enqueued_);
    }
    for (const Use& use : uses(launch)) {
      for (const std::size_t alias : aliases_[use.buffer]) {
        add(writers_[alias]);
        if (use.writes) add(readers_[alias]);
      }
    }
    std::sort(result.begin(), result.end(), [](std::int32_t a, std::int32_t b) { return a > b; });
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  // Records the accesses of a launch. A launch that overwrites a whole buffer already depends on
  // its earlier users, so later launches need not.
  void record(std::size_t launch) {
    const Vector<Use> all = uses(launch);
    if (enqueues(plan_, plan_.launches[launch])) last_enqueued_ = static_cast<std::int32_t>(launch);
    for (const Use& use : all) {
      if (!use.writes) continue;
      for (const std::size_t alias : aliases_[use.buffer]) {
        if (covers(use.buffer, alias)) writers_[alias].clear(), readers_[alias].clear();
      }
    }
    for (const Use& use : all) {
      const auto number = static_cast<std::int32_t>(launch);
      if (use.writes) writers_[use.buffer].push_back(number);
      if (use.reads) readers_[use.buffer].push_back(number);
    }
  }

  // True if the memory of `b` lies within that of `a`.
  bool covers(std::size_t a, std::size_t b) const {
    if (a == b) return true;
    const schedule::Buffer &outer = plan_.buffers[a], &inner = plan_.buffers[b];
    if (outer.home != schedule::Home::arena || inner.home != outer.home) return false;
    const Extent outer_bytes = bytes_of(a), inner_bytes = bytes_of(b);
    if (same(outer.offset, inner.offset) && same(outer_bytes, inner_bytes)) return true;
    for (const Extent& one : {outer.offset, inner.offset, outer_bytes, inner_bytes}) {
      if (!one.is_number()) return false;
    }
    return outer.offset.number() <= inner.offset.number() &&
           inner.offset.number() + inner_bytes.number() <=
               outer.offset.number() + outer_bytes.number();
  }

  void find_updated(Span<const schedule::Update> updates) {
    for (std::size_t i = 0; i < aliases_.size(); ++i) aliases_[i].push_back(i);
    for (const schedule::Update& update : updates) {
      add_alias(static_cast<std::size_t>(plan_.inputs[static_cast<std::size_t>(update.input)]),
                static_cast<std::size_t>(plan_.outputs[static_cast<std::size_t>(update.output)]));
    }
  }

  void add_alias(std::size_t a, std::size_t b) {
    if (a == b) return;
    aliases_[a].push_back(b);
    aliases_[b].push_back(a);
  }

  // Buffers with static offsets are sorted and compared with their neighbours. Buffers with
  // symbolic offsets, many of which share a place, are grouped by place and compared pairwise.
  void find_overlaps() {
    Vector<std::size_t> static_buffers;
    Vector<Vector<std::size_t>> places;
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].home != schedule::Home::arena) continue;
      if (plan_.buffers[i].offset.is_number() && bytes_of(i).is_number()) {
        static_buffers.push_back(i);
        continue;
      }
      const auto known = find_if(places, [&](const auto& place) {
        return same(plan_.buffers[place[0]].offset, plan_.buffers[i].offset) &&
               same(bytes_of(place[0]), bytes_of(i));
      });
      if (known != places.end()) known->push_back(i);
      if (known == places.end()) places.push_back({i});
    }
    const std::int64_t end = add_static_aliases(static_buffers);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const bool behind = proven_less_equal(end, plan_.buffers[places[i][0]].offset);
      if (!behind) add_aliases(places[i], static_buffers);
      for (std::size_t j = 0; j <= i; ++j) {
        if (may_overlap(places[i][0], places[j][0])) add_aliases(places[i], places[j]);
      }
    }
  }

  // Returns the end of the last static buffer.
  std::int64_t add_static_aliases(Vector<std::size_t>& static_buffers) {
    const auto start = [&](std::size_t i) { return plan_.buffers[i].offset.number(); };
    stable_sort(static_buffers, [&](std::size_t a, std::size_t b) { return start(a) < start(b); });
    std::int64_t last = 0;
    for (std::size_t i = 0; i < static_buffers.size(); ++i) {
      const std::int64_t end = start(static_buffers[i]) + bytes_of(static_buffers[i]).number();
      for (std::size_t j = i + 1; j < static_buffers.size() && start(static_buffers[j]) < end;
           ++j) {
        add_alias(static_buffers[i], static_buffers[j]);
      }
      last = std::max(last, end);
    }
    return last;
  }

  void add_aliases(const Vector<std::size_t>& some, const Vector<std::size_t>& others) {
    for (const std::size_t one : some) {
      for (const std::size_t other : others) add_alias(one, other);
    }
  }

  Extent bytes_of(std::size_t buffer) const {
    const schedule::Buffer& known = plan_.buffers[buffer];
    return known.elements * static_cast<std::int64_t>(info(known.dtype).size);
  }

  bool may_overlap(std::size_t a, std::size_t b) const {
    const Extent first = plan_.buffers[a].offset, second = plan_.buffers[b].offset;
    if (same(first, second)) return true;
    return !proven_less_equal(first + bytes_of(a), second) &&
           !proven_less_equal(second + bytes_of(b), first);
  }

  const schedule::Plan& plan_;
  Span<const schedule::Kernel> kernels_;
  Vector<Vector<std::size_t>> aliases_;             // of each buffer: the buffers that overlap it
  Vector<Vector<std::int32_t>> writers_, readers_;  // of each buffer, so far
  std::int32_t last_enqueued_ = -1;                 // the last launch that enqueues, so far
};

}  // namespace detail

SINTER_INLINE Vector<Vector<std::int32_t>> launch_dependencies(
    const schedule::Plan& plan, Span<const schedule::Update> updates) {
  return launch_dependencies(plan, updates, plan.kernels);
}

SINTER_INLINE Vector<Vector<std::int32_t>> launch_dependencies(
    const schedule::Plan& body, Span<const schedule::Update> updates,
    Span<const schedule::Kernel> kernels) {
  return detail::DependencyAnalysis(body, updates, kernels).result();
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
