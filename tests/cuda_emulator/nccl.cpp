// The functions of NCCL, and what they do on streams.

#include "nccl.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include <sinter/base/text.hpp>

#include "machine.hpp"
#include "reports.hpp"

namespace emulator {

namespace {

namespace fs = std::filesystem;
using sinter::detail::text;
using sinter::detail::nccl::Config;
using sinter::detail::nccl::Functions;
using sinter::detail::nccl::UniqueId;
using Handle = void*;
using Kind = NcclCall::Kind;
using Clock = std::chrono::steady_clock;

constexpr int system_error = 2, launch_failed = 719;
constexpr std::chrono::seconds patience{120};

struct Comm {
  fs::path folder{};
  int rank = 0, size = 1, device = 0;
  bool blocks = true, is_ready = false;
  std::atomic<bool> is_aborted{false};
  int pending = 0;           // how often async_error() still gives in_progress
  std::uint64_t number = 0;  // of collectives that ran
  std::map<int, std::uint64_t> sent{}, received{};
};

std::map<Handle, std::shared_ptr<Comm>>& comms() {
  static auto& instance = *new std::map<Handle, std::shared_ptr<Comm>>;
  return instance;
}

std::shared_ptr<Comm> find(Handle handle) {
  const auto found = comms().find(handle);
  return found == comms().end() ? nullptr : found->second;
}

int refuse(const std::string& what) {
  add_report("NCCL: " + what);
  return Functions::invalid_usage;
}

// Files appear whole.
void post(const Comm& comm, const std::string& name, const std::vector<char>& data) {
  const fs::path partial = comm.folder / (name + ".partial");
  std::ofstream(partial, std::ios::binary)
      .write(data.data(), static_cast<std::streamsize>(data.size()));
  fs::rename(partial, comm.folder / name);
}

std::optional<std::vector<char>> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

// Polls until `is_done`; false if the communicator is aborted, or nobody comes. The worker holds
// the mutex of the machine, and others may use the machine meanwhile.
template <class Done>
bool await(const Comm& comm, Done is_done) {
  const auto begin = Clock::now();
  while (!is_done()) {
    if (comm.is_aborted) return false;
    if (Clock::now() - begin > patience) {
      add_report("NCCL: waited too long for a rank");
      return false;
    }
    pause_machine();
  }
  return true;
}

// What all ranks must agree on, before the elements.
struct Header {
  int kind = 0, type = 0, reduction = 0, peer = 0;
  std::uint64_t count = 0;
};

Header header_of(const NcclCall& call) {
  return {static_cast<int>(call.kind), call.type, call.reduction, call.peer, call.count};
}

std::string described(const Header& one) {
  constexpr const char* names[]{"ncclAllReduce", "ncclReduce", "ncclBroadcast", "ncclReduceScatter",
                                "ncclAllGather", "ncclSend",   "ncclRecv"};
  return text(names[one.kind], " of ", one.count, " elements of type ", one.type, ", reduction ",
              one.reduction, ", root ", one.peer);
}

std::size_t operand_count(const NcclCall& call, const Comm& comm) {
  const bool is_divided = call.kind == Kind::reduce_scatter;
  return call.count * static_cast<std::size_t>(is_divided ? comm.size : 1);
}

std::size_t result_count(const NcclCall& call, const Comm& comm) {
  if (call.kind == Kind::reduce && call.peer != comm.rank) return 0;
  const bool is_gathered = call.kind == Kind::all_gather;
  return call.count * static_cast<std::size_t>(is_gathered ? comm.size : 1);
}

Address address(const void* pointer) { return reinterpret_cast<Address>(pointer); }

// What a kernel leaves that is told to end.
int lose(const NcclCall& call, const Comm& comm) {
  const std::size_t bytes = result_count(call, comm) * nccl_element_bytes(call.type);
  return bytes == 0 || call.out == nullptr ? 0 : set_device(address(call.out), 0xff, 1, bytes);
}

using Parts = std::vector<std::vector<char>>;

// What this rank gives, behind what all ranks must agree on.
int read_operand(const NcclCall& call, const Comm& comm, std::vector<char>& own) {
  const bool gives = call.kind != Kind::broadcast || call.peer == comm.rank;
  const std::size_t count = gives ? operand_count(call, comm) : 0;
  const std::size_t bytes = count * nccl_element_bytes(call.type);
  const Header header = header_of(call);
  own.resize(sizeof(Header) + bytes);
  std::memcpy(own.data(), &header, sizeof(header));
  return bytes == 0 ? 0 : read_device(own.data() + sizeof(header), address(call.in), bytes);
}

enum class Gathered { all, aborted, mismatch };

// What all ranks give for collective `number`.
Gathered gather(const NcclCall& call, const Comm& comm, std::uint64_t number, Parts& parts) {
  const Header header = header_of(call);
  for (int rank = 0; rank < comm.size; ++rank) {
    std::optional<std::vector<char>> one;
    const fs::path path = comm.folder / text(number, ".", rank);
    if (!await(comm, [&] { return (one = read(path)).has_value(); })) return Gathered::aborted;
    Header other;
    std::memcpy(&other, one->data(), sizeof(other));
    if (std::memcmp(&other, &header, sizeof(header)) != 0) {
      add_report(text("NCCL: rank ", comm.rank, " runs ", described(header), ", rank ", rank, " ",
                      described(other)));
      return Gathered::mismatch;
    }
    parts.emplace_back(one->begin() + sizeof(other), one->end());
  }
  return Gathered::all;
}

std::vector<char> result_of(const NcclCall& call, const Comm& comm, const Parts& parts) {
  if (call.kind == Kind::broadcast) return parts[static_cast<std::size_t>(call.peer)];
  std::vector<char> result;
  if (call.kind == Kind::all_gather) {
    for (const auto& part : parts) result.insert(result.end(), part.begin(), part.end());
    return result;
  }
  result = nccl_reduced(parts, operand_count(call, comm), call.type, call.reduction);
  if (call.kind != Kind::reduce_scatter) return result;
  const auto part = static_cast<std::ptrdiff_t>(call.count * nccl_element_bytes(call.type));
  const auto first = result.begin() + part * comm.rank;
  return {first, first + part};
}

int run_collective(const NcclCall& call, Comm& comm) {
  std::vector<char> own;
  if (const int error = read_operand(call, comm, own); error != 0) return error;
  const std::uint64_t number = comm.number++;
  post(comm, text(number, ".", comm.rank), own);
  Parts parts;
  const Gathered gathered = gather(call, comm, number, parts);
  if (gathered == Gathered::aborted) return lose(call, comm);
  if (gathered == Gathered::mismatch) return launch_failed;
  if (number > 0) fs::remove(comm.folder / text(number - 1, ".", comm.rank));
  const std::size_t bytes = result_count(call, comm) * nccl_element_bytes(call.type);
  return bytes == 0 ? 0
                    : write_device(address(call.out), result_of(call, comm, parts).data(), bytes);
}

fs::path message(const Comm& comm, int from, int to, std::uint64_t number) {
  return comm.folder / text("message.", from, ".", to, ".", number);
}

int run_send(const NcclCall& call, Comm& comm) {
  std::vector<char> data(call.count * nccl_element_bytes(call.type));
  if (!data.empty()) {
    const int error = read_device(data.data(), address(call.in), data.size());
    if (error != 0) return error;
  }
  const std::uint64_t number = comm.sent[call.peer]++;
  post(comm, message(comm, comm.rank, call.peer, number).filename(), data);
  return 0;
}

int run_receive(const NcclCall& call, Comm& comm) {
  const fs::path path = message(comm, call.peer, comm.rank, comm.received[call.peer]++);
  std::optional<std::vector<char>> data;
  if (!await(comm, [&] { return (data = read(path)).has_value(); })) return lose(call, comm);
  fs::remove(path);
  if (data->size() != call.count * nccl_element_bytes(call.type)) {
    add_report(text("NCCL: rank ", comm.rank, " receives ", call.count, " elements of type ",
                    call.type, ", rank ", call.peer, " sends ", data->size(), " bytes"));
    return launch_failed;
  }
  return data->empty() ? 0 : write_device(address(call.out), data->data(), data->size());
}

// A sender waits for its receivers, as that of NCCL may.
bool await_receivers(const std::vector<NcclCall>& calls, const Comm& comm) {
  for (const NcclCall& call : calls) {
    if (call.kind != Kind::send) continue;
    const fs::path last = message(comm, comm.rank, call.peer, comm.sent.at(call.peer) - 1);
    if (!await(comm, [&] { return !fs::exists(last); })) return false;
  }
  return true;
}

int run_calls(const std::vector<NcclCall>& calls, const std::shared_ptr<Comm>& comm) {
  if (comm->is_aborted) {
    for (const NcclCall& call : calls) lose(call, *comm);
    return 0;
  }
  const bool is_known =
      std::any_of(comms().begin(), comms().end(), [&](auto& one) { return one.second == comm; });
  if (!is_known) {
    refuse("a graph runs a communicator that was destroyed");
    return launch_failed;
  }
  nccl_work().ran += calls.size();
  for (const NcclCall& call : calls) {
    if (call.kind != Kind::send) continue;
    if (const int error = run_send(call, *comm); error != 0) return error;
  }
  for (const NcclCall& call : calls) {
    if (call.kind == Kind::send) continue;
    const int error =
        call.kind == Kind::receive ? run_receive(call, *comm) : run_collective(call, *comm);
    if (error != 0) return error;
  }
  await_receivers(calls, *comm);
  return 0;
}

// The group of calls that this thread has begun.
struct OpenGroup {
  int depth = 0;
  std::shared_ptr<Comm> comm{};
  Handle stream = nullptr;
  std::vector<NcclCall> calls{};
};

OpenGroup& open_group() {
  static thread_local OpenGroup group;
  return group;
}

int submit(OpenGroup group) {
  if (group.calls.empty()) return 0;
  const std::scoped_lock lock(machine().mutex);
  Stream* const stream = stream_of(group.stream);
  if (stream == nullptr || stream->device != group.comm->device) {
    return refuse("a stream of another GPU than that of the communicator");
  }
  const auto run = [calls = group.calls, comm = group.comm] { return run_calls(calls, comm); };
  if (stream->capture != nullptr) {
    ++nccl_work().captured;
    if (capture(*stream, {.library = run, .library_name = "NCCL"}) != 0) return system_error;
  } else {
    ++nccl_work().enqueued;
    enqueue(*stream, run);
  }
  if (group.comm->blocks) return 0;
  group.comm->pending = 2;
  return Functions::in_progress;
}

// Why the elements cannot be used; "" if they can.
std::string misuse_of(const void* elements, std::size_t bytes, bool read) {
  const Arena* const arena = machine().arena_of(address(elements));
  if (bytes == 0) return "";
  if (arena == nullptr) return "memory that is not that of a GPU: " + where(address(elements));
  if (arena->holds(address(elements), bytes, false)) return "";
  return text(read ? "reads " : "writes ", bytes, " bytes at ", where(address(elements)));
}

std::string misuse_of(const NcclCall& call, const Comm& comm) {
  const std::size_t element = nccl_element_bytes(call.type);
  if (element == 0) return text("there is no type ", call.type);
  if (call.reduction < Functions::sum || call.reduction > Functions::mean) {
    return text("there is no reduction ", call.reduction);
  }
  if (call.peer < 0 || call.peer >= comm.size) return text("there is no rank ", call.peer);
  const bool takes =
      call.kind != Kind::receive && (call.kind != Kind::broadcast || call.peer == comm.rank);
  std::string result;
  if (takes) result = misuse_of(call.in, operand_count(call, comm) * element, true);
  const bool gives = call.kind != Kind::send;
  if (!gives || !result.empty()) return result;
  return misuse_of(call.out, result_count(call, comm) * element, false);
}

int add(const NcclCall& call, Handle handle, Handle stream) {
  const std::scoped_lock lock(machine().mutex);
  const std::shared_ptr<Comm> comm = find(handle);
  if (comm == nullptr) return refuse("a communicator that is none, or was destroyed");
  if (!comm->is_ready) return refuse("a communicator that is not ready");
  if (comm->pending != 0) return refuse("a communicator whose last call is in progress");
  if (const std::string misuse = misuse_of(call, *comm); !misuse.empty()) {
    return refuse(text(described(header_of(call)), ": ", misuse));
  }
  OpenGroup& group = open_group();
  const bool is_other = group.comm != nullptr && (group.comm != comm || group.stream != stream);
  if (is_other) return refuse("a group with several communicators or streams is not emulated");
  group.comm = comm;
  group.stream = stream;
  group.calls.push_back(call);
  if (group.depth != 0) return 0;
  return submit(std::exchange(group, {}));
}

int group_start() {
  ++open_group().depth;
  return 0;
}

int group_end() {
  if (open_group().depth == 0) return refuse("the end of a group that was not begun");
  if (--open_group().depth != 0) return 0;
  return submit(std::exchange(open_group(), {}));
}

int unique_id(UniqueId* id) {
  static std::atomic<int> count = 0;
  const std::string name =
      text(getpid(), ".", ++count, ".", Clock::now().time_since_epoch().count());
  std::snprintf(id->bytes, sizeof(id->bytes), "%s", name.c_str());
  return 0;
}

bool is_joined(const Comm& comm) {
  for (int rank = 0; rank < comm.size; ++rank) {
    if (!fs::exists(comm.folder / text("rank.", rank))) return false;
  }
  return true;
}

int create(Handle* result, int ranks, UniqueId id, int rank, Config* config) {
  const std::scoped_lock lock(machine().mutex);
  if (config->magic != 0xcafebeef || config->size < 20) return refuse("a config that is none");
  if (rank < 0 || rank >= ranks) return refuse(text("rank ", rank, " of ", ranks));
  if (machine().current() == nullptr) return refuse("no GPU is current");
  auto comm = std::make_shared<Comm>();
  comm->folder = fs::temp_directory_path() / text("sinter_nccl.", id.bytes);
  comm->rank = rank, comm->size = ranks;
  comm->device = machine().current()->arena.device();
  comm->blocks = config->blocking != 0;
  fs::create_directories(comm->folder);
  post(*comm, text("rank.", rank), {});
  *result = comm.get();
  comms()[*result] = comm;
  ++nccl_work().communicators;
  start_worker();
  if (!comm->blocks) return Functions::in_progress;
  comm->is_ready = await(*comm, [&] { return is_joined(*comm); });
  return comm->is_ready ? 0 : system_error;
}

int async_error(Handle handle, int* status) {
  const std::scoped_lock lock(machine().mutex);
  const std::shared_ptr<Comm> comm = find(handle);
  if (comm == nullptr) return refuse("asked for the error of no communicator");
  if (!comm->is_ready) comm->is_ready = is_joined(*comm);
  if (comm->pending > 0) --comm->pending;
  *status = comm->is_ready && comm->pending == 0 ? 0 : Functions::in_progress;
  return 0;
}

// Removes what this rank posted, when all ranks have read it.
void leave(const Comm& comm) {
  post(comm, text("end.", comm.rank), {});
  const auto begin = Clock::now();
  const auto all_ended = [&] {
    for (int rank = 0; rank < comm.size; ++rank) {
      if (!fs::exists(comm.folder / text("end.", rank)) && fs::exists(comm.folder)) return false;
    }
    return true;
  };
  while (!all_ended() && Clock::now() - begin < std::chrono::seconds(2)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::error_code ignored;  // the last rank that ends finds nothing more
  if (comm.rank == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    fs::remove_all(comm.folder, ignored);
  }
}

int destroy(Handle handle) {
  std::shared_ptr<Comm> comm;
  {
    const std::scoped_lock lock(machine().mutex);
    comm = find(handle);
    if (comm == nullptr) return refuse("destroyed what is no communicator, or twice");
    comms().erase(handle);
  }
  leave(*comm);
  return 0;
}

// Kernels that wait end.
int abort_comm(Handle handle) {
  const std::scoped_lock lock(machine().mutex);
  const std::shared_ptr<Comm> comm = find(handle);
  if (comm == nullptr) return refuse("aborted what is no communicator");
  comm->is_aborted = true;
  comms().erase(handle);
  return 0;
}

const char* error_string(int status) {
  return status == Functions::invalid_usage ? "invalid usage"
         : status == system_error           ? "unhandled system error"
         : status == Functions::in_progress ? "NCCL operation in progress"
                                            : "internal error";
}

void fill_communicators(Functions& table) {
  table.version = [](int* version) { return *version = 22700, 0; };
  table.error_string = error_string;
  table.last_error = [](Handle) { return ""; };
  table.unique_id = unique_id;
  table.create = create;
  table.destroy = destroy;
  table.abort = abort_comm;
  table.async_error = async_error;
  table.group_start = group_start;
  table.group_end = group_end;
}

void fill_collectives(Functions& table) {
  table.all_reduce = [](const void* in, void* out, std::size_t count, int type, int reduction,
                        Handle comm, Handle stream) {
    return add({Kind::all_reduce, in, out, count, type, reduction}, comm, stream);
  };
  table.reduce = [](const void* in, void* out, std::size_t count, int type, int reduction, int root,
                    Handle comm, Handle stream) {
    return add({Kind::reduce, in, out, count, type, reduction, root}, comm, stream);
  };
  table.broadcast = [](const void* in, void* out, std::size_t count, int type, int root,
                       Handle comm, Handle stream) {
    return add({Kind::broadcast, in, out, count, type, 0, root}, comm, stream);
  };
  table.reduce_scatter = [](const void* in, void* out, std::size_t count, int type, int reduction,
                            Handle comm, Handle stream) {
    return add({Kind::reduce_scatter, in, out, count, type, reduction}, comm, stream);
  };
  table.all_gather = [](const void* in, void* out, std::size_t count, int type, Handle comm,
                        Handle stream) {
    return add({Kind::all_gather, in, out, count, type}, comm, stream);
  };
}

void fill_messages(Functions& table) {
  table.send = [](const void* in, std::size_t count, int type, int to, Handle comm, Handle stream) {
    return add({Kind::send, in, nullptr, count, type, 0, to}, comm, stream);
  };
  table.receive = [](void* out, std::size_t count, int type, int from, Handle comm, Handle stream) {
    return add({Kind::receive, nullptr, out, count, type, 0, from}, comm, stream);
  };
}

const Functions*& table_before() {
  static const Functions* table = nullptr;
  return table;
}

void begin() {
  nccl_work() = {};
  table_before() = sinter::detail::nccl::replace_library(&nccl_table());
}

void end() {
  sinter::detail::nccl::replace_library(table_before());
  CHECK_MESSAGE(comms().empty(), "a communicator was not given back");
  comms().clear();
}

const bool is_registered = (extensions().push_back({begin, end}), true);

}  // namespace

NcclWork& nccl_work() {
  static NcclWork work;
  return work;
}

const Functions& nccl_table() {
  static const Functions instance = [] {
    Functions table;
    fill_communicators(table);
    fill_collectives(table);
    fill_messages(table);
    return table;
  }();
  return instance;
}

}  // namespace emulator
