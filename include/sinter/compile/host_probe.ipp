#pragma once

#include <sys/stat.h>     // stat
#include <sys/utsname.h>  // uname
#if defined(__x86_64__)
#include <cpuid.h>  // __get_cpuid_count
#else
#include <sys/auxv.h>  // getauxval
#endif

#include <algorithm>  // std::min
#include <stdexcept>  // std::logic_error

#include <sinter/base/hash.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/host_probe.hpp>
#include <sinter/compile/process.hpp>

namespace sinter::inline SINTER_ABI::compiler {

namespace detail {

// Files change under the same name when a compiler is updated.
SINTER_INLINE std::string file_state(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return text(path, " is missing");
  return text(path, " ", info.st_size, " ", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec);
}

// Without the options that name files; each of them is followed by the name.
SINTER_INLINE std::vector<std::string> without_files(const std::vector<std::string>& command) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-o" || word == "-dumpdir" || word == "-dumpbase" || word == "-dumpbase-ext") {
      ++i;
    } else if (word != "|" && word != "-" && word != "-v" && word != "-version") {
      result.push_back(word);
    }
  }
  return result;
}

SINTER_INLINE bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Lists travel through the cache with one word per line.
SINTER_INLINE std::string join_lines(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += word + '\n';
  return result;
}

SINTER_INLINE std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

// The record of a compiler in the cache: its path, identity, kind, and three lists with lengths.
SINTER_INLINE std::string to_record(const HostCompiler& compiler) {
  std::vector<std::string> lines{compiler.path, compiler.identity,
                                 compiler.clang ? "clang" : "gcc"};
  for (const auto* list : {&compiler.translate, &compiler.assemble, &compiler.link}) {
    lines.push_back(std::to_string(list->size()));
    lines.insert(lines.end(), list->begin(), list->end());
  }
  const std::string translator = compiler.translate.empty() ? "" : compiler.translate[0];
  return join_lines(lines) + file_state(translator) + '\n';
}

SINTER_INLINE std::optional<HostCompiler> from_record(std::string_view record) try {
  const std::vector<std::string> lines = split_lines(record);
  HostCompiler result{
      .path = lines.at(0), .identity = lines.at(1), .clang = lines.at(2) == "clang"};
  std::size_t at = 3;
  for (auto* list : {&result.translate, &result.assemble, &result.link}) {
    for (auto count = std::stoul(lines.at(at++)); count > 0; --count) {
      list->push_back(lines.at(at++));
    }
  }
  const std::string translator = result.translate.empty() ? "" : result.translate[0];
  if (lines.at(at) != file_state(translator)) return std::nullopt;
  return result;
} catch (const std::logic_error&) {  // too short, or no number
  return std::nullopt;
}

SINTER_INLINE std::string instruction_set() {
  Hasher hasher;
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(1, 0, &a, &b, &c, &d)) hasher.add(a).add(c).add(d);  // b is the core's
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) hasher.add(b).add(c).add(d);
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d)) hasher.add(a);
#else
  hasher.add(getauxval(AT_HWCAP)).add(getauxval(AT_HWCAP2));
#endif
  utsname machine{};
  uname(&machine);
  return text(machine.machine, "-", to_string(hasher.result()).substr(0, 16));
}

// What probing depends on besides the flags below, which have a version of their own.
inline constexpr std::string_view probe_environment = "compiler probe 1";

}  // namespace detail

SINTER_INLINE const std::string& host_architecture() {
  static const auto& name = *new std::string(detail::instruction_set());
  return name;
}

SINTER_INLINE std::vector<std::string> split_command(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (letter == ' ' && !quoted) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (letter == '"') {
      quoted = !quoted;
    } else if (letter == '\\' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += letter;
    }
  }
  return words;
}

SINTER_INLINE HostCompiler parse_probe(const std::string& path, std::string_view output) {
  HostCompiler result{.path = path};
  std::string version, target;
  for (const std::string& line : detail::split_lines(output)) {
    if (line.find(" version ") != std::string::npos && version.empty()) version = line;
    if (line.rfind("Target: ", 0) == 0) target = line.substr(8);
    if (line.empty() || line[0] != ' ') continue;
    const std::vector<std::string> words = split_command(line);
    if (words.empty()) continue;
    if (detail::ends_with(words[0], "cc1plus")) result.translate = detail::without_files(words);
    if (words[0] == "as" || detail::ends_with(words[0], "/as")) {
      result.assemble = detail::without_files(words);
    }
  }
  result.clang = version.find("clang") != std::string::npos;
  result.identity = text(version, ", ", target);
  if (result.clang || result.translate.empty() || result.assemble.empty()) {
    result.translate.clear();
    result.assemble.clear();
  }
  return result;
}

SINTER_INLINE std::optional<HostCompiler> probe(const std::string& path) {
  const Outcome outcome =
      run({path, "-###", "-march=native", "-fPIC", "-pipe", "-c", "-x", "c++", "-", "-o", "x.o"});
  if (outcome.status != 0 || outcome.output.find(" version ") == std::string::npos) {
    return std::nullopt;
  }
  HostCompiler result = parse_probe(path, outcome.output);
  if (result.translate.empty()) return result;
  if (result.assemble[0] == "as") {  // of PATH; so is the linker, and asking takes milliseconds
    result.link = {"ld"};
    return result;
  }
  const Outcome linker = run({path, "-print-prog-name=ld"});
  const std::vector<std::string> name = detail::split_lines(linker.output);
  if (linker.status == 0 && name.size() == 1) result.link = name;
  return result;
}

SINTER_INLINE std::optional<HostCompiler> probe(const std::string& path, DiskCache& cache) {
  const std::string state = text(detail::file_state(path), " ", host_architecture());
  const Hash key = hash_of(state);
  if (const auto entry = cache.load(detail::probe_environment, key)) {
    if (auto known = detail::from_record(entry->payload)) return known;
  }
  std::optional<HostCompiler> result = probe(path);
  if (result) {
    cache.store({.environment = std::string(detail::probe_environment),
                 .keys = {key},
                 .payload = detail::to_record(*result)});
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::compiler
