#pragma once

#include <algorithm>     // std::max
#include <atomic>        // std::atomic
#include <chrono>        // std::chrono::steady_clock
#include <exception>     // std::current_exception, std::exception_ptr, std::rethrow_exception
#include <system_error>  // std::system_error
#include <thread>        // std::thread

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/time/phase.hpp>
#include <sinter/base/verify.hpp>
#include <sinter/compile/cache/compiler_search.hpp>
#include <sinter/compile/cache/environment.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/compile/host/compiler.hpp>
#include <sinter/compile/unit/gpu_compiler.hpp>
#include <sinter/compile/unit/partition.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// The environment of the record of the last compiler, for processes without a compiler.
inline constexpr std::string_view last_compiler = "last compiler 1";

SINTER_INLINE void warn_no_compiler() {
  static auto& warned = *new std::atomic<bool>(false);
  if (warned.exchange(true)) return;
  warn(text("no C++ compiler: ", host_compiler_missing(),
            "; running without compiled kernels, which is slow. Install g++ or clang++, or set "
            "SINTER_CXX"));
}

// One call of load_or_compile.
class Request {
 public:
  explicit Request(const TranslationUnit& unit);
  ~Request() { store_.release(keys_, claimed_); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  bool provide(CompileStats& work);
  Optional<Vector<LoadedKernel>> collect();

 private:
  bool can_compile() const { return unit_.language == Language::cuda || host_ != nullptr; }
  bool find_stored(std::size_t index) const;
  void load_and_store(const Vector<Member>& members, std::string_view bytes) const;
  void compile_gpu_runs(const TranslationUnit& part, const Vector<UnitText>& runs) const;
  void compile_host_runs(const TranslationUnit& part, const Vector<UnitText>& runs) const;
  void remember_compiler() const;
  std::int64_t compile(const Vector<std::size_t>& wanted) const;

  const TranslationUnit& unit_;
  KernelStore& store_ = KernelStore::instance();
  SharedPtr<DiskCache> disk_ = store_.disk();
  SharedPtr<const HostCompiler> host_{};
  std::string machine_{}, compiler_{}, environment_{};
  Vector<Hash> keys_{};
  Vector<std::size_t> claimed_{};
};

SINTER_INLINE Request::Request(const TranslationUnit& unit)
    : unit_(unit), machine_(machine_of(unit)) {
  if (unit.language == Language::cuda) {
    compiler_ = gpu_compiler().identity();
  } else if ((host_ = host_compiler(*disk_)) != nullptr) {
    compiler_ = text(host_->identity, " ", host_flags(*host_, unit));
  } else if (const auto known = disk_->load(last_compiler, hash_of(machine_))) {
    compiler_ = known->payload;
  }
  environment_ = text(machine_, compiler_line, compiler_);
  for (const Source& kernel : unit.kernels) keys_.push_back(full_key(environment_, kernel.key));
}

SINTER_INLINE bool Request::find_stored(std::size_t index) const {
  const Hash& key = unit_.kernels[index].key;
  SharedPtr<const CacheEntry> entry = store_.imported(full_key(machine_, key));
  if (entry != nullptr) {
    CacheEntry here = *entry;
    here.environment = environment_;
    entry = make_shared_ptr<const CacheEntry>(std::move(here));
  } else if (auto stored = disk_->load(environment_, key)) {
    entry = make_shared_ptr<const CacheEntry>(std::move(*stored));
  }
  try {
    return entry != nullptr && store_.add(entry, unit_.language);
  } catch (const InternalError& error) {  // an entry that does not load counts as missing
    log(Log::cache, error.what());
    return false;
  }
}

// Loads the output of a compiler and stores it on disk.
SINTER_INLINE void Request::load_and_store(const Vector<Member>& members,
                                           std::string_view bytes) const {
  CacheEntry entry{.environment = environment_, .payload = to_payload(members, bytes)};
  for (const Member& member : members) entry.keys.push_back(member.key);
  const auto shared = make_shared_ptr<const CacheEntry>(std::move(entry));
  if (!store_.add(shared, unit_.language)) {
    throw InternalError("a generated text does not define the function that it is named after");
  }
  disk_->store(*shared);
}

SINTER_INLINE void Request::compile_gpu_runs(const TranslationUnit& part,
                                             const Vector<UnitText>& runs) const {
  Vector<std::exception_ptr> errors(runs.size());
  const auto compile = [&](std::size_t i) noexcept {
    try {
      load_and_store(runs[i].members, gpu_compiler().compile(part, runs[i].text));
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  {
    struct JoinedThreads {
      ~JoinedThreads() {
        for (std::thread& thread : all) thread.join();
      }
      Vector<std::thread> all{};
    } threads;
    threads.all.reserve(runs.size());
    for (std::size_t i = 1; i < runs.size(); ++i) {
      try {
        threads.all.emplace_back(compile, i);
      } catch (const std::system_error&) {
        compile(i);  // there are no more threads
      }
    }
    compile(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
}

SINTER_INLINE void Request::compile_host_runs(const TranslationUnit& part,
                                              const Vector<UnitText>& runs) const {
  Vector<std::string_view> texts;
  Vector<Member> members;
  for (const UnitText& run : runs) {
    texts.push_back(run.text);
    members.insert(members.end(), run.members.begin(), run.members.end());
  }
  load_and_store(members, compile_host(*host_, part, texts));
}

// Records the compiler, so that processes without one can load its kernels from disk.
SINTER_INLINE void Request::remember_compiler() const {
  const Hash key = hash_of(machine_);
  const auto known = disk_->load(last_compiler, key);
  if (known && known->payload == compiler_) return;
  disk_->store({.environment = std::string(last_compiler), .keys = {key}, .payload = compiler_});
}

// Compiles `wanted` in parallel compiler runs; returns their number.
SINTER_INLINE std::int64_t Request::compile(const Vector<std::size_t>& wanted) const {
  TranslationUnit part{.language = unit_.language, .prelude = unit_.prelude};
  part.architecture = unit_.architecture;
  part.contraction = unit_.contraction;
  part.vectors = unit_.vectors;
  for (const std::size_t index : wanted) part.kernels.push_back(unit_.kernels[index]);
  const Vector<UnitText> runs =
      split_into_runs(part, std::max(std::thread::hardware_concurrency(), 1u));
  if (unit_.language == Language::cuda) {
    compile_gpu_runs(part, runs);
  } else {
    compile_host_runs(part, runs);
    remember_compiler();
  }
  return static_cast<std::int64_t>(runs.size());
}

// Loads or compiles the kernels that no other thread is loading; false if there is no compiler.
SINTER_INLINE bool Request::provide(CompileStats& work) {
  claimed_ = store_.claim(keys_);
  Vector<std::size_t> missing;
  for (const std::size_t index : claimed_) {
    if (store_.contains(keys_[index]) || find_stored(index)) {
      ++work.disk_hits;
    } else {
      missing.push_back(index);
    }
  }
  if (!missing.empty() && !can_compile()) {
    warn_no_compiler();
    return false;
  }
  if (!missing.empty()) {
    work.compiler_runs += compile(missing);
    work.kernels_compiled += static_cast<std::int64_t>(missing.size());
  }
  store_.release(keys_, std::exchange(claimed_, {}));
  return true;
}

// Waits for kernels that other threads are loading; nullopt if one of them failed.
SINTER_INLINE Optional<Vector<LoadedKernel>> Request::collect() { return store_.wait_for(keys_); }

}  // namespace detail

SINTER_INLINE SharedPtr<const Module> load_or_compile(const TranslationUnit& unit) {
  const PhaseScope phase(CallPhase::load);
  const auto start = std::chrono::steady_clock::now();
  detail::Request request(unit);
  CompileStats work;
  Optional<Vector<LoadedKernel>> kernels;
  while (!kernels) {  // retry if another thread failed to load a kernel
    if (!request.provide(work)) return nullptr;
    kernels = request.collect();
  }
  work.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  KernelStore::instance().count(work);
  log(Log::cache, text(quantity(unit.kernels.size(), "kernel"), ": ", work.kernels_compiled,
                       " compiled, ", work.disk_hits, " from disk, ", work.seconds * 1e3, " ms"));
  std::vector<std::string> names;
  for (const Source& kernel : unit.kernels) names.push_back(kernel.name);
  return make_shared_ptr<const Module>(std::move(*kernels), std::move(names), work);
}

SINTER_INLINE CompileStats total_compile_stats() { return KernelStore::instance().total(); }

SINTER_INLINE void forget_kernels() { KernelStore::instance().forget(); }

SINTER_INLINE std::string set_cache_directory(std::string directory) {
  return KernelStore::instance().set_directory(std::move(directory));
}

SINTER_INLINE FreshCache::FreshCache() {
  KernelStore::Content fresh;
  fresh.directory = directory_.path().empty() ? "/dev/null/sinter" : directory_.path();
  before_ = KernelStore::instance().exchange(std::move(fresh));
}

SINTER_INLINE FreshCache::~FreshCache() { KernelStore::instance().exchange(std::move(before_)); }

}  // namespace sinter::inline SINTER_ABI::detail::compiler
