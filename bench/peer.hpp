#pragma once
// A peer in another process, which is stopped while others are measured.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace bench {

/// Runs `python <script>` of SINTER_BENCH_PEERS, the Python of a virtual environment, and talks
/// with it line by line: bench/peer.py is the other end. Without that variable there is no peer.
/// After each answer, `answered` is called, and the peer is stopped.
class Peer {
 public:
  explicit Peer(
      const std::string& script, void (*answered)() = [] {})
      : answered_(answered) {
    const char* python = std::getenv("SINTER_BENCH_PEERS");
    if (python == nullptr) return;
    int to_peer[2], from_peer[2];
    if (pipe2(to_peer, O_CLOEXEC) != 0 || pipe2(from_peer, O_CLOEXEC) != 0) return;
    std::signal(SIGPIPE, SIG_IGN);  // a peer that has ended is reported as absent
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // it may be stopped when this process ends
      dup2(to_peer[0], 0);
      dup2(from_peer[1], 1);
      execl(python, python, script.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(to_peer[0]);
    close(from_peer[1]);
    to_ = fdopen(to_peer[1], "w");
    from_ = fdopen(from_peer[0], "r");
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() {
    if (process_ <= 0) return;
    kill(process_, SIGCONT);
    std::fclose(to_);
    std::fclose(from_);
    waitpid(process_, nullptr, 0);
  }

  /// Has the peer prepare a case of its table, such as "eager 4096x1024", with `threads` threads.
  /// False if there is no peer, or it does not know or cannot run the case.
  bool prepare(const std::string& name, int threads) {
    return ask("prepare " + std::to_string(threads) + " " + name) == "ready";
  }

  /// The line that the peer prints for a case such as "bytes 4096x1024"; empty if there is none.
  std::string tell(const std::string& name, int threads) {
    return ask("tell " + std::to_string(threads) + " " + name);
  }

  /// Seconds of one call of the prepared case.
  double operator()() {
    const std::string answer = ask("run");
    return answer.empty() ? 0 : std::atof(answer.c_str());
  }

 private:
  // The answer to one line, without the newline; empty if there is none.
  std::string ask(const std::string& line) {
    if (process_ <= 0) return "";
    kill(process_, SIGCONT);
    std::fprintf(to_, "%s\n", line.c_str());
    std::fflush(to_);
    char answer[256];
    const bool has_answer = std::fgets(answer, sizeof(answer), from_) != nullptr;
    answered_();
    stop();
    if (!has_answer) return "";
    std::string result = answer;
    if (!result.empty() && result.back() == '\n') result.pop_back();
    return result;
  }

  // OpenMP threads spin for a while after their work, on the cores that the next competitor needs.
  void stop() const {
    int status = 0;
    kill(process_, SIGSTOP);
    waitpid(process_, &status, WUNTRACED);  // all its threads have stopped, or it has ended
  }

  void (*answered_)();
  pid_t process_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace bench
