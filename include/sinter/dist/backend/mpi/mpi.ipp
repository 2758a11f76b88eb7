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
#include <climits>             // INT_MAX
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
#include <sinter/dist/backend/mpi/mpi.hpp>

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

// What ranks tell each other outside of collectives.
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

// What a call of MPI waits for.
struct Waiting {
  const Call& call;
  Span<const int> ranks;  // of the World
  bool is_agreement = false;
};

// All calls of MPI, one at a time. Where a member function is not said to lock, the caller has
// locked the engine.
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
    heard_.resize(static_cast<std::size_t>(size_));
    states_.resize(static_cast<std::size_t>(size_));
    thread_ = std::thread([this] { work(); });
  }

  // Locks the engine when everything that was started has ended.
  std::unique_lock<std::mutex> lock_in_order() {
    std::unique_lock queue(queue_mutex_);
    queue_changed_.wait(queue, [&] { return queue_.empty(); });
    return std::unique_lock(calls_);
  }
  std::unique_lock<std::mutex> lock() { return std::unique_lock(calls_); }

  // Locks. `run` is called by the thread of the engine, which locks it.
  std::uint64_t start(SharedPtr<collective::Job> job,
                      void (*run)(void* group, const Call&, collective::Job&), void* group,
                      const Call& call) {
    const std::unique_lock queue(queue_mutex_);
    queue_.push_back({std::move(job), run, group, call, ++last_started_});
    queue_changed_.notify_all();
    return last_started_;
  }
  // Locks.
  void wait(std::uint64_t number) {
    std::unique_lock queue(queue_mutex_);
    queue_changed_.wait(queue, [&] { return ended_.find(number) != ended_.end(); });
    const std::exception_ptr error = ended_.at(number);
    ended_.erase(ended_.find(number));
    if (error != nullptr) std::rethrow_exception(error);
  }

  // Locks: ends the thread.
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
  MPI_Comm messages() const { return messages_; }
  bool is_healthy() const { return failure_.empty(); }
  // Whether MPI may still write to memory that is not the engine's.
  bool is_poisoned() const { return is_poisoned_; }
  void set_state(std::string state) { state_ = std::move(state); }

  void require_healthy(const Call& call) const {
    if (!is_healthy()) throw_failed(call);
  }

  // Notes that nothing can run any more, and tells the other ranks.
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
                     .rule = "all ranks run all collectives",
                     .fix = "start all ranks again, from the last checkpoint",
                     .where = call.where,
                     .see = "distributed"});
  }

  void check(int error, const Call& call) {
    if (error == MPI_SUCCESS) return;
    char message[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(error, message, &length);
    fail(text("MPI of rank ", rank_, " reports: ", message));
    throw_failed(call);
  }

  // Returns when all requests are complete. Throws RankError if a rank fails or time is over.
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
        poll();
        require_healthy(waiting.call);
        const double now = seconds_now();
        const double patience = waiting.is_agreement ? 2e-3 : 50e-3;
        if (now - begin > patience) std::this_thread::sleep_for(std::chrono::microseconds(50));
        if (now - begin < 0.5) continue;
        if (now - asked > 0.5) ask(waiting, asked = now);
        watch(waiting, begin, now);
      } catch (...) {
        is_poisoned_ = is_poisoned_ || !waiting.is_agreement;
        throw;
      }
    }
  }

  // A message that belongs to the engine until it is sent.
  void post(int to, MPI_Comm comm, int tag, Storage data) {
    Outgoing& one = outgoing_.emplace_back(Outgoing{MPI_REQUEST_NULL, std::move(data)});
    MPI_Isend(one.data.data(), static_cast<int>(one.data.bytes()), MPI_BYTE, to, tag, comm,
              &one.request);
  }

  // Sends and receives what does not belong to a collective.
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

  // Waits until what was posted has left, for `seconds` at most.
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
    if (first_asked_ == 0 || now - last_asked_ > 2) first_asked_ = now;  // a new wait
    last_asked_ = now;
    for (const int rank : waiting.ranks) {
      if (rank != rank_) post(rank, Notice::ping, "");
    }
  }

  void watch(const Waiting& waiting, double begin, double now) {
    Vector<int> silent;
    for (const int rank : waiting.ranks) {
      if (rank == rank_ || first_asked_ == 0) continue;
      const double heard = heard_[static_cast<std::size_t>(rank)];
      if (now - (heard > first_asked_ ? heard : first_asked_) > limits_.answer) {
        silent.push_back(rank);
      }
    }
    if (!silent.empty()) {
      fail(text(named_ranks(silent), " did not answer for ", limits_.answer,
                " s: ended, killed or stopped; waited for by rank ", rank_, " in ",
                waiting.call.text));
      throw_failed(waiting.call);
    }
    if (now - begin < limits_.timeout) return;
    std::string listed;
    for (const int rank : waiting.ranks) {
      if (rank == rank_) continue;
      listed += text(listed.empty() ? "" : "; ", "rank ", rank, " ",
                     states_[static_cast<std::size_t>(rank)]);
    }
    fail(text("rank ", rank_, " waited ", limits_.timeout, " s in ", waiting.call.text, ", while ",
              listed));
    throw_failed(waiting.call);
  }

  // The thread: runs what was started, and answers.
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
  int rank_ = 0, size_ = 1;

  std::mutex calls_{};  // the engine
  std::string failure_{}, state_ = "computes";
  bool is_poisoned_ = false;
  Vector<double> heard_{};        // when each rank was last heard
  Vector<std::string> states_{};  // and what it did
  double first_asked_ = 0, last_asked_ = 0;
  std::list<Outgoing> outgoing_{};

  std::mutex queue_mutex_{};
  std::condition_variable queue_changed_{};
  std::deque<Started> queue_{};
  std::uint64_t last_started_ = 0;
  SortedMap<std::uint64_t, std::exception_ptr> ended_{};
  bool stops_ = false;
  std::thread thread_{};
};

