// Background jobs: the memory that they use, and where tensors begin in it.

#include <doctest/doctest.h>

#include <sinter/dist/parallel/started.hpp>

#include "../world.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace ranks;

namespace {

struct Slow : parallel::StartedJob {
  using StartedJob::StartedJob;
  void move(collective::Bytes& bytes, const collective::Transport&) override {
    const std::int64_t mine = rank() + 1;
    bytes.all_gather(&mine, data(), sizeof(mine));
  }
};

}  // namespace

TEST_CASE("started: a job moves bytes in the memory that it was given") {
  world();
  std::vector<std::int64_t> memory(static_cast<std::size_t>(size()), 0);
  const std::vector<std::int64_t> shape{size()};
  const RawTensor result(memory.data(), i64, shape);
  const collective::Collective what{.kind = collective::Kind::all_gather,
                                    .where = Where::current()};
  collective::Transport& group = collective::group(0, "op", Where());
  auto job = make_shared_ptr<Slow>(what, result);
  const auto number = group.start({5, "a job", "job", Where()}, SharedPtr<collective::Job>(job));
  group.wait(number);
  const auto* const found = reinterpret_cast<const std::int64_t*>(job->data());
  for (int i = 0; i < size(); ++i) CHECK(found[i] == i + 1);
  CHECK((job->data() == reinterpret_cast<unsigned char*>(memory.data())) != checks_custom());
}

TEST_CASE("started: tensors begin at multiples of 64 bytes") {
  CHECK(parallel::next_begin(0) == 0);
  CHECK(parallel::next_begin(4) == 64);
  CHECK(parallel::next_begin(64) == 64);
}
