#pragma once

#include <dirent.h>    // opendir, readdir, closedir
#include <sys/stat.h>  // mkdir
#include <unistd.h>    // getpid

#include <cctype>     // std::isalnum
#include <cstdlib>    // std::atexit
#include <exception>  // std::exception
#include <mutex>      // std::lock_guard

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/env.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/debug/profile.hpp>
#include <sinter/debug/profile_facts.hpp>
#include <sinter/debug/report/facts.hpp>
#include <sinter/debug/report/page.hpp>
#include <sinter/debug/report_files.hpp>
#include <sinter/io/file.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

SINTER_INLINE void write_file(const std::string& path, std::string_view content, Where where) {
  io::OutputFile file({.op = "report", .path = path, .where = where});
  file.write(content);
  file.commit();
}

// The facts of `state`, with the latest profile if it measured kernels of the last call.
SINTER_INLINE std::string facts_of(jit::State& state, const Profile* sampled) {
  const jit::History history = state.history();
  const SharedPtr<const Profile> profile = last_profile();
  const auto is_own = [&](const KernelProfile& kernel) {
    return any_of(history.explanation.kernels, [&](const KernelInfo& one) {
      return kernel.name.compare(0, one.name.size(), one.name) == 0;
    });
  };
  const bool fits = profile != nullptr && any_of(profile->kernels, is_own);
  return facts_json(history, [&](StringTable& strings) {
    return profile_json(fits ? profile.get() : sampled, strings);
  });
}

// The kernels of the first calls of a function, after those that compile.
struct CallSamples {
  static constexpr int unmeasured = 2, most = 10;

  int calls = 0;  // that began
  runtime::KernelTrace trace{};
  std::vector<std::int64_t> starts{}, ends{};
  Roofline roof{};

  // False if a profile is being taken, or if these are enough.
  bool begin() {
    if (++calls <= unmeasured || ends.size() == most) return false;
    if (!runtime::KernelProfiler::process().start()) return false;
    starts.push_back(runtime::monotonic_nanoseconds());
    return true;
  }

  void end() {
    ends.push_back(runtime::monotonic_nanoseconds());
    const runtime::KernelTrace more = runtime::KernelProfiler::process().stop();
    const std::size_t first = trace.runs.size();
    trace.runs.insert(trace.runs.end(), more.runs.begin(), more.runs.end());
    for (const runtime::KernelSpan& span : more.spans) {
      trace.spans.push_back(span);
      trace.spans.back().run += first;
    }
    if (ends.size() == most) roof = machine_roof(runtime::num_threads());
  }

  Profile profile() const {
    if (ends.empty()) return {};
    ProfileBuilder builder{trace, static_cast<double>(starts.at(0))};
    builder.build();
    for (std::size_t i = 0; i < ends.size(); ++i) {
      builder.profile.calls.push_back({builder.seconds(starts[i]), builder.seconds(ends[i])});
    }
    builder.profile.roof = roof;
    return std::move(builder.profile);
  }
};

// A compiled function, and the directories that its files are written to.
struct Reported {
  jit::State* state = nullptr;  // null once it is destroyed
  std::string stem{};           // of its files: "003_train_step"
  std::string pages{}, dump{};  // the directories; empty if not wanted
  std::string summary{};        // of the page; empty if there is none yet
  CallSamples samples{};
};

// The functions of this process, in the order of compile().
struct Reports {
  ProcessMutex mutex{};
  Vector<Reported> list{};
  int process = 0;  // forked processes do not write over the files of this one

  static Reports& of_process() {
    static Reports& reports = *new Reports;
    return reports;
  }

  void write_index(const std::string& directory) const {
    std::vector<IndexEntry> entries;
    for (const Reported& one : list) {
      if (one.pages != directory || one.summary.empty()) continue;
      entries.push_back({one.stem + ".html", one.summary});
    }
    write_file(directory + "/index.html", index_page(entries), {});
  }