// The bytes of one collective.
class MpiBytes : public collective::Bytes {
 public:
  MpiBytes(Engine& engine, MPI_Comm comm, int rank, const Waiting& waiting)
      : engine_(engine), comm_(comm), rank_(rank), waiting_(waiting) {}

  void all_gather(const void* in, void* out, std::size_t bytes) override {
    const int count = counted(bytes);
    const void* const own = static_cast<const char*>(out) + static_cast<std::size_t>(rank_) * bytes;
    MPI_Request request = MPI_REQUEST_NULL;
    engine_.check(MPI_Iallgather(in == own ? MPI_IN_PLACE : in, count, MPI_BYTE, out, count,
                                 MPI_BYTE, comm_, &request),
                  waiting_.call);
    engine_.finish(&request, 1, waiting_);
  }

  void all_gather(const void* in, void* out, Span<const std::size_t> bytes) override {
    const Blocks blocks = blocks_of(bytes);
    const auto own = static_cast<std::size_t>(rank_);
    const bool is_in_place = in == static_cast<const char*>(out) + blocks.starts[own];
    MPI_Request request = MPI_REQUEST_NULL;
    engine_.check(
        MPI_Iallgatherv(is_in_place ? MPI_IN_PLACE : in, blocks.counts[own], MPI_BYTE, out,
                        blocks.counts.data(), blocks.starts.data(), MPI_BYTE, comm_, &request),
        waiting_.call);
    engine_.finish(&request, 1, waiting_);
  }

  void exchange(const void* in, Span<const std::size_t> sent, void* out,
                Span<const std::size_t> received) override {
    const Blocks from = blocks_of(sent), to = blocks_of(received);
    MPI_Request request = MPI_REQUEST_NULL;
    engine_.check(MPI_Ialltoallv(in, from.counts.data(), from.starts.data(), MPI_BYTE, out,
                                 to.counts.data(), to.starts.data(), MPI_BYTE, comm_, &request),
                  waiting_.call);
    engine_.finish(&request, 1, waiting_);
  }

  void broadcast(void* data, std::size_t bytes, int root) override {
    MPI_Request request = MPI_REQUEST_NULL;
    engine_.check(MPI_Ibcast(data, counted(bytes), MPI_BYTE, root, comm_, &request), waiting_.call);
    engine_.finish(&request, 1, waiting_);
  }

 private:
  struct Blocks {
    Vector<int> counts, starts;
  };

  int counted(std::size_t bytes) const {
    if (bytes <= INT_MAX) return static_cast<int>(bytes);
    throw ValueError({.op = waiting_.call.op,
                      .what = "a tensor is too large for one message",
                      .facts = {{"bytes", text(bytes)}},
                      .rule = "what a rank sends or receives in one collective is less than 2 GiB",
                      .fix = "divide the tensor: x.chunk(4)",
                      .where = waiting_.call.where,
                      .see = "distributed"});
  }

  Blocks blocks_of(Span<const std::size_t> bytes) const {
    Blocks result;
    std::size_t start = 0;
    for (const std::size_t one : bytes) {
      result.counts.push_back(counted(one));
      result.starts.push_back(counted(start));
      start += one;
    }
    return result;
  }

