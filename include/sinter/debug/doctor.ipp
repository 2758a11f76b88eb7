#pragma once

#include <sched.h>        // sched_getaffinity
#include <sys/stat.h>     // stat
#include <sys/utsname.h>  // uname
#include <unistd.h>       // geteuid, environ

#include <algorithm>  // std::min
#include <chrono>     // std::chrono::steady_clock
#include <cstring>    // std::strerror

#include <sinter/base/env.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/compile/cache/compiler_search.hpp>
#include <sinter/compile/cache/kernel_store.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/compile/host/compiler.hpp>
#include <sinter/compile/host/process.hpp>
#include <sinter/compile/unit/binary.hpp>
#include <sinter/debug/doctor.hpp>
#include <sinter/debug/machine/system.hpp>
#include <sinter/device/host/gpu.hpp>
#include <sinter/jit/lower/host_target.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::debug {

using State = Finding::State;

// What the findings share, and the findings so far.
struct Examination {
  std::string os_release = small_file("/etc/os-release");
  bool root = geteuid() == 0;
  compiler::HostCompiler host{};
  bool has_host = false;
  Doctor result{};

  void add(State state, std::string topic, std::string found, std::string fix = "") {
    result.findings.push_back({state, std::move(topic), std::move(found), std::move(fix)});
  }
};

// The first `count` lines of `lines`, each but the first indented by the caller.
SINTER_INLINE std::string first_lines(std::string_view lines, int count) {
  std::size_t end = 0;
  while (end < lines.size() && count > 0) {
    count -= lines[end] == '\n';
    ++end;
  }
  while (end > 0 && (lines[end - 1] == '\n' || lines[end - 1] == ' ')) --end;
  return std::string(lines.substr(0, end));
}

SINTER_INLINE void look_at_program(Examination& examination) {
  utsname system{};
  uname(&system);
  std::string name = value_in(examination.os_release, "PRETTY_NAME");
  if (name.empty()) name = system.sysname;
#ifdef SINTER_COMPILED
  const std::string form = "compiled";
#else
  const std::string form = "header-only";
#endif
  const bool gpus = gpu_backend() != nullptr;
  examination.add(
      State::good, "sinter",
      text(SINTER_VERSION_MAJOR, ".", SINTER_VERSION_MINOR, ".", SINTER_VERSION_PATCH, ", ", form,
           ", ", gpus ? "with" : "without", " code for GPUs; ", name, ", ", system.sysname, " ",
           system.release, ", ", system.machine, in_container() ? ", in a container" : ""));
}

// The name of a candidate command, with why it is no compiler.
SINTER_INLINE std::string why_no_compiler(const std::vector<std::string>& command) {
  std::vector<std::string> run = command;
  run.insert(run.end(), {"-x", "c++", "-fsyntax-only", "/dev/null"});
  const compiler::ProcessResult outcome = compiler::run(run);
  std::string reason = first_lines(outcome.output, 2);
  if (reason.empty()) reason = compiler::status_text(outcome.status);
  return text(command[0], " does not work: ", reason);
}

SINTER_INLINE std::string fix_of_compiler(const Examination& examination) {
  const std::string install =
      install_command(Package::compiler, examination.os_release, examination.root);
  if (env(Env::cxx).empty()) return install;
  for (const char* const name : {"c++", "g++", "clang++"}) {
    if (!compiler::find_program(name).empty()) return "unset SINTER_CXX";
  }
  return text("unset SINTER_CXX && ", install);
}

SINTER_INLINE void look_for_compiler(Examination& examination) {
  std::string found, broken;
  for (std::vector<std::string> command : compiler::compiler_candidates()) {
    if (command.empty()) continue;
    command[0] = compiler::find_program(command[0]);
    if (command[0].empty()) continue;
    const auto one = compiler::probe(command[0], {command.begin() + 1, command.end()});
    if (!one) {
      broken += text(broken.empty() ? "" : "\n", why_no_compiler(command));
      continue;
    }
    if (!examination.has_host) examination.host = *one;
    examination.has_host = true;
    found += text(found.empty() ? "" : "\nalso ", one->path, one->arguments.empty() ? "" : " ",
                  one->arguments.empty() ? "" : one->arguments[0], ": ", one->identity);
  }
  if (!examination.has_host) {
    const std::string reason = broken.empty() ? compiler::host_compiler_missing() : broken;
    examination.add(State::problem, "compiler",
                    text(reason,
                         "\nonly kernels from the cache run; the rest is interpreted, "
                         "which is slow"),
                    fix_of_compiler(examination));
    return;
  }
  examination.add(State::good, "compiler", found);
  if (!broken.empty()) examination.add(State::note, "compiler", broken);
}

