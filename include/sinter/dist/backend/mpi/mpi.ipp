#pragma once

#include <algorithm>  // std::min
#include <atomic>     // std::atomic
#include <chrono>     // std::chrono
#include <cstring>    // std::memmove
#include <thread>     // std::thread
#include <utility>    // std::move

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/text.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/dist/backend/mpi/launcher.hpp>
#include <sinter/dist/backend/mpi/mpi.hpp>

namespace sinter::inline SINTER_ABI::detail::mpi {

SINTER_INLINE std::size_t& largest_message() {
  static std::size_t bytes = std::size_t{1} << 30;
  return bytes;
}

// The byte transfers of one collective.
class MpiBytes : public collective::Bytes {
 public:
  MpiBytes(Engine& engine, MPI_Comm comm, int rank, const Waiting& waiting)
      : engine_(engine), comm_(comm), rank_(rank), waiting_(waiting) {}

  void all_gather(const void* in, void* out, std::size_t bytes) override {
    if (bytes * ranks() > largest_message()) {
      return all_gather(in, out, Vector<std::size_t>(ranks(), bytes));
    }
    const int count = static_cast<int>(bytes);
    const void* const own = static_cast<const char*>(out) + static_cast<std::size_t>(rank_) * bytes;
    MPI_Request request = MPI_REQUEST_NULL;
    engine_.check(MPI_Iallgather(in == own ? MPI_IN_PLACE : in, count, MPI_BYTE, out, count,
                                 MPI_BYTE, comm_, &request),
                  waiting_.call);
    engine_.finish(&request, 1, waiting_);
  }

  void all_gather(const void* in, void* out, Span<const std::size_t> bytes) override {
    const auto own = static_cast<std::size_t>(rank_);
    if (is_large(bytes)) {
      Vector<Piece> sent, received = pieces_of(static_cast<char*>(out), bytes);
      for (std::size_t i = 0; i < ranks(); ++i) {
        sent.push_back({static_cast<char*>(const_cast<void*>(in)), bytes[own]});
      }
      return send_pieces(sent, received);
    }
    const Blocks blocks = blocks_of(bytes);
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
    if (is_large(sent)) {  // on all ranks alike, which send the same number of bytes
      return send_pieces(pieces_of(static_cast<char*>(const_cast<void*>(in)), sent),
                         pieces_of(static_cast<char*>(out), received));
    }
    const Blocks from = blocks_of(sent), to = blocks_of(received);
    MPI_Request request = MPI_REQUEST_NULL;
    engine_.check(MPI_Ialltoallv(in, from.counts.data(), from.starts.data(), MPI_BYTE, out,
                                 to.counts.data(), to.starts.data(), MPI_BYTE, comm_, &request),
                  waiting_.call);
    engine_.finish(&request, 1, waiting_);
  }

  void broadcast(void* data, std::size_t bytes, int root) override {
    for (std::size_t begin = 0; begin < bytes; begin += largest_message()) {
      const std::size_t count = std::min(largest_message(), bytes - begin);
      MPI_Request request = MPI_REQUEST_NULL;
      engine_.check(MPI_Ibcast(static_cast<char*>(data) + begin, static_cast<int>(count), MPI_BYTE,
                               root, comm_, &request),
                    waiting_.call);
      engine_.finish(&request, 1, waiting_);
    }
  }

 private:
  struct Blocks {
    Vector<int> counts, starts;
  };

  // The bytes for one rank, or from it.
  struct Piece {
    char* data = nullptr;
    std::size_t bytes = 0;
  };

  std::size_t ranks() const { return waiting_.ranks.size(); }

  static bool is_large(Span<const std::size_t> bytes) {
    std::size_t total = 0;
    for (const std::size_t one : bytes) total += one;
    return total > largest_message();
  }

  static Vector<Piece> pieces_of(char* data, Span<const std::size_t> bytes) {
    Vector<Piece> result;
    for (const std::size_t one : bytes) {
      result.push_back({data, one});
      data += one;
    }
    return result;
  }

