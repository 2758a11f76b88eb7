#pragma once

#if !__has_include(<mpi.h>)
#error "sinter/dist.hpp requires MPI: compile with mpicxx, or link the CMake target sinter::dist"
#endif
#define OMPI_SKIP_MPICXX 1  // the C interface
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <sched.h>  // sched_yield

#include <atomic>              // std::atomic
#include <chrono>              // std::chrono
#include <condition_variable>  // std::condition_variable
#include <cstring>             // std::memcpy
#include <deque>               // std::deque
#include <exception>           // std::exception_ptr
#include <list>                // std::list
#include <mutex>               // std::unique_lock
#include <thread>              // std::thread
#include <utility>             // std::move

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/text.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/dist/backend/mpi/engine.hpp>

namespace sinter::inline SINTER_ABI::detail::mpi {

using collective::Call;
using dist::RankError;

SINTER_INLINE double seconds_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// "rank 1", "ranks 0, 2"
SINTER_INLINE std::string named_ranks(const Vector<int>& ranks) {
  std::string result = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) result += text(i == 0 ? "" : ", ", ranks[i]);
  return result;
}

// A message between ranks outside of collectives.
struct Notice {
  enum Kind : int { ping, pong, failed };
  int kind = ping;
  char text[508] = {};

  void set(std::string_view value) {
    const std::size_t length = value.size() < sizeof(text) - 1 ? value.size() : sizeof(text) - 1;
    std::memcpy(text, value.data(), length);
    text[length] = 0;
  }
};

// Why the engine waits: for a call, and for these ranks.
struct Waiting {
  const Call& call;
  Span<const int> ranks;      // in the World
  bool is_agreement = false;  // the requests use only memory of the group, not of the caller
};

