#include "support.hpp"

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/trace/value/hash.hpp>

using namespace testing;
using namespace sinter::detail::jit;

namespace {

// A tape with x * first + second on it, and the segment for it.
struct Taped {
  Recorder recorder{};

  explicit Taped(double first, double second) {
    const RecorderScope scope(&recorder);
    const Tensor x = recorder.placeholder({f32, {4}});
    static_cast<void>(x * first + second);
  }
  SharedPtr<Segment> segment(sinter::detail::Vector<bool> are_inputs) const {
    auto result = make_shared_ptr<Segment>();
    result->runnable.program = lower({}, {.backend = Backend::eager}).program;
    const Tape& tape = recorder.tape();
    for (std::size_t i = 0; i < tape.numbers().size(); ++i) {
      const std::uint32_t position = tape.numbers()[i];
      const std::uint64_t bits = bits_of_number(*tape.values()[position]);
      result->numbers.push_back({position, bits, are_inputs[i]});
    }
    return result;
  }
};

const Hash key{1, 2}, other_key{3, 4};

}  // namespace

TEST_CASE("segment: is found by its key and constants, independent of the values of inputs") {
  Segments segments;
  const Taped taped(2, 3), same(2, 3), other_first(5, 3), other_second(2, 7);
  CHECK(segments.find(key, taped.recorder.tape()) == nullptr);
  const auto added = taped.segment({true, false});
  segments.add(key, added);
  CHECK(segments.find(key, same.recorder.tape()) == added);
  CHECK(segments.find(key, other_first.recorder.tape()) == added);
  CHECK(segments.find(key, other_second.recorder.tape()) == nullptr);
  CHECK(segments.find(other_key, taped.recorder.tape()) == nullptr);
}

TEST_CASE("segment: segments with more and with fewer inputs are both found") {
  Segments segments;
  const Taped taped(2, 3), other(5, 7);
  const auto fewer = taped.segment({false, false}), more = taped.segment({true, true});
  segments.add(key, fewer);
  segments.add(key, more);
  CHECK(segments.find(key, other.recorder.tape()) == more);
  CHECK(segments.find(key, taped.recorder.tape()) != nullptr);
}

TEST_CASE("segment: an interim segment is replaced") {
  Segments segments;
  const Taped taped(2, 3);
  const auto interim = taped.segment({false, false}), compiled = taped.segment({false, false});
  segments.add(key, interim);
  segments.replace(key, *interim, compiled);
  CHECK(segments.find(key, taped.recorder.tape()) == compiled);
  segments.clear();
  CHECK(segments.find(key, taped.recorder.tape()) == nullptr);
}
