#pragma once
// Command lines of the examples: options with values, or words; errors as one line, --help.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace command_line {

inline double number_of(const std::string& value) {
  char* end = nullptr;
  const double result = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0') throw std::runtime_error("not a number: " + value);
  return result;
}

inline int count_of(const std::string& value, int least = 1) {
  const double result = number_of(value);
  if (!(result >= least && result <= 1e6 && result == static_cast<int>(result))) {
    throw std::runtime_error("not a count: " + value);
  }
  return static_cast<int>(result);
}

/// True for `yes`, false for `no`.
inline bool choice(const std::string& value, const std::string& yes, const std::string& no) {
  if (value != yes && value != no) throw std::runtime_error("not " + yes + " or " + no);
  return value == yes;
}

[[noreturn]] inline void throw_number_of_arguments() {
  throw std::runtime_error("wrong number of arguments; --help lists them");
}

[[noreturn]] inline void throw_unknown(const std::string& name) {
  throw std::runtime_error("unknown option " + name + "; --help lists them");
}

/// Calls set(name, value) for each option, except those for which is_flag(name) is true.
template <class Set, class IsFlag>
void read(const std::vector<std::string>& arguments, Set set, IsFlag is_flag) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_flag(arguments[i])) continue;
    if (i + 1 == arguments.size()) {
      throw std::runtime_error(arguments[i] + " needs a value; --help lists the options");
    }
    set(arguments[i], arguments[i + 1]);
    ++i;
  }
}

/// main(): reads the options, prints `help` if they ask for it, or runs. Errors go to stderr.
template <class Read, class Run>
int run(int count, char** values, const char* help, Read read_options, Run run_with) {
  try {
    const auto options = read_options(std::vector<std::string>(values + 1, values + count));
    if (!options.help) return run_with(options);
    std::fputs(help, stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

/// The same for a program whose arguments are files and words.
template <class Run>
int run(int count, char** values, const char* help, Run run_with) {
  struct Words {
    std::vector<std::string> list;
    bool help;
  };
  const auto read_words = [](const std::vector<std::string>& words) {
    return Words{words, std::find(words.begin(), words.end(), "--help") != words.end()};
  };
  return run(count, values, help, read_words,
             [&](const Words& words) { return run_with(words.list); });
}

}  // namespace command_line