// Squares and adds a vector of the widest kind.
SINTER_INLINE std::string trial_text(int vector_bits) {
  return text("typedef float Lanes __attribute__((vector_size(", std::max(vector_bits, 128) / 8,
              ")));\nextern \"C\" void sinter_doctor(const float* from, float* to) {\n"
              "  Lanes x;\n  __builtin_memcpy(&x, from, sizeof(x));\n  x = x * x + x;\n"
              "  __builtin_memcpy(to, &x, sizeof(x));\n}\n");
}

// Compiles, loads and calls a kernel; returns what is wrong.
SINTER_INLINE std::string try_kernel(const compiler::HostCompiler& host, int vector_bits) {
  const compiler::TranslationUnit unit;
  const std::string bytes = compiler::compile_host(host, unit, trial_text(vector_bits));
  const auto binary = compiler::Binary::load(Language::cpp, bytes);
  const auto kernel =
      reinterpret_cast<void (*)(const float*, float*)>(binary->symbol("sinter_doctor"));
  if (kernel == nullptr) return "the compiled kernel has no function";
  float from[16], to[16]{};
  for (int i = 0; i < 16; ++i) from[i] = static_cast<float>(i - 3);
  kernel(from, to);
  for (int i = 0; i < std::max(vector_bits, 128) / 32; ++i) {
    const float expected = from[i] * from[i] + from[i];
    if (to[i] != expected) return text("the kernel computes ", to[i], " instead of ", expected);
  }
  return "";
}

SINTER_INLINE std::string fix_of_kernel(const Examination& examination, std::string_view reason) {
  if (reason.find("temporary file") != std::string_view::npos) {
    const std::string folder = cache_folder_with_room("");
    if (folder.empty()) return "make room in /tmp, or: export TMPDIR=<a folder with room>";
    return text("export TMPDIR=", quoted(folder.substr(0, folder.rfind('/'))));
  }
  return text(install_command(Package::compiler, examination.os_release, examination.root),
              "\nor name another compiler: export SINTER_CXX=clang++");
}