  // Functions that were never called have no files.
  void write(Reported& one) {
    const Stats stats = one.state->stats();
    if (stats.calls == 0 && stats.variants == 0) return;
    try {
      const Profile sampled = one.samples.profile();
      const std::string facts = facts_of(*one.state, &sampled);
      if (!one.dump.empty()) {
        mkdir(one.dump.c_str(), 0777);
        write_file(text(one.dump, "/function_", one.stem, ".json"), facts, {});
      }
      if (one.pages.empty()) return;
      mkdir(one.pages.c_str(), 0777);
      write_file(text(one.pages, "/", one.stem, ".html"), report_page(facts), {});
      one.summary = summary_of(facts);
      write_index(one.pages);
    } catch (const std::exception& error) {  // the program itself goes on
      warn(text("no report was written: ", error.what()));
    }
  }
};

// "train_step" of a name that may have any characters.
SINTER_INLINE std::string stem_of(std::size_t number, std::string_view name) {
  std::string result = std::to_string(1000 + number).substr(number < 9000 ? 1 : 0);
  if (!name.empty()) result += '_';
  for (const char c : name.substr(0, 40)) {
    result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return result;
}

SINTER_INLINE bool note_created(jit::State& state) {
  const std::string pages(env(Env::report)), dump(env(Env::dump));
  if (pages.empty() && dump.empty()) return false;
  Reports& reports = Reports::of_process();
  const std::lock_guard lock(reports.mutex);
  if (reports.list.empty()) {
    reports.process = getpid();
    std::atexit(write_all_reports);
  }
  const std::string stem = stem_of(reports.list.size() + 1, state.options().name);
  reports.list.push_back({.state = &state, .stem = stem, .pages = pages, .dump = dump});
  return true;
}

SINTER_INLINE void note_destroyed(jit::State& state) {
  Reports& reports = Reports::of_process();
  const std::lock_guard lock(reports.mutex);
  for (Reported& one : reports.list) {
    if (one.state != &state) continue;
    if (reports.process == getpid()) reports.write(one);
    one.state = nullptr;
  }
}

SINTER_INLINE bool note_call_began(const jit::State& state) {
  Reports& reports = Reports::of_process();
  const std::lock_guard lock(reports.mutex);
  for (Reported& one : reports.list) {
    if (one.state == &state) return one.samples.begin();
  }
  return false;
}

SINTER_INLINE void note_call_ended(const jit::State& state) {
  Reports& reports = Reports::of_process();
  const std::lock_guard lock(reports.mutex);
  for (Reported& one : reports.list) {
    if (one.state == &state) one.samples.end();
  }
}

SINTER_INLINE std::vector<std::string> dumped_functions(const std::string& directory, Where where) {
  DIR* const open_directory = opendir(directory.c_str());
  if (open_directory == nullptr) {
    io::refuse({.op = "sinter-report", .path = directory, .where = where},
               {.what = "the directory cannot be read", .fix = "name the folder of SINTER_DUMP"});
  }
  const std::string_view start = "function_", end = ".json";
  std::vector<std::string> result;
  while (const dirent* const entry = readdir(open_directory)) {
    const std::string name = entry->d_name;
    if (name.starts_with(start) && name.ends_with(end)) result.push_back(name);
  }
  closedir(open_directory);
  stable_sort(result, [](const std::string& a, const std::string& b) { return a < b; });
  return result;
}

}  // namespace detail

SINTER_INLINE std::size_t write_reports_of_dump(const std::string& directory, Where where) {
  std::vector<IndexEntry> entries;
  for (const std::string& name : detail::dumped_functions(directory, where)) {
    const io::InputFile file(
        {.op = "sinter-report", .path = text(directory, "/", name), .where = where});
    const std::string facts = file.read(0, static_cast<std::size_t>(file.size()));
    const std::size_t start = name.find('_') + 1;
    const std::string page = name.substr(start, name.rfind('.') - start) + ".html";
    detail::write_file(text(directory, "/", page), report_page(facts), where);
    entries.push_back({page, summary_of(facts)});
  }
  if (!entries.empty()) {
    detail::write_file(directory + "/index.html", index_page(entries), where);
  }
  return entries.size();
}

SINTER_INLINE void write_all_reports() {
  detail::Reports& reports = detail::Reports::of_process();
  const std::lock_guard lock(reports.mutex);
  if (reports.process != getpid()) return;
  for (detail::Reported& one : reports.list) {
    if (one.state != nullptr) reports.write(one);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