  Engine& engine_;
  MPI_Comm comm_;
  int rank_;
  const Waiting& waiting_;
};

class MpiGroup : public collective::Transport {
 public:
  MpiGroup(Engine& engine, MPI_Comm comm, int rank, int size)
      : Transport(rank, size), engine_(engine), comm_(comm) {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    headers_.resize(static_cast<std::size_t>(size));
    texts_.resize(static_cast<std::size_t>(size));
    MPI_Group own, world;
    MPI_Comm_group(comm_, &own);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    Vector<int> positions;
    for (int i = 0; i < size; ++i) positions.push_back(i);
    ranks_.resize(static_cast<std::size_t>(size));
    MPI_Group_translate_ranks(own, size, positions.data(), world, ranks_.data());
    MPI_Group_free(&own);
    MPI_Group_free(&world);
  }

  void run(const Call& call, FunctionRef<void(collective::Bytes&)> body) override {
    const auto lock = engine_.lock_in_order();
    perform(call, body);
  }

  std::uint64_t start(const Call& call, SharedPtr<collective::Job> job) override {
    const auto run = [](void* group, const Call& what, collective::Job& how) {
      static_cast<MpiGroup*>(group)->perform(what,
                                             [&](collective::Bytes& bytes) { how.run(bytes); });
    };
    return engine_.start(std::move(job), run, this, call);
  }

  void wait(std::uint64_t number) override { engine_.wait(number); }

  void send(const Call& call, const void* data, std::size_t bytes, int to) override {
    const auto lock = engine_.lock_in_order();
    engine_.require_healthy(call);
    Message message{call.hash, bytes, {}};
    message.text.set(call.text);
    const Storage header = Storage::allocate(sizeof(message), cpu(), Where(), "a message");
    std::memcpy(header.data(), &message, sizeof(message));
    const Storage body = Storage::allocate(bytes, cpu(), Where(), "a message");
    if (bytes != 0) std::memcpy(body.data(), data, bytes);
    engine_.post(to, engine_.messages(), 0, header);
    engine_.post(to, engine_.messages(), 1, body);
  }

  void receive(const Call& call, void* data, std::size_t bytes, int from) override {
    const auto lock = engine_.lock_in_order();
    engine_.require_healthy(call);
    engine_.set_state(text("waits in ", call.text));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&message_, sizeof(message_), MPI_BYTE, from, 0, engine_.messages(), &request);
    engine_.finish(&request, 1, {call, {&from, 1}, true});
    if (message_.hash != call.hash || message_.bytes != bytes) {
      engine_.fail(text("rank ", from, " does ", message_.text.text, "; rank ", rank(), " does ",
                        call.text));
      engine_.throw_failed(call);
    }
    MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, 1, engine_.messages(), &request);
    engine_.finish(&request, 1, {call, {&from, 1}});
    engine_.set_state("computes");
  }

  void fail(std::string_view why) override {
    const auto lock = engine_.lock();
    engine_.fail(text("rank ", engine_.rank(), ": ", why));
  }

  SharedPtr<Transport> split(const Call& call, int color) override {
    MPI_Comm part{};
    run(call, [&](collective::Bytes&) { MPI_Comm_split(comm_, color, rank(), &part); });
    int place = 0, count = 1;
    MPI_Comm_rank(part, &place);
    MPI_Comm_size(part, &count);
    return SharedPtr<Transport>(make_shared_ptr<MpiGroup>(engine_, part, place, count));
  }

  // The engine is locked.
  void perform(const Call& call, FunctionRef<void(collective::Bytes&)> body) {
    engine_.require_healthy(call);
    engine_.set_state(text("waits in ", call.text));
    agree(call);
    const Waiting waiting{call, ranks_};
    MpiBytes bytes(engine_, comm_, rank(), waiting);
    try {
      body(bytes);
    } catch (const std::exception& error) {  // others wait for what this rank does not send
      engine_.fail(text("rank ", rank(), " failed in ", call.text, ": ", error.what()));
      throw;
    }
    engine_.set_state("computes");
  }

 private:
  struct Header {
    std::uint64_t number, hash;
  };
  struct Message {
    std::uint64_t hash, bytes;
    Notice text;
  };

  // Each rank sees what all are about to run.
  void agree(const Call& call) {
    Header& own = headers_[static_cast<std::size_t>(rank())];
    own = {++calls_, call.hash};
    const Waiting waiting{call, ranks_, true};
    MpiBytes bytes(engine_, comm_, rank(), waiting);
    bytes.all_gather(&own, headers_.data(), sizeof(Header));
    bool is_same = true;
    for (const Header& other : headers_) is_same = is_same && other.hash == own.hash;
    if (!is_same) disagree(call, bytes);
  }

  [[noreturn]] void disagree(const Call& call, MpiBytes& bytes) {
    Notice& own = texts_[static_cast<std::size_t>(rank())];
    own.set(call.text);
    bytes.all_gather(&own, texts_.data(), sizeof(Notice));
    SortedMap<std::string, Vector<int>> by_text;
    for (std::size_t i = 0; i < texts_.size(); ++i) by_text[texts_[i].text].push_back(ranks_[i]);
    std::string listed;
    std::vector<std::pair<std::string, std::string>> facts;
    for (const auto& [what, ranks] : by_text) {
      facts.emplace_back(named_ranks(ranks), what);
      listed += text(listed.empty() ? "" : "; ", named_ranks(ranks), ": ", what);
    }
    engine_.fail(text("the ranks disagree: ", listed));
    throw RankError({.op = call.op,
                     .what = text("the ranks disagree about collective number ", calls_),
                     .facts = facts,
                     .rule = "all ranks run the same collectives in the same order, on tensors of "
                             "the same dtype and shape",
                     .fix = "look for an if or a loop that depends on the rank or its data, and "
                            "for batches of other sizes",
                     .where = call.where,
                     .see = "distributed"});
  }

  Engine& engine_;
  MPI_Comm comm_;
  Vector<int> ranks_{};       // in the World
  std::uint64_t calls_ = 0;   // the number of the last call
  Vector<Header> headers_{};  // memory that MPI may write to after a failure
  Vector<Notice> texts_{};
  Message message_{};
};

