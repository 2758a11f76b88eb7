#pragma once

#include <algorithm>  // std::any_of, std::min, std::stable_sort
#include <vector>     // std::vector

#include <sinter/schedule/memory/output_buffers.hpp>
#include <sinter/schedule/memory/reuse.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// The memory of an output, or of buffers of the arena that are written over each other.
struct Space {
  std::vector<std::int32_t> buffers{};  // in it, the output first
  Extent bytes = 0;
  std::int32_t output = -1;       // its position; -1 in the arena
  std::vector<Lifetime> lives{};  // in which it is in use
};

struct OutputMemory {
  Plan& plan;
  std::span<const Update> updates;
  std::vector<Lifetime> lives = lifetimes_of(plan);
  std::vector<bool> outputs{};  // whether each buffer is an output that may be moved into
  std::vector<Space> rooms{}, guests{};

  Buffer& buffer(std::int32_t id) { return plan.buffers[static_cast<std::size_t>(id)]; }

  bool is_room(std::size_t id) const {
    const Buffer& known = plan.buffers[id];
    const bool updated = std::any_of(updates.begin(), updates.end(), [&](const Update& update) {
      return update.output == known.position;
    });
    return known.home == Home::output && !updated && lives[id].first >= 0;
  }

  Extent bytes_of(std::size_t id) const {
    return plan.buffers[id].elements * Extent(info(plan.buffers[id].dtype).size);
  }

  // Buffers that are written over each other, each set with the output at its end.
  void find_spaces() {
    const std::vector<std::int32_t> reused = reused_buffers(plan, plan.kernels, outputs);
    std::vector<bool> is_given(reused.size(), false);
    for (const std::int32_t from : reused) {
      if (from >= 0) is_given[static_cast<std::size_t>(from)] = true;
    }
    for (std::size_t id = 0; id < reused.size(); ++id) {
      const bool arena = plan.buffers[id].home == Home::arena && lives[id].first >= 0;
      if (is_given[id] || !(arena || outputs[id])) continue;
      Space space{{}, bytes_of(id), outputs[id] ? plan.buffers[id].position : -1};
      Lifetime life = lives[id];
      if (outputs[id]) life.last = static_cast<std::int32_t>(plan.launches.size());
      for (auto at = static_cast<std::int32_t>(id); at >= 0;
           at = reused[static_cast<std::size_t>(at)]) {
        life.first = std::min(life.first, lives[static_cast<std::size_t>(at)].first);
        space.buffers.push_back(at);
      }
      space.lives = {life};
      (outputs[id] ? rooms : guests).push_back(std::move(space));
    }
  }

  // About what it takes: a symbol counts as a size that is neither small nor large.
  static std::int64_t typical(Extent bytes) {
    const Extent size = substitute(bytes, [](Extent) { return Extent(128); });
    return size.is_number() ? size.number() : 0;
  }

  // How many bytes of the arena are in use in each launch.
  std::vector<std::int64_t> loads() const {
    std::vector<std::int64_t> result(plan.launches.size(), 0);
    for (const Space& guest : guests) {
      for (std::int32_t at = guest.lives[0].first; at <= guest.lives[0].last; ++at) {
        result[static_cast<std::size_t>(at)] += typical(guest.bytes);
      }
    }
    return result;
  }

  // The largest first, and not too many: the time goes with how many there are.
  void sort_rooms() {
    constexpr std::size_t most = 64;
    std::stable_sort(rooms.begin(), rooms.end(), [](const Space& a, const Space& b) {
      return typical(a.bytes) > typical(b.bytes);
    });
    if (rooms.size() > most) rooms.erase(rooms.begin() + most, rooms.end());
  }

  // Of those that are alike the last goes first: what the output is made of stays in the arena, and
  // what came before that had better not be there at the same time.
  void sort_guests() {
    const std::vector<std::int64_t> load = loads();
    const auto most = [&](const Space& guest) {
      const auto first = load.begin() + guest.lives[0].first;
      return *std::max_element(first, load.begin() + guest.lives[0].last + 1);
    };
    std::stable_sort(guests.begin(), guests.end(), [&](const Space& a, const Space& b) {
      if (const std::int64_t x = most(a), y = most(b); x != y) return x > y;
      if (const std::int64_t x = typical(a.bytes), y = typical(b.bytes); x != y) return x > y;
      return a.lives[0].last > b.lives[0].last;
    });
  }

  static bool fits(const Space& guest, const Space& room) {
    const Lifetime life = guest.lives[0];
    const bool taken = std::any_of(room.lives.begin(), room.lives.end(), [&](Lifetime other) {
      return life.first <= other.last && other.first <= life.last;
    });
    return !taken && proven_less_equal(guest.bytes, room.bytes);
  }

  void move(const Space& guest, std::int32_t output) {
    for (const std::int32_t id : guest.buffers) {
      buffer(id).home = Home::output;
      buffer(id).position = output;
    }
  }

  void run() {
    for (std::size_t id = 0; id < lives.size(); ++id) outputs.push_back(is_room(id));
    find_spaces();
    for (const Space& room : rooms) move(room, room.output);
    sort_rooms();
    sort_guests();
    for (const Space& guest : guests) {
      Space* best = nullptr;  // the smallest
      for (Space& room : rooms) best = fits(guest, room) ? &room : best;
      if (best == nullptr) continue;
      move(guest, best->output);
      best->lives.push_back(guest.lives[0]);
    }
  }
};

}  // namespace detail

SINTER_INLINE void use_output_memory(Plan& plan, std::span<const Update> updates) {
  detail::OutputMemory{plan, updates}.run();
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