SINTER_INLINE void try_compiler(Examination& examination, int vector_bits) {
  if (!examination.has_host) return;
  std::string wrong;
  const auto start = std::chrono::steady_clock::now();
  try {
    wrong = try_kernel(examination.host, vector_bits);
  } catch (const std::exception& error) {
    wrong = first_lines(error.what(), 12);
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  if (wrong.empty()) {
    examination.add(
        State::good, "kernel",
        text("compiles, loads and computes, in ", static_cast<int>(took.count()), " ms"));
  } else {
    examination.add(State::problem, "kernel", wrong, fix_of_kernel(examination, wrong));
  }
}

SINTER_INLINE int look_at_vectors(Examination& examination) try {
  const int bits = jit::host_vector_bits();
  const std::string chosen = env(Env::vector_bits).empty() ? "" : ", by SINTER_VECTOR_BITS";
  examination.add(State::good, "vectors",
                  text(bits, " bits", chosen, jit::host_has_bf16_dot() ? ", bf16 dot product" : "",
                       jit::host_has_amx() ? ", AMX" : "", ": ", compiler::host_architecture()));
  return bits;
} catch (const ValueError&) {
  examination.add(State::problem, "vectors",
                  text("SINTER_VECTOR_BITS=", env(Env::vector_bits), " is not ",
                       info(Env::vector_bits).values, ": compile() throws"),
                  "unset SINTER_VECTOR_BITS");
  return 0;
}

SINTER_INLINE int usable_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

SINTER_INLINE void look_at_threads(Examination& examination) {
  const int threads = runtime::num_threads();
  const auto cores = usable_cores();
  std::string found = text(threads, " run kernels; this process may use ", quantity(cores, "core"));
  const std::string quota = small_file("/sys/fs/cgroup/cpu.max");
  if (!quota.empty() && quota.rfind("max", 0) != 0) {
    found += text("; the container may use ", first_lines(quota, 1), " us");
  }
  if (threads <= cores) return examination.add(State::good, "threads", found);
  examination.add(State::note, "threads", text(found, ": more threads than cores are slow"),
                  text("export SINTER_NUM_THREADS=", cores));
}

// What is wrong with the folder of the cache, and the way out.
struct CacheFault {
  std::string reason{}, fix{};
};

SINTER_INLINE std::string other_folder(const std::string& folder) {
  const std::string other = cache_folder_with_room(folder);
  return text("export SINTER_CACHE_DIR=", other.empty() ? "<a folder of your own>" : quoted(other));
}

SINTER_INLINE CacheFault untrusted_folder(const Examination& examination, const std::string& folder,
                                          const struct stat& info) {
  const std::string sudo = examination.root ? "" : "sudo ";
  if (!S_ISDIR(info.st_mode)) {
    return {"it is not a folder", text("mv ", quoted(folder), " ", quoted(folder + ".old"))};
  }
  if (info.st_uid != geteuid() && info.st_uid != 0) {
    return {text("it belongs to another user, ", user_text(info.st_uid), ", and this is ",
                 user_text(geteuid()), ": what others may have written is not run"),
            text(other_folder(folder), "\nor, if nobody else needs it: ", sudo, "rm -r ",
                 quoted(folder))};
  }
  return {"other users can write to it: what others may have written is not run",
          text("chmod go-w ", quoted(folder))};
}

SINTER_INLINE CacheFault fault_of_cache(const Examination& examination,
                                        const compiler::DiskCache& cache) {
  constexpr std::size_t trial = std::size_t{1} << 20;  // several kernels
  const std::string& folder = cache.directory();
  if (folder.empty()) {
    return {"neither SINTER_CACHE_DIR nor HOME is set: nothing is cached", other_folder("")};
  }
  struct stat info {};
  if (const std::string reason = cache.why_unusable(); !reason.empty()) {
    if (stat(folder.c_str(), &info) == 0) return untrusted_folder(examination, folder, info);
    return {text("it cannot be made: ", reason), other_folder(folder)};
  }
  const std::string reason = why_not_writable(folder, trial);
  if (reason.empty()) return {};
  const std::uint64_t taken = cache.usage().bytes;
  std::string fix = other_folder(folder);
  if (taken >= trial) {
    fix += text("\nor free the ", bytes_text(taken), " that it takes: rm -r ", quoted(folder));
  }
  return {text("it cannot be written: ", reason), fix};
}

SINTER_INLINE std::string cache_text(const compiler::DiskCache& cache) {
  const std::string& folder = cache.directory();
  struct stat info {};
  if (folder.empty()) return "no folder";
  if (stat(folder.c_str(), &info) != 0) return folder;
  const auto usage = cache.usage();
  const Space space = space_of(folder);
  std::string result =
      text(folder, ", of ", user_text(info.st_uid), ": ", quantity(usage.keys, "kernel"), ", ",
           bytes_text(usage.bytes), " of at most ", bytes_text(cache.capacity()), "; ",
           space.known ? bytes_text(space.free) : std::string("unknown"), " free on the disk");
  if (usage.keys > 0) {
    result += text("\n", usage.loaded * 100 / usage.keys,
                   " % of the kernels were loaded again after they were stored");
  }
  const compiler::CompileStats work = compiler::total_compile_stats();
  const std::int64_t all = work.disk_hits + work.kernels_compiled;
  if (all > 0) {
    result += text("\nthis process: ", work.disk_hits, " of ", quantity(all, "kernel"),
                   " came from the cache, hit rate ", work.disk_hits * 100 / all, " %");
  }
  return result;
}

SINTER_INLINE void look_at_cache(Examination& examination) {
  const auto cache = compiler::KernelStore::instance().disk();
  const CacheFault fault = fault_of_cache(examination, *cache);
  const std::string found = cache_text(*cache);
  if (!fault.reason.empty()) {
    examination.add(State::problem, "cache",
                    text(found, "\n", fault.reason, "\nevery process compiles its kernels anew"),
                    fault.fix);
    return;
  }
  const std::uint64_t bytes = cache->usage().bytes, most = cache->capacity();
  if (bytes < most / 10 * 9) return examination.add(State::good, "cache", found);
  examination.add(State::note, "cache",
                  text(found, "\nit is nearly full: the kernels that were not used for longest go"),
                  text("export SINTER_CACHE_LIMIT=", 2 * std::max<std::uint64_t>(most >> 20, 1)));
}

SINTER_INLINE void look_at_temporary_files(Examination& examination) {
  constexpr std::size_t trial = std::size_t{1} << 20;
  const compiler::TemporaryDirectory directory;
  const std::string reason = directory.path().empty()
                                 ? "neither TMPDIR, /tmp, /var/tmp nor /dev/shm can be written"
                                 : why_not_writable(directory.path(), trial);
  const std::string place = directory.path().substr(0, directory.path().rfind('/'));
  if (reason.empty()) {
    const Space space = space_of(place);
    return examination.add(State::good, "temporary",
                           text(place, ", ", bytes_text(space.free), " free"));
  }
  examination.add(
      State::problem, "temporary",
      text(place.empty() ? "" : place + ": ", reason, ": the compiler has no place for its files"),
      fix_of_kernel(examination, "temporary file"));
}

SINTER_INLINE bool is_variable(std::string_view name) {
  for (const EnvVariable& known : env_table) {
    if (known.name == name) return true;
  }
  return false;
}

SINTER_INLINE void look_at_variables(Examination& examination) {
  std::string set, unknown, unset;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view one = *each;
    if (one.rfind("SINTER_", 0) != 0) continue;
    const std::string_view name = one.substr(0, one.find('='));
    (is_variable(name) ? set : unknown) += text(" ", one);
    if (!is_variable(name)) unset += text(" ", name);
  }
  if (!set.empty()) examination.add(State::good, "variables", set.substr(1));
  if (!unknown.empty()) {
    examination.add(State::note, "variables",
                    text("sinter reads no", unknown, "; docs/environment.md lists what it reads"),
                    text("unset", unset));
  }
  if (const std::string words = unknown_words(env(Env::logs)); !words.empty()) {
    examination.add(State::note, "variables", text("SINTER_LOGS has no ", words),
                    text("SINTER_LOGS takes ", info(Env::logs).values));
  }
  for (const Env slow : {Env::check, Env::verify}) {
    if (!env_flag(slow)) continue;
    examination.add(State::note, "variables",
                    text(info(slow).name, " is for finding faults, and slow"),
                    text("unset ", info(slow).name));
  }
  const std::string dump(env(Env::dump));
  struct stat folder {};
  if (dump.empty() || stat(dump.c_str(), &folder) != 0) return;  // it is made when it is needed
  if (const std::string reason = why_not_writable(dump, 1); !reason.empty()) {
    examination.add(State::problem, "variables",
                    text("SINTER_DUMP=", dump, " cannot be written: ", reason),
                    "export SINTER_DUMP=<a folder of your own>");
  }
}

