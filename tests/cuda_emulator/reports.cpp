#include "reports.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sinter/base/text.hpp>

#include "launch.hpp"

namespace emulator {

namespace {

constexpr std::size_t most_reports = 100;

const void* const* words(const void* frame) { return static_cast<const void* const*>(frame); }

std::string index_text(const Index& at) {
  return sinter::detail::text("(", at.x, ", ", at.y, ", ", at.z, ")");
}

}  // namespace

std::vector<std::string>& reports() {
  static auto& instance = *new std::vector<std::string>;
  return instance;
}

void add_report(const std::string& text) {
  if (std::getenv("EMULATOR_LOG") != nullptr) std::fprintf(stderr, "%s\n", text.c_str());
  if (reports().size() < most_reports) reports().push_back(text);
}

// A frame starts with the caller's frame pointer, followed by the return address.
const void* caller(const void* frame) { return words(frame)[1]; }

std::string lines_of(const Module& module, const void* frame) {
  std::string result;
  for (int depth = 0; depth < 20 && frame != nullptr; ++depth) {
    const std::string line = module.line(caller(frame));
    if (line.find("kernels.cu") == 0) {
      result += (result.empty() ? "" : ", from ") + line;
    } else if (!result.empty()) {
      break;
    }
    frame = words(frame)[0];
  }
  return result.empty() ? "?" : result;
}

std::string Running::place(const Thread& thread, const void* frame) const {
  return index_text(thread.index) + " at " + lines_of(*launch_.function->module, frame);
}

void Running::report(const std::string& kind, const std::string& what, const void* frame) {
  const std::string lines = lines_of(*launch_.function->module, frame);
  const std::string key = kind + lines;
  if (std::find(said_.begin(), said_.end(), key) != said_.end()) return;
  said_.push_back(key);
  add_report(sinter::detail::text(kind, ": ", launch_.function->name, launch_.within, ", ", lines,
                                  ", block ", index_text(link_table().block), " thread ",
                                  index_text(thread_->index), ": ", what));
}

void Running::stop(int error) {
  error_ = error;
  for (;;) go_to(nullptr);
}

}  // namespace emulator