// Of this process; null before begin() and after end().
SINTER_INLINE Engine*& current_engine() {
  static Engine* engine = nullptr;
  return engine;
}
SINTER_INLINE bool& began_here() {
  static bool began = false;
  return began;
}

[[noreturn]] SINTER_INLINE void throw_no_world(std::string what, std::string fix, Where where) {
  throw ValueError({.op = "dist::World",
                    .what = std::move(what),
                    .facts = {},
                    .rule = "a process has one World, which lives as long as its collectives",
                    .fix = std::move(fix),
                    .where = where,
                    .see = "distributed"});
}

SINTER_INLINE SharedPtr<collective::Transport> begin(const Limits& limits, Where where) {
  if (current_engine() != nullptr) {
    throw_no_world("there is a World already", "pass that one on", where);
  }
  int is_initialized = 0, is_finalized = 0, level = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_finalized) {
    throw_no_world("MPI has ended, and cannot begin again", "keep one World in main()", where);
  }
  began_here() = !is_initialized;
  if (is_initialized) {
    MPI_Query_thread(&level);
  } else {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  }
  if (level < MPI_THREAD_SERIALIZED) {
    throw_no_world("MPI allows calls from one thread only",
                   "let World start MPI, or call MPI_Init_thread with MPI_THREAD_SERIALIZED",
                   where);
  }
  current_engine() = new Engine(limits);
  MPI_Comm comm{};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Engine& engine = *current_engine();
  return SharedPtr<collective::Transport>(
      make_shared_ptr<MpiGroup>(engine, comm, engine.rank(), engine.size()));
}

// Ends MPI; after a failure other ranks may never come here, so it does not wait long for them.
SINTER_INLINE void finalize(bool is_healthy) {
  if (is_healthy) {
    MPI_Finalize();
    return;
  }
  auto is_done = make_shared_ptr<std::atomic<bool>>(false);
  std::thread([is_done] {
    MPI_Finalize();
    *is_done = true;
  }).detach();
  for (int i = 0; i < 100 && !*is_done; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

SINTER_INLINE void end(std::string_view failed) noexcept {
  Engine* const engine = current_engine();
  if (engine == nullptr) return;
  try {
    if (!failed.empty()) {
      const auto lock = engine->lock();
      engine->fail(text("rank ", engine->rank(), ": ", failed));
    } else if (engine->is_healthy()) {
      const Call call{hash_of("end").low, "the end of its World", "dist::World", Where()};
      collective::groups()[0]->run(call, [](collective::Bytes&) {});
      const auto lock = engine->lock();
      engine->flush(1);
    }
  } catch (const UserError&) {  // the other ranks have the same error
  }
  engine->stop();
  if (began_here() && !engine->is_poisoned()) finalize(engine->is_healthy());
  current_engine() = nullptr;  // never deleted: messages may be under way
}

}  // namespace sinter::inline SINTER_ABI::detail::mpi