SINTER_INLINE void look_for_driver(Examination& examination, const GpuFacts& facts) {
  if (facts.why_no_driver.empty()) {
    return examination.add(State::good, "driver", text(facts.driver, ", ", counted_gpus()));
  }
  if (!has_nvidia_device()) {
    return examination.add(
        State::note, "driver",
        text("no GPU of NVIDIA; everything runs on the host (", facts.why_no_driver, ")"));
  }
  const std::string fix =
      in_container()
          ? "start the container with its GPUs: docker run --gpus all ..."
          : install_command(Package::nvidia_driver, examination.os_release, examination.root);
  examination.add(State::problem, "driver",
                  text("this machine has a GPU of NVIDIA, but its driver cannot be used: ",
                       facts.why_no_driver),
                  fix);
}

// NVIDIA's packages for Python have a folder of their own each, which the loader has to be told.
SINTER_INLINE std::string install_toolkit_part(std::string_view package, std::string_view module) {
  return text("pip install ", package, " && export LD_LIBRARY_PATH=$(python3 -c 'import ", module,
              " as m; print(m.__path__[0])')/lib:$LD_LIBRARY_PATH\n"
              "or install the CUDA toolkit: export CUDA_HOME=/usr/local/cuda");
}

SINTER_INLINE void look_for_gpus(Examination& examination) {
  const GpuBackend* const backend = gpu_backend();
  if (backend == nullptr) {
    const bool needed = has_nvidia_device();
    return examination.add(needed ? State::problem : State::note, "gpu",
                           "this program is built without code for GPUs",
                           needed ? way_to_run(cuda()) : "");
  }
  const GpuFacts facts = backend->facts();
  look_for_driver(examination, facts);
  const bool needed = facts.why_no_driver.empty() && !facts.gpus.empty();
  if (facts.why_no_compiler.empty()) {
    examination.add(State::good, "nvrtc", facts.compiler);
  } else {
    examination.add(
        needed ? State::problem : State::note, "nvrtc",
        text(facts.why_no_compiler, needed ? ": no kernel can be compiled for a GPU" : ""),
        needed ? install_toolkit_part("nvidia-cuda-nvrtc-cu12", "nvidia.cuda_nvrtc") : "");
  }
  if (needed && !facts.why_no_products.empty()) {
    examination.add(State::note, "cublaslt",
                    text(facts.why_no_products, ": large products run slower"),
                    install_toolkit_part("nvidia-cublas-cu12", "nvidia.cublas"));
  }
  for (std::size_t i = 0; i < facts.gpus.size(); ++i) {
    const Device device = cuda(static_cast<int>(i));
    const std::string reason = backend->why_not_runnable(device);
    examination.add(
        reason.empty() ? State::good : State::problem, "gpu",
        text(to_string(device), ": ", facts.gpus[i], reason.empty() ? "" : "\n", reason),
        reason.empty() ? "" : backend->way_to_run(device));
  }
}