// Makes all calls of MPI, one at a time. The caller of a member function holds the lock of the
// engine, except where a comment says what the function locks.
class Engine {
 public:
  explicit Engine(const Limits& limits) : limits_(limits) {
    MPI_Comm_dup(MPI_COMM_WORLD, &notices_);
    MPI_Comm_dup(MPI_COMM_WORLD, &messages_);
    for (const MPI_Comm comm : {notices_, messages_}) {
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    MPI_Comm_rank(notices_, &rank_);
    MPI_Comm_size(notices_, &size_);
    MPI_Comm machine{};
    MPI_Comm_split_type(notices_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local_rank_);
    MPI_Comm_free(&machine);
    heard_.resize(static_cast<std::size_t>(size_));
    states_.resize(static_cast<std::size_t>(size_), "not heard from");
    asked_.resize(static_cast<std::size_t>(size_));
    thread_ = std::thread([this] { work(); });
  }

  // The locks of a call by the program. Its threads must call one after the other.
  struct Turn {
    std::unique_lock<std::mutex> program, calls{};
  };
  // Locks the engine, after all background collectives have ended. Throws ValueError if another
  // thread has its turn: another rank could run the two calls in the other order.
  Turn lock_in_order(const Call& call) {
    Turn turn{std::unique_lock(program_, std::try_to_lock)};
    if (!turn.program.owns_lock()) throw_two_threads(call);
    std::unique_lock queue(queue_mutex_);
    queue_changed_.wait(queue, [&] { return queue_.empty(); });
    turn.calls = std::unique_lock(calls_);
    return turn;
  }
  std::unique_lock<std::mutex> lock() { return std::unique_lock(calls_); }
  std::unique_lock<std::mutex> try_lock() { return std::unique_lock(calls_, std::try_to_lock); }

  // Locks the queue. The engine's thread calls `run` with the engine locked.
  std::uint64_t start(SharedPtr<collective::Job> job,
                      void (*run)(void* group, const Call&, collective::Job&), void* group,
                      const Call& call) {
    const std::unique_lock queue(queue_mutex_);
    queue_.push_back({std::move(job), run, group, call, ++last_started_});
    queue_changed_.notify_all();
    return last_started_;
  }
  // Locks the queue. Rethrows the exception of the job.
  void wait(std::uint64_t number) {
    std::unique_lock queue(queue_mutex_);
    queue_changed_.wait(queue, [&] { return ended_.find(number) != ended_.end(); });
    const std::exception_ptr error = ended_.at(number);
    ended_.erase(ended_.find(number));
    if (error != nullptr) std::rethrow_exception(error);
  }

  // Locks the queue. Ends the engine's thread.
  void stop() {
    {
      const std::unique_lock queue(queue_mutex_);
      stops_ = true;
      queue_changed_.notify_all();
    }
    thread_.join();
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  int local_rank() const { return local_rank_; }
  MPI_Comm messages() const { return messages_; }
  bool is_healthy() const { return failure_.empty(); }
  // Whether pending requests may use memory of a caller: MPI must not run any more.
  bool is_poisoned() const { return is_poisoned_; }
  void set_state(std::string state) { state_ = std::move(state); }

  void require_healthy(const Call& call) const {
    if (!is_healthy()) throw_failed(call);
  }

  // Keeps the reason, after which no call succeeds, and tells the other ranks.
  void fail(std::string why) {
    if (!is_healthy()) return;
    failure_ = std::move(why);
    for (int rank = 0; rank < size_; ++rank) {
      if (rank != rank_) post(rank, Notice::failed, failure_);
    }
    const double begin = seconds_now();
    while (!outgoing_.empty() && seconds_now() - begin < 0.2) poll();
  }

  [[noreturn]] void throw_failed(const Call& call) const {
    throw RankError({.op = call.op,
                     .what = "a rank has failed",
                     .facts = {{"why", failure_}, {"here", text("rank ", rank_, ", ", call.text)}},
                     .rule = "a collective needs all ranks",
                     .fix = "restart all ranks from the last checkpoint",
                     .where = call.where,
                     .see = "distributed"});
  }

  [[noreturn]] void throw_two_threads(const Call& call) const {
    throw ValueError({.op = call.op,
                      .what = "another thread is running a collective or a message",
                      .facts = {{"here", text("rank ", rank_, ", ", call.text)}},
                      .rule = "all ranks run the same collectives in the same order; two threads "
                              "could run them in different orders on different ranks",
                      .fix = "call collectives from one thread at a time",
                      .where = call.where,
                      .see = "distributed"});
  }

  void check(int error, const Call& call) {
    if (error == MPI_SUCCESS) return;
    char message[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(error, message, &length);
    is_poisoned_ = true;  // other requests may be pending
    fail(text("MPI of rank ", rank_, " reports: ", message));
    throw_failed(call);
  }

  // Waits for all requests. Throws RankError if a rank fails or the time limit is over.
  void finish(MPI_Request* requests, int count, const Waiting& waiting) {
    const double begin = seconds_now();
    double asked = begin;
    for (std::int64_t round = 0;; ++round) {
      int is_done = 0;
      check(MPI_Testall(count, requests, &is_done, MPI_STATUSES_IGNORE), waiting.call);
      if (is_done) return;
      if (round < 64) continue;
      sched_yield();
      if (round % 16 != 0) continue;
      try {
        const double patience = waiting.is_agreement ? 2e-3 : 50e-3;
        const bool is_late = seconds_now() - begin > patience;
        if (is_late) std::this_thread::sleep_for(std::chrono::microseconds(50));
        attend(waiting, begin, asked);
      } catch (...) {
        is_poisoned_ = is_poisoned_ || !waiting.is_agreement;
        throw;
      }
    }
  }

  // Called repeatedly while this rank waits, since `begin`; `asked` is when it last pinged the
  // other ranks. Throws RankError if a rank fails or the time limit is over.
  void attend(const Waiting& waiting, double begin, double& asked) {
    poll();
    require_healthy(waiting.call);
    const double now = seconds_now();
    if (now - begin < 0.5) return;
    if (now - asked > 0.5) ask(waiting, asked = now);
    watch(waiting, begin, now);
  }

  // Starts to send `data`, which the engine keeps until it is sent.
  void post(int to, MPI_Comm comm, int tag, Storage data) {
    Outgoing& one = outgoing_.emplace_back(Outgoing{MPI_REQUEST_NULL, std::move(data)});
    MPI_Isend(one.data.data(), static_cast<int>(one.data.bytes()), MPI_BYTE, to, tag, comm,
              &one.request);
  }

  // Frees what post() has sent, and receives and answers notices.
  void poll() {
    for (auto one = outgoing_.begin(); one != outgoing_.end();) {
      int is_sent = 0;
      MPI_Test(&one->request, &is_sent, MPI_STATUS_IGNORE);
      one = is_sent ? outgoing_.erase(one) : std::next(one);
    }
    for (int is_there = 1; is_there;) {
      MPI_Status status{};
      MPI_Iprobe(MPI_ANY_SOURCE, 0, notices_, &is_there, &status);
      if (!is_there) return;
      Notice notice;
      MPI_Recv(&notice, sizeof(notice), MPI_BYTE, status.MPI_SOURCE, 0, notices_,
               MPI_STATUS_IGNORE);
      receive(status.MPI_SOURCE, notice);
    }
  }

  // Waits until everything that was posted is sent, for `seconds` at most.
  void flush(double seconds) {
    const double begin = seconds_now();
    while (!outgoing_.empty() && seconds_now() - begin < seconds) {
      poll();
      sched_yield();
    }
  }

 private:
  struct Outgoing {
    MPI_Request request;
    Storage data;
  };
  struct Started {
    SharedPtr<collective::Job> job;
    void (*run)(void* group, const Call&, collective::Job&);
    void* group;
    Call call;
    std::uint64_t number;
  };

  void post(int to, Notice::Kind kind, std::string_view value) {
    Notice notice{.kind = kind};
    notice.set(value);
    const Storage data = Storage::allocate(sizeof(notice), cpu(), Where(), "a message");
    std::memcpy(data.data(), &notice, sizeof(notice));
    post(to, notices_, 0, data);
  }

  void receive(int from, const Notice& notice) {
    const auto at = static_cast<std::size_t>(from);
    heard_[at] = seconds_now();
    if (notice.kind == Notice::ping) post(from, Notice::pong, state_);
    if (notice.kind == Notice::pong) states_[at] = notice.text;
    if (notice.kind == Notice::failed && is_healthy()) failure_ = notice.text;
  }

  void ask(const Waiting& waiting, double now) {
    for (const int rank : waiting.ranks) {
      if (rank == rank_) continue;
      const auto at = static_cast<std::size_t>(rank);
      if (asked_[at] <= heard_[at]) asked_[at] = now;
      post(rank, Notice::ping, "");
    }
  }

  void watch(const Waiting& waiting, double begin, double now) {
    Vector<int> silent;
    for (const int rank : waiting.ranks) {
      const auto at = static_cast<std::size_t>(rank);
      if (asked_[at] > heard_[at] && now - asked_[at] > limits_.answer) silent.push_back(rank);
    }
    if (!silent.empty()) {
      fail(text(named_ranks(silent), " did not answer for ", limits_.answer,
                " s (ended, killed or stopped) while rank ", rank_, " waited in ",
                waiting.call.text));
      throw_failed(waiting.call);
    }
    if (now - begin < limits_.timeout) return;
    std::string listed;
    for (const int rank : waiting.ranks) {
      if (rank == rank_) continue;
      listed += text(listed.empty() ? "" : "; ", "rank ", rank, " was ",
                     states_[static_cast<std::size_t>(rank)]);
    }
    fail(text("rank ", rank_, " waited ", limits_.timeout, " s in ", waiting.call.text, ", while ",
              listed));
    throw_failed(waiting.call);
  }

  // The engine's thread: runs background collectives and answers other ranks.
  void work() {
    std::unique_lock queue(queue_mutex_);
    while (!stops_) {
      if (queue_.empty()) {
        queue_changed_.wait_for(queue, std::chrono::milliseconds(10));
        if (!queue_.empty() || stops_) continue;
        queue.unlock();
        if (const std::unique_lock calls(calls_, std::try_to_lock); calls.owns_lock()) poll();
        queue.lock();
        continue;
      }
      Started& next = queue_.front();
      queue.unlock();
      std::exception_ptr error;
      try {
        const std::unique_lock calls(calls_);
        next.run(next.group, next.call, *next.job);
      } catch (...) {
        error = std::current_exception();
      }
      queue.lock();
      ended_[next.number] = error;
      queue_.pop_front();
      queue_changed_.notify_all();
    }
  }

  Limits limits_;
  MPI_Comm notices_{}, messages_{};
  int rank_ = 0, size_ = 1, local_rank_ = 0;

  std::mutex program_{};  // held for a call by the program
  std::mutex calls_{};    // held while MPI is called: the lock of the engine
  std::string failure_{}, state_ = "computing";
  bool is_poisoned_ = false;
  Vector<double> heard_{};        // when each rank was last heard from
  Vector<std::string> states_{};  // what it was doing then
  Vector<double> asked_{};        // when it was first pinged after that
  std::list<Outgoing> outgoing_{};

  std::mutex queue_mutex_{};
  std::condition_variable queue_changed_{};
  std::deque<Started> queue_{};
  std::uint64_t last_started_ = 0;
  SortedMap<std::uint64_t, std::exception_ptr> ended_{};
  bool stops_ = false;
  std::thread thread_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::mpi