  // Sends sent[i] to rank i and receives received[i] from it, in messages of at most
  // largest_message() bytes.
  void send_pieces(const Vector<Piece>& sent, const Vector<Piece>& received) {
    Vector<MPI_Request> requests;
    const auto own = static_cast<std::size_t>(rank_);
    if (sent[own].bytes != 0 && sent[own].data != received[own].data) {
      std::memmove(received[own].data, sent[own].data, sent[own].bytes);
    }
    const auto post = [&](const Piece& piece, std::size_t rank, auto function) {
      for (std::size_t begin = 0; begin < piece.bytes; begin += largest_message()) {
        const std::size_t count = std::min(largest_message(), piece.bytes - begin);
        requests.push_back(MPI_REQUEST_NULL);
        engine_.check(function(piece.data + begin, static_cast<int>(count), MPI_BYTE,
                               static_cast<int>(rank), 0, comm_, &requests.back()),
                      waiting_.call);
      }
    };
    for (std::size_t i = 0; i < ranks(); ++i) {
      if (i != own) post(received[i], i, MPI_Irecv);
    }
    for (std::size_t i = 0; i < ranks(); ++i) {
      if (i != own) post(sent[i], i, MPI_Isend);
    }
    engine_.finish(requests.data(), static_cast<int>(requests.size()), waiting_);
  }

  Blocks blocks_of(Span<const std::size_t> bytes) const {
    Blocks result;
    std::size_t start = 0;
    for (const std::size_t one : bytes) {
      result.counts.push_back(static_cast<int>(one));
      result.starts.push_back(static_cast<int>(start));
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
    hashes_.resize(static_cast<std::size_t>(size));
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
    const auto lock = engine_.lock_in_order(call);
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
    const auto lock = engine_.lock_in_order(call);
    engine_.require_healthy(call);
    Message message{call.hash, bytes, {}};
    message.text.set(call.text);
    const Storage header = Storage::allocate(sizeof(message), cpu(), Where(), "a message");
    std::memcpy(header.data(), &message, sizeof(message));
    engine_.post(to, engine_.messages(), 0, header);
    for (std::size_t begin = 0; begin < bytes; begin += largest_message()) {
      const std::size_t count = std::min(largest_message(), bytes - begin);
      const Storage body = Storage::allocate(count, cpu(), Where(), "a message");
      std::memcpy(body.data(), static_cast<const char*>(data) + begin, count);
      engine_.post(to, engine_.messages(), 1, body);
    }
  }

  void receive(const Call& call, void* data, std::size_t bytes, int from) override {
    const auto lock = engine_.lock_in_order(call);
    engine_.require_healthy(call);
    engine_.set_state(text("waiting in ", call.text));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&message_, sizeof(message_), MPI_BYTE, from, 0, engine_.messages(), &request);
    engine_.finish(&request, 1, {call, {&from, 1}, true});
    if (message_.hash != call.hash || message_.bytes != bytes) {
      engine_.fail(text("rank ", from, " calls ", message_.text.text, "; rank ", rank(), " calls ",
                        call.text));
      engine_.throw_failed(call);
    }
    for (std::size_t begin = 0; begin < bytes; begin += largest_message()) {
      const std::size_t count = std::min(largest_message(), bytes - begin);
      MPI_Irecv(static_cast<char*>(data) + begin, static_cast<int>(count), MPI_BYTE, from, 1,
                engine_.messages(), &request);
      engine_.finish(&request, 1, {call, {&from, 1}});
    }
    engine_.set_state("computing");
  }

  // If another thread has locked the engine, that one attends to the ranks.
  void attend(const Call& call, double waited) override {
    const auto lock = engine_.try_lock();
    if (!lock.owns_lock()) return;
    engine_.set_state(waited < 0.5 ? "computing" : text("waiting for its GPU in ", call.text));
    engine_.attend({call, ranks_}, seconds_now() - waited, asked_);
  }

  void fail(std::string_view why) override {
    const auto lock = engine_.lock();
    engine_.fail(text("rank ", engine_.rank(), ": ", why));
  }

  SharedPtr<Transport> split(const Call& call, int color) override {
    MPI_Comm part{};
    run(call, [&](collective::Bytes&) {
      engine_.check(MPI_Comm_split(comm_, color, rank(), &part), call);
    });
    int place = 0, count = 1;
    MPI_Comm_rank(part, &place);
    MPI_Comm_size(part, &count);
    return SharedPtr<Transport>(make_shared_ptr<MpiGroup>(engine_, part, place, count));
  }

  // Called with the engine locked.
  void perform(const Call& call, FunctionRef<void(collective::Bytes&)> body) {
    engine_.require_healthy(call);
    engine_.set_state(text("waiting in ", call.text));
    agree(call);
    const Waiting waiting{call, ranks_};
    MpiBytes bytes(engine_, comm_, rank(), waiting);
    try {
      body(bytes);
    } catch (const std::exception& error) {  // other ranks wait for its bytes
      engine_.fail(text("rank ", rank(), " failed in ", call.text, ": ", error.what()));
      throw;
    }
    engine_.set_state("computing");
  }

