// Warp operations: shuffles, votes and synchronisation.

#include <bit>

#include <sinter/base/text.hpp>

#include "launch.hpp"

namespace emulator {

namespace {

struct ShuffleData {
  std::uint64_t value = 0, result = 0;
  int argument = 0, width = 32;
  int from = 0;  ///< The source lane.
};

struct VoteData {
  std::uint64_t value = 0;
  unsigned result = 0;
};

// The source lane of `lane`, as defined by PTX.
int source_lane(emulated::Shuffle kind, int lane, const ShuffleData& data) {
  const int first = lane & ~(data.width - 1), last = first + data.width - 1;
  int from = 0;
  switch (kind) {
    case emulated::Shuffle::index:
      return first + (data.argument & (data.width - 1));
    case emulated::Shuffle::up:
      from = lane - data.argument;
      break;
    case emulated::Shuffle::down:
      from = lane + data.argument;
      break;
    case emulated::Shuffle::exclusive:
      // Lanes of earlier segments may be read, those of later ones not.
      from = lane ^ data.argument;
      return from <= last ? from : lane;
  }
  return from < first || from > last ? lane : from;
}

[[gnu::noinline]] void report_shuffle(int from, const void* frame) {
  running()->report("shuffle from an inactive lane",
                    sinter::detail::text("lane ", running()->thread().lane(), " reads lane ", from,
                                         ", which takes no part"),
                    frame);
}

void shuffle_lanes(Thread** lanes) {
  for (int lane = 0; lane < 32; ++lane) {
    if (lanes[lane] == nullptr) continue;
    auto& data = *static_cast<ShuffleData*>(lanes[lane]->meeting.data);
    const auto kind = static_cast<emulated::Shuffle>(lanes[lane]->meeting.kind);
    data.from = source_lane(kind, lane, data);
    Thread* const other = lanes[data.from];
    data.result = 0xbad0bad0bad0bad0u;
    if (other == nullptr) continue;
    data.result = static_cast<ShuffleData*>(other->meeting.data)->value;
    data.from = -1;
  }
}

unsigned vote_of(emulated::Vote vote, Thread** lanes, const VoteData& own) {
  unsigned all = 0, holds = 0, equal = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (lanes[lane] == nullptr) continue;
    const auto& data = *static_cast<VoteData*>(lanes[lane]->meeting.data);
    all |= 1u << lane;
    if (data.value != 0) holds |= 1u << lane;
    if (data.value == own.value) equal |= 1u << lane;
  }
  switch (vote) {
    case emulated::Vote::all:
      return holds == all;
    case emulated::Vote::any:
      return holds != 0;
    case emulated::Vote::ballot:
      return holds;
    case emulated::Vote::match_any:
      return equal;
    case emulated::Vote::match_all:
      return equal == all ? all : 0;
    case emulated::Vote::sync:
      return 0;
  }
  return 0;
}

// A synchronisation orders earlier accesses of its lanes before later ones.
void sync_lanes(Thread** lanes) {
  unsigned mask = 0, warp = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (lanes[lane] == nullptr) continue;
    mask |= 1u << lane;
    warp = lanes[lane]->number / 32;
  }
  running()->shared().clock().pass_warp(warp, mask);
}

void vote_lanes(Thread** lanes) {
  for (int lane = 0; lane < 32; ++lane) {
    if (lanes[lane] == nullptr) continue;
    auto& data = *static_cast<VoteData*>(lanes[lane]->meeting.data);
    data.result = vote_of(static_cast<emulated::Vote>(lanes[lane]->meeting.kind), lanes, data);
  }
}

}  // namespace

void Running::meet(const Meeting& meeting, const void* frame) {
  Thread& self = *thread_;
  if ((meeting.mask >> self.lane() & 1) == 0) refuse_mask(meeting, frame);
  self.meeting = meeting;
  self.frame = frame;
  self.state = Thread::State::in_warp;
  warp_of(self).waiting |= 1u << self.lane();
  finish_meeting(self);
  if (self.state == Thread::State::in_warp) pause();
}

[[gnu::noinline]] void Running::refuse_mask(const Meeting& meeting, const void* frame) {
  report("wrong mask",
         sinter::detail::text("lane ", thread_->lane(), " calls ", meeting.name,
                              " with a mask that leaves it out"),
         frame);
  stop(719);
}

// The operation is executed once all live lanes in the mask wait for it.
void Running::finish_meeting(Thread& thread) {
  Warp& warp = warp_of(thread);
  const Meeting& meeting = thread.meeting;
  const unsigned mask = meeting.mask & warp.lanes;
  // Most lanes are not the last to arrive.
  if ((warp.waiting & mask) != mask) return;
  Thread* lanes[32]{};
  const unsigned first = thread.number / 32 * 32;
  for (unsigned left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    Thread& other = threads_[first + lane];
    if (other.meeting.mask != meeting.mask || other.meeting.work != meeting.work ||
        other.meeting.kind != meeting.kind) {
      return;
    }
    lanes[lane] = &other;
  }
  meeting.work(lanes);
  for (unsigned left = mask; left != 0; left &= left - 1) {
    lanes[std::countr_zero(left)]->state = Thread::State::ready;
  }
  warp.waiting &= ~mask;
  warp.ready |= mask;
}

// A lane has ended: others may have waited for it alone.
void Running::finish_meetings(Warp& warp, unsigned first) {
  for (unsigned left = warp.waiting; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if ((warp.waiting >> lane & 1) != 0) finish_meeting(threads_[first + lane]);
  }
}

unsigned Running::active_mask() const { return 1u << thread_->lane(); }

unsigned vote_of_lanes(emulated::Vote vote, unsigned mask, unsigned long long value,
                       const void* frame) {
  Running& all = *running();
  VoteData data{.value = value};
  const bool sync = vote == emulated::Vote::sync;
  all.meet({sync ? "__syncwarp" : "a vote", mask, static_cast<std::uint64_t>(vote), &data,
            sync ? sync_lanes : vote_lanes},
           frame);
  return data.result;
}

unsigned long long shuffle_of_lanes(emulated::Shuffle kind, unsigned mask, unsigned long long value,
                                    int argument, int width, const void* frame) {
  Running& all = *running();
  ShuffleData data{.value = value, .argument = argument, .width = width};
  all.meet({"a shuffle", mask, static_cast<std::uint64_t>(kind), &data, shuffle_lanes}, frame);
  if (data.from >= 0) report_shuffle(data.from, frame);
  return data.result;
}

}  // namespace emulator
