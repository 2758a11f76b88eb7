#pragma once
// The time of a step from its launches: a stream that computes and a stream that communicates.

#include <algorithm>    // std::min
#include <cstddef>      // std::size_t
#include <deque>        // std::deque
#include <functional>   // std::function
#include <istream>      // std::istream
#include <limits>       // std::numeric_limits
#include <ostream>      // std::ostream
#include <span>         // std::span
#include <sstream>      // std::istringstream
#include <stdexcept>    // std::runtime_error
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

namespace bench {

/// One launch of a step, as one rank runs it.
struct Launch {
  enum class Kind { kernel, start, wait, collective };
  Kind kind = Kind::kernel;
  std::string name{};
  double seconds = 0;  ///< On the computing stream: a kernel, or the copy to or from a bucket.
  double bytes = 0;    ///< The bytes that a start or a collective communicates.
  int bucket = -1;     ///< The number of the bucket, for a start and the wait for it.
};

/// How long a start or a collective keeps the communicating stream busy, in seconds.
using Price = std::function<double(const Launch&)>;

/// The speed of each stream while both work, as a share of that while it works alone.
struct Speeds {
  double compute = 1, communicate = 1;
};

struct StepTime {
  double seconds = 0;
  double communication = 0;  ///< While the communicating stream worked.
  double exposed = 0;        ///< Of these, while the computing stream waited.
  /// The share of the communication that ran while kernels ran; 0 if there was none.
  double hidden() const { return communication > 0 ? 1 - exposed / communication : 0; }
};

/// Runs launches in order on the computing stream. A start adds to the queue of the communicating
/// stream, which runs one after another; a wait or a collective lasts until its communication ends.
class Simulation {
 public:
  Simulation(Price price, Speeds speeds) : price_(std::move(price)), speeds_(speeds) {}

  void run(const Launch& launch) {
    if (launch.kind == Launch::Kind::wait) wait_for(launch.bucket);
    compute(launch.seconds);
    const bool starts = launch.kind == Launch::Kind::start;
    if (!starts && launch.kind != Launch::Kind::collective) return;
    const int bucket = starts ? launch.bucket : not_a_bucket;
    queue_.push_back({bucket, price_(launch)});
    if (!starts) wait_for(bucket);
  }

  /// The time so far, without communication that was started and not waited for.
  const StepTime& time() const { return time_; }

 private:
  struct Job {
    int bucket;
    double left;
  };
  static constexpr int not_a_bucket = -1;

  void compute(double left) {
    while (left > 0 && !queue_.empty()) {
      Job& job = queue_.front();
      const double to_end = left / speeds_.compute, of_job = job.left / speeds_.communicate;
      const double passed = std::min(to_end, of_job);
      pass(passed);
      left = to_end <= of_job ? 0 : left - passed * speeds_.compute;
      job.left = of_job <= to_end ? 0 : job.left - passed * speeds_.communicate;
      if (job.left == 0) queue_.pop_front();
    }
    time_.seconds += left;
  }

  void wait_for(int bucket) {
    const auto is_there = [&] {
      return std::any_of(queue_.begin(), queue_.end(),
                         [&](const Job& job) { return job.bucket == bucket; });
    };
    while (is_there()) {
      pass(queue_.front().left);
      time_.exposed += queue_.front().left;
      queue_.pop_front();
    }
  }

  void pass(double seconds) {
    time_.seconds += seconds;
    time_.communication += seconds;
  }

  Price price_;
  Speeds speeds_;
  std::deque<Job> queue_{};
  StepTime time_{};
};

inline StepTime simulate(std::span<const Launch> launches, const Price& price, Speeds speeds = {}) {
  Simulation simulation(price, speeds);
  for (const Launch& launch : launches) simulation.run(launch);
  return simulation.time();
}

inline constexpr std::string_view kind_names[] = {"kernel", "start", "wait", "collective"};

/// One line for each launch: its kind, seconds, bytes, bucket, name.
inline void write(std::ostream& out, std::span<const Launch> launches) {
  out.precision(std::numeric_limits<double>::max_digits10);
  for (const Launch& launch : launches) {
    out << kind_names[static_cast<std::size_t>(launch.kind)] << ' ' << launch.seconds << ' '
        << launch.bytes << ' ' << launch.bucket << ' ' << launch.name << '\n';
  }
}

/// What write() wrote. Throws std::runtime_error that names a line which is something else.
inline std::vector<Launch> read_launches(std::istream& in) {
  std::vector<Launch> result;
  std::string text;
  while (std::getline(in, text)) {
    std::istringstream line(text);
    std::string kind;
    Launch launch;
    line >> kind >> launch.seconds >> launch.bytes >> launch.bucket >> std::ws;
    std::getline(line, launch.name);
    const auto* const found = std::find(std::begin(kind_names), std::end(kind_names), kind);
    if (found == std::end(kind_names) || launch.name.empty() || launch.seconds < 0) {
      throw std::runtime_error("line " + std::to_string(result.size() + 1) +
                               " is not a launch: " + text);
    }
    launch.kind = static_cast<Launch::Kind>(found - std::begin(kind_names));
    result.push_back(std::move(launch));
  }
  return result;
}

}  // namespace bench
