#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <string>

#include <sinter/compile/host/process.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

using namespace sinter::detail::compiler;

TEST_CASE("process: run() returns status and output") {
  const ProcessResult outcome = run({"sh", "-c", "echo out; echo err >&2; exit 3"});

  CHECK(outcome.status == 3);
  CHECK(outcome.output == "out\nerr\n");
}

TEST_CASE("process: words reach the program as they are, no shell reads them") {
  CHECK(run({"echo", "$HOME; `id` \"a b\" *"}).output == "$HOME; `id` \"a b\" *\n");
}

TEST_CASE("process: a missing program has status 127") {
  CHECK(run({"no-such-program-of-sinter"}).status == 127);
  CHECK(run({"/nonexistent/program"}).status == 127);
}

TEST_CASE("process: a program that is killed has the status that shells give it") {
  CHECK(run({"sh", "-c", "kill -KILL $$"}).status == 128 + SIGKILL);
}

TEST_CASE("process: reads from a file") {
  const File in = anonymous_file("some text"), out = anonymous_file();

  CHECK(Process({"cat"}, {in.descriptor(), out.descriptor(), -1}).wait() == 0);

  CHECK(read_all(out) == "some text");
}

TEST_CASE("process: waits for a while only, and does not outlive its object") {
  const auto start = std::chrono::steady_clock::now();
  {
    Process process({"sleep", "60"}, {});
    CHECK(process.wait_for(20) == std::nullopt);
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
  CHECK(Process({"true"}, {}).wait_for(30'000) == 0);
}

TEST_CASE("process: children do not inherit ignored signals; an ignored SIGCHLD is handled") {
  std::signal(SIGPIPE, SIG_IGN);
  CHECK(run({"sh", "-c", "kill -PIPE $$; exit 5"}).status == 128 + SIGPIPE);
  std::signal(SIGPIPE, SIG_DFL);

  std::signal(SIGCHLD, SIG_IGN);
  const ProcessResult outcome = run({"echo", "text"});
  std::signal(SIGCHLD, SIG_DFL);
  CHECK(outcome.status == 0);
  CHECK(outcome.output == "text\n");
}

TEST_CASE("process: a program that takes too long is killed") {
  CHECK(run({"sleep", "1000"}, 50).status == 128 + 9);
  CHECK(status_text(128 + 9) == "signal 9 (Killed)");
  CHECK(status_text(3) == "status 3");
}
