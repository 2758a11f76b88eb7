#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/device/host/gpu.hpp>
#include <sinter/graph/canonical.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/lower/host_target.hpp>
#include <sinter/jit/lower/partition.hpp>
#include <sinter/jit/lower/program_cache.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

struct SharedProgram {
  SharedPtr<const Program> program{};
  Hash graph{};                          // hash of its graph with symbols, under SINTER_VERIFY
  WeakPtr<const Program> users{};        // for a GPU: the pointer that lower() returned to users
};

struct ProgramCache {
  ProcessMutex mutex;
  HashMap<Hash, SharedProgram, HashOfHash> programs;
};

SINTER_INLINE ProgramCache& program_cache() {
  static auto& cache = *new ProgramCache;
  return cache;
}

// What the users of a GPU program own. With the last of them it destroys the program's CUDA Graphs,
// which nobody launches any more. The program itself stays cached: it is not compiled again.
struct ProgramUsers {
  ProgramUsers(const Hash& key_of_program, SharedPtr<const Program> cached)
      : key(key_of_program), program(std::move(cached)) {}
  ProgramUsers(const ProgramUsers&) = delete;
  ~ProgramUsers() {
    runtime::GpuReplays graphs;  // outlive the lock, since they may wait for the GPU
    ProgramCache& cache = program_cache();
    const std::lock_guard lock(cache.mutex);
    const auto known = cache.programs.find(key);
    const bool is_there = known != cache.programs.end() && known->second.program == program;
    if (is_there && known->second.users.expired()) graphs = program->take_graphs();
  }
  Hash key;
  SharedPtr<const Program> program;
};

// The pointer for one more user. The caller holds the mutex of the cache.
SINTER_INLINE SharedPtr<const Program> add_user(const Hash& key, SharedProgram& shared) {
  if (shared.program->device().is_cpu()) return shared.program;
  SharedPtr<const Program> result = shared.users.lock();
  if (result != nullptr) return result;
  result = {make_shared_ptr<ProgramUsers>(key, shared.program).owner(), shared.program.get()};
  shared.users = result;
  return result;
}

SINTER_INLINE void add_names(Hasher& hasher, const Node& node) {
  const bool can_fault = node.op == Op::gather || node.op == Op::scatter_add ||
                         node.op == Op::floor_divide || node.op == Op::remainder;
  if (!can_fault) return;
  hasher.add(called_function(node).name).add(node.path == nullptr ? "" : *node.path);
}

SINTER_INLINE void add_lines(Hasher& hasher, const Graph& graph) {
  for (const Node& node : graph.nodes) {
    hasher.add(node.where.file_name()).add(node.where.line());
    add_names(hasher, node);
    for (const Graph& body : node.bodies) add_lines(hasher, body);
  }
}

// Source lines are part of the key, because errors about invalid data name them.
SINTER_INLINE CanonicalHash program_key(const Graph& graph, const LowerOptions& options) {
  CanonicalHash result = canonical_hash(graph);
  Hasher hasher;
  hasher.add(result.hash);
  add_lines(hasher, graph);
  if (needs_partition(graph, options)) add_regions(hasher, graph);
  for (const std::string& name : options.interpreted) hasher.add(name);
  hasher.add(static_cast<std::uint64_t>(options.backend));
  hasher.add(static_cast<std::uint64_t>(options.numerics));
  hasher.add(static_cast<std::uint64_t>(options.tunes));
  hasher.add(static_cast<std::uint64_t>(options.memory_bytes));
  hasher.add(static_cast<std::uint64_t>(host_vector_bits()));
  if (options.device.is_cuda()) {
    const GpuBackend& gpus = gpus_for(options.device, Where::current());
    hasher.add(to_string(options.device)).add(static_cast<std::uint64_t>(options.graphs));
    hasher.add(static_cast<std::uint64_t>(gpus.most_argument_bytes()));
  }
  for (const schedule::Update& update : options.updates) {
    hasher.add(static_cast<std::uint64_t>(update.input));
    hasher.add(static_cast<std::uint64_t>(update.output));
  }
  result.hash = hasher.result();
  return result;
}

// SINTER_VERIFY: throws unless `shared` was compiled from `graph`, whose symbols are canonical.
SINTER_INLINE void require_same_graph(const SharedProgram& shared, const Graph& graph) {
  require_shared(shared.graph, hash_with_symbols(graph),
                 "graphs with different symbols share a program\n", graph);
}

SINTER_INLINE SharedPtr<const Program> find_program(const CanonicalHash& key, const Graph& graph) {
  ProgramCache& cache = program_cache();
  const std::lock_guard lock(cache.mutex);
  const auto known = cache.programs.find(key.hash);
  if (known == cache.programs.end()) return nullptr;
  if (verifies()) require_same_graph(known->second, with_canonical_symbols(graph, key.symbols));
  return add_user(key.hash, known->second);
}

SINTER_INLINE SharedPtr<const Program> keep_program(const Hash& key, const Graph& graph,
                                                    SharedPtr<const Program> program) {
  SharedProgram shared{std::move(program)};
  if (verifies()) shared.graph = hash_with_symbols(graph);
  ProgramCache& cache = program_cache();
  const std::lock_guard lock(cache.mutex);
  return add_user(key, cache.programs.try_emplace(key, std::move(shared)).first->second);
}

}  // namespace detail

SINTER_INLINE SharedPtr<const Program> known_program(const Graph& graph,
                                                     const LowerOptions& options) {
  if (options.custom != nullptr) return nullptr;
  return detail::find_program(detail::program_key(graph, options), graph);
}

SINTER_INLINE void forget_programs() {
  detail::ProgramCache& cache = detail::program_cache();
  const std::lock_guard lock(cache.mutex);
  cache.programs.clear();
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