 private:
  struct Message {
    std::uint64_t hash, bytes;
    Notice text;
  };

  // Compares the calls of all ranks. Throws RankError if they differ.
  void agree(const Call& call) {
    ++calls_;
    std::uint64_t& own = hashes_[static_cast<std::size_t>(rank())];
    own = call.hash;
    const Waiting waiting{call, ranks_, true};
    MpiBytes bytes(engine_, comm_, rank(), waiting);
    bytes.all_gather(&own, hashes_.data(), sizeof(own));
    for (const std::uint64_t other : hashes_) {
      if (other != own) disagree(call, bytes);
    }
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
                     .fix = "look for branches and loops that depend on the rank or its data, and "
                            "for batches of different sizes",
                     .where = call.where,
                     .see = "distributed"});
  }

  Engine& engine_;
  MPI_Comm comm_;
  Vector<int> ranks_{};      // in the World
  std::uint64_t calls_ = 0;  // the number of the last call
  double asked_ = 0;         // when attend() asked the other ranks last
  // MPI may write to these after a failure.
  Vector<std::uint64_t> hashes_{};
  Vector<Notice> texts_{};
  Message message_{};
};

// The engine of this process; null before begin() and after end().
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
                    .rule = "a process has one World, which must outlive its collectives",
                    .fix = std::move(fix),
                    .where = where,
                    .see = "distributed"});
}

// Without this, each of the processes would train alone, as rank 0 of 1.
SINTER_INLINE void require_known_launcher(Where where) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto launcher = foreign_launcher(size);
  if (!launcher) return;
  if (began_here()) MPI_Finalize();
  throw ValueError({.op = "dist::World",
                    .what = text(launcher->name, " started ", launcher->processes,
                                 " processes, but MPI finds only this one"),
                    .facts = {{"environment", text(launcher->variable, "=", launcher->processes)}},
                    .rule = "the launcher must work with the MPI of the program",
                    .fix = launcher->fix,
                    .where = where,
                    .see = "distributed"});
}

SINTER_INLINE SharedPtr<collective::Transport> begin(const Limits& limits, Where where) {
  if (current_engine() != nullptr) {
    throw_no_world("this process already has a World", "use that one", where);
  }
  int is_initialized = 0, is_finalized = 0, level = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_finalized) {
    throw_no_world("MPI was finalized and cannot start again", "keep one World in main()", where);
  }
  began_here() = !is_initialized;
  if (is_initialized) {
    MPI_Query_thread(&level);
  } else {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  }
  if (level < MPI_THREAD_SERIALIZED) {
    if (began_here()) MPI_Finalize();
    throw_no_world("MPI allows calls from one thread only",
                   "let World start MPI, or call MPI_Init_thread with MPI_THREAD_MULTIPLE", where);
  }
  require_known_launcher(where);
  current_engine() = new Engine(limits);
  MPI_Comm comm{};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Engine& engine = *current_engine();
  return SharedPtr<collective::Transport>(
      make_shared_ptr<MpiGroup>(engine, comm, engine.rank(), engine.size()));
}

SINTER_INLINE int local_rank() { return current_engine()->local_rank(); }

// Finalizes MPI. After a failure it waits at most 1 s, for other ranks may never do so.
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
  const auto fail = [&](std::string_view why) {
    const auto lock = engine->lock();
    engine->fail(text("rank ", engine->rank(), ": ", why));
  };
  try {
    if (!failed.empty()) {
      fail(failed);
    } else {
      const Call call{hash_of("end").low, "the end of its World", "dist::World", Where()};
      collective::groups()[0]->run(call, [](collective::Bytes&) {});
      const auto lock = engine->lock();
      engine->flush(1);
    }
  } catch (const ValueError&) {
    fail("its World ended while another thread ran a collective");
  } catch (...) {  // the other ranks get the same error
  }
  engine->stop();
  if (began_here() && !engine->is_poisoned()) finalize(engine->is_healthy());
  current_engine() = nullptr;
  if (engine->is_healthy()) {
    delete engine;
    return;
  }
  // Kept for the rest of the process: MPI may still write to their memory.
  static const auto& failed_engine = *engine;
  static const auto& failed_groups =
      *new Vector<SharedPtr<collective::Transport>>(collective::groups());
  static_cast<void>(failed_engine), static_cast<void>(failed_groups);
}

}  // namespace sinter::inline SINTER_ABI::detail::mpi