SINTER_INLINE std::string indented(std::string_view lines, std::size_t columns) {
  std::string result;
  for (const char c : lines) {
    result += c;
    if (c == '\n') result.append(columns, ' ');
  }
  return result;
}

}  // namespace detail::debug

SINTER_INLINE bool Doctor::ok() const {
  for (const Finding& finding : findings) {
    if (finding.state == Finding::State::problem) return false;
  }
  return true;
}

SINTER_INLINE Doctor doctor() {
  detail::debug::Examination examination;
  detail::debug::look_at_program(examination);
  detail::debug::look_for_compiler(examination);
  const int bits = detail::debug::look_at_vectors(examination);
  detail::debug::try_compiler(examination, bits);
  detail::debug::look_at_temporary_files(examination);
  detail::debug::look_at_threads(examination);
  detail::debug::look_at_cache(examination);
  detail::debug::look_at_variables(examination);
  detail::debug::look_for_gpus(examination);
  return std::move(examination.result);
}

SINTER_INLINE std::string to_string(const Doctor& doctor) {
  constexpr std::size_t column = 20;
  std::string result;
  int problems = 0, notes = 0;
  for (const Finding& finding : doctor.findings) {
    const bool good = finding.state == Finding::State::good;
    const bool problem = finding.state == Finding::State::problem;
    problems += problem;
    notes += !good && !problem;
    const std::string head = detail::pad(problem ? "PROBLEM" : good ? "ok" : "note", 8);
    result += detail::text(detail::pad(head + finding.topic, column),
                           detail::debug::indented(finding.text, column), "\n");
    if (finding.fix.empty()) continue;
    result += detail::text(detail::pad("        to mend it:", column),
                           detail::debug::indented(finding.fix, column), "\n");
  }
  result += detail::text(detail::quantity(problems, "problem"), ", ",
                         detail::quantity(notes, "note"), "\n");
  return result;
}

}  // namespace sinter::inline SINTER_ABI
