// Streams and events. Work stays in the queue of its stream until it is waited for.

#include <algorithm>
#include <chrono>
#include <thread>

#include "machine.hpp"
#include "reports.hpp"

namespace emulator {

namespace {

constexpr int invalid_context = 201, invalid_handle = 400, not_ready = 600, unsupported = 900;

void note(int device, int error) {
  int& sticky = machine().devices[static_cast<std::size_t>(device)]->error;
  if (sticky == 0) sticky = error;
}

// The default stream and all streams that are not non-blocking synchronise with each other.
void order_with_default(Stream& stream) {
  Device& device = *machine().devices[static_cast<std::size_t>(stream.device)];
  const auto follow = [&](Stream& other) {
    if (!other.queue.empty()) stream.queue.push_back({{}, mark(other)});
  };
  if (&stream == &device.default_stream) {
    for (const auto& other : device.streams) {
      if ((other->flags & sinter::detail::CudaDriver::stream_non_blocking) == 0) follow(*other);
    }
  } else if ((stream.flags & sinter::detail::CudaDriver::stream_non_blocking) == 0) {
    follow(device.default_stream);
  }
}

// Executes the first entry of the queue, or what it waits for.
void step(Stream& stream) {
  const std::thread& worker = machine().worker;
  if (worker.joinable() && worker.get_id() != std::this_thread::get_id()) return pause_machine();
  if (stream.queue.empty()) return;
  Work& work = stream.queue.front();
  if (work.wait != nullptr && advance(work.wait)) return;
  const int error = work.run ? work.run() : 0;
  stream.queue.pop_front();
  note(stream.device, error);
}

bool step_all() {
  bool any = false;
  for (const auto& device : machine().devices) {
    for (std::size_t i = 0; i <= device->streams.size(); ++i) {
      Stream& stream = i == device->streams.size() ? device->default_stream : *device->streams[i];
      any = any || !stream.queue.empty();
      step(stream);
    }
  }
  return any;
}

void work() {
  std::unique_lock lock(machine().mutex);
  while (!machine().worker_stops) {
    const bool is_busy = step_all();
    lock.unlock();
    if (is_busy) std::this_thread::yield();
    if (!is_busy) std::this_thread::sleep_for(std::chrono::microseconds(50));
    lock.lock();
  }
}

}  // namespace

void pause_machine() {
  machine().mutex.unlock();
  std::this_thread::sleep_for(std::chrono::microseconds(20));
  machine().mutex.lock();
}

void start_worker() {
  if (!machine().worker.joinable()) machine().worker = std::thread(work);
}

void stop_worker() {
  if (!machine().worker.joinable()) return;
  {
    const std::scoped_lock lock(machine().mutex);
    machine().worker_stops = true;
  }
  machine().worker.join();
  machine().worker = {};
  machine().worker_stops = false;
}

void enqueue(Stream& stream, std::function<int()> run) {
  if (stream.capture != nullptr) return break_capture(stream, "work that is no node");
  if (captures_elsewhere(stream))
    add_report("work of a stream that does not capture, as others do");
  order_with_default(stream);
  stream.queue.push_back({std::move(run), nullptr});
  if (machine().settings.order == Order::eager) finish(stream);
}

std::shared_ptr<Moment> mark(Stream& stream) {
  auto moment = std::make_shared<Moment>();
  moment->stream = &stream;
  stream.queue.push_back({[moment] {
                            moment->passed = true;
                            const auto at = static_cast<std::size_t>(moment->stream->device);
                            moment->time = machine().devices[at]->clock;
                            return 0;
                          },
                          nullptr});
  if (machine().settings.order == Order::eager) finish(stream);
  return moment;
}

void wait_for(Stream& stream, std::shared_ptr<Moment> moment) {
  stream.queue.push_back({{}, std::move(moment)});
  if (machine().settings.order == Order::eager) finish(stream);
}

bool advance(const std::shared_ptr<Moment>& moment) {
  if (moment->passed) return false;
  step(*moment->stream);
  return true;
}

void finish(Stream& stream) {
  while (!stream.queue.empty()) step(stream);
}

// The newest streams run first, so that a missing wait for an older stream shows.
void finish_device(Device& device) {
  for (std::size_t i = device.streams.size(); i > 0; --i) finish(*device.streams[i - 1]);
  finish(device.default_stream);
}

Stream* stream_of(void* handle) {
  Device* const device = machine().current();
  if (device == nullptr) return nullptr;
  // Null, and the constant for the default stream.
  if (reinterpret_cast<std::uintptr_t>(handle) <= 1) return &device->default_stream;
  for (const auto& other : machine().devices) {
    for (const auto& one : other->streams) {
      if (one.get() == handle) return one.get();
    }
  }
  return nullptr;
}

namespace {

using Handle = void*;

int create_stream(Handle* stream, unsigned flags) {
  const std::scoped_lock lock(machine().mutex);
  Device* const device = machine().current();
  if (device == nullptr) return invalid_context;
  device->streams.push_back(std::make_unique<Stream>());
  device->streams.back()->device = device->arena.device();
  device->streams.back()->flags = flags;
  *stream = device->streams.back().get();
  return 0;
}

int destroy_stream(Handle handle) {
  const std::scoped_lock lock(machine().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr || handle == nullptr) return invalid_handle;
  if (stream->capture != nullptr) break_capture(*stream, "the end");
  finish(*stream);
  auto& all = machine().devices[static_cast<std::size_t>(stream->device)]->streams;
  all.erase(std::find_if(all.begin(), all.end(), [&](auto& one) { return one.get() == stream; }));
  return 0;
}

int synchronize_stream(Handle handle) {
  const std::scoped_lock lock(machine().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return invalid_handle;
  if (stream->capture != nullptr) return break_capture(*stream, "synchronisation"), unsupported;
  order_with_default(*stream);
  finish(*stream);
  return machine().devices[static_cast<std::size_t>(stream->device)]->error;
}

int query_stream(Handle handle) {
  const std::scoped_lock lock(machine().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return invalid_handle;
  if (!stream->queue.empty()) {
    step(*stream);
    return not_ready;
  }
  return machine().devices[static_cast<std::size_t>(stream->device)]->error;
}

Event* event_of(Handle handle) {
  const auto found = machine().events.find(handle);
  return found == machine().events.end() ? nullptr : found->second.get();
}

int wait_event(Handle handle, Handle event_handle, unsigned) {
  const std::scoped_lock lock(machine().mutex);
  Stream* const stream = stream_of(handle);
  const Event* const event = event_of(event_handle);
  if (stream == nullptr || event == nullptr) return invalid_handle;
  if (stream->capture != nullptr) return break_capture(*stream, "an event"), unsupported;
  if (event->moment != nullptr) wait_for(*stream, event->moment);
  return 0;
}

int create_event(Handle* event, unsigned flags) {
  const std::scoped_lock lock(machine().mutex);
  const Device* const device = machine().current();
  if (device == nullptr) return invalid_context;
  auto one = std::make_unique<Event>();
  one->device = device->arena.device();
  one->flags = flags;
  *event = one.get();
  machine().events[one.get()] = std::move(one);
  return 0;
}

int destroy_event(Handle event) {
  const std::scoped_lock lock(machine().mutex);
  return machine().events.erase(event) == 1 ? 0 : invalid_handle;
}

int record_event(Handle event_handle, Handle handle) {
  const std::scoped_lock lock(machine().mutex);
  Stream* const stream = stream_of(handle);
  Event* const event = event_of(event_handle);
  if (stream == nullptr || event == nullptr || event->device != stream->device) {
    return invalid_handle;
  }
  if (stream->capture != nullptr) return break_capture(*stream, "an event"), unsupported;
  order_with_default(*stream);
  event->moment = mark(*stream);
  return 0;
}

int query_event(Handle handle) {
  const std::scoped_lock lock(machine().mutex);
  const Event* const event = event_of(handle);
  if (event == nullptr) return invalid_handle;
  if (event->moment != nullptr && advance(event->moment)) return not_ready;
  return machine().devices[static_cast<std::size_t>(event->device)]->error;
}

int synchronize_event(Handle handle) {
  const std::scoped_lock lock(machine().mutex);
  const Event* const event = event_of(handle);
  if (event == nullptr) return invalid_handle;
  while (event->moment != nullptr && advance(event->moment)) {
  }
  return machine().devices[static_cast<std::size_t>(event->device)]->error;
}

int elapsed(float* milliseconds, Handle start, Handle end) {
  const std::scoped_lock lock(machine().mutex);
  const Event* const from = event_of(start);
  const Event* const to = event_of(end);
  if (from == nullptr || to == nullptr || from->moment == nullptr || to->moment == nullptr) {
    return invalid_handle;
  }
  if (((from->flags | to->flags) & sinter::detail::CudaDriver::event_without_time) != 0) {
    return invalid_handle;
  }
  if (!from->moment->passed || !to->moment->passed) return not_ready;
  *milliseconds = static_cast<float>(to->moment->time - from->moment->time) / 1e6f;
  return 0;
}

}  // namespace

void fill_streams(sinter::detail::CudaDriver& table) {
  table.create_stream = create_stream;
  table.destroy_stream = destroy_stream;
  table.synchronize_stream = synchronize_stream;
  table.query_stream = query_stream;
  table.wait_event = wait_event;
  table.create_event = create_event;
  table.destroy_event = destroy_event;
  table.record_event = record_event;
  table.query_event = query_event;
  table.synchronize_event = synchronize_event;
  table.elapsed = elapsed;
}

}  // namespace emulator
