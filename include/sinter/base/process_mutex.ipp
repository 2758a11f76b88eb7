#pragma once

#include <pthread.h>  // pthread_atfork
#include <sched.h>    // sched_yield

#include <atomic>  // std::atomic

#include <sinter/base/process_mutex.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// All registered subjects.
class ForkList {
 public:
  static ForkList& instance() {
    static auto& list = *new ForkList;
    [[maybe_unused]] static const int registered =
        pthread_atfork([] { list.begin(); }, [] { list.end(); }, [] { list.end_in_child(); });
    return list;
  }

  void add(ForkEntry& entry) {
    const std::lock_guard lock(mutex_);
    entry.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &entry;
    first_ = &entry;
  }
  void remove(ForkEntry& entry) {
    const std::lock_guard lock(mutex_);
    (entry.previous_ == nullptr ? first_ : entry.previous_->next_) = entry.next_;
    if (entry.next_ != nullptr) entry.next_->previous_ = entry.previous_;
  }

  std::atomic<int> forks{0};

 private:
  // All at once or none, so that a thread that holds one and waits for another comes to an end.
  void begin() {
    mutex_.lock();
    while (const ForkEntry* const busy = begin_until_busy()) {
      for (ForkEntry* entry = first_; entry != busy; entry = entry->next_) {
        entry->functions_.end(entry->subject_);
      }
      sched_yield();
    }
  }
  ForkEntry* begin_until_busy() {
    ForkEntry* entry = first_;
    while (entry != nullptr && entry->functions_.begin(entry->subject_)) entry = entry->next_;
    return entry;
  }
  void end() {
    for (ForkEntry* entry = first_; entry != nullptr; entry = entry->next_) {
      entry->functions_.end(entry->subject_);
    }
    mutex_.unlock();
  }
  void end_in_child() {
    forks.fetch_add(1, std::memory_order_relaxed);
    for (ForkEntry* entry = first_; entry != nullptr; entry = entry->next_) {
      entry->functions_.end_in_child(entry->subject_);
    }
    mutex_.unlock();
  }

  std::mutex mutex_;
  ForkEntry* first_ = nullptr;
};

SINTER_INLINE ForkEntry::ForkEntry(void* subject, const Functions& functions)
    : subject_(subject), functions_(functions) {
  ForkList::instance().add(*this);
}
SINTER_INLINE ForkEntry::~ForkEntry() { ForkList::instance().remove(*this); }

SINTER_INLINE int forks() { return ForkList::instance().forks.load(std::memory_order_relaxed); }

}  // namespace sinter::inline SINTER_ABI::detail
