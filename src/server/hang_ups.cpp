#include "server/hang_ups.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <filesystem>

namespace kedge::server {
namespace {

constexpr std::chrono::milliseconds kLookEvery{200};

bool is_peer(int socket, const std::string& address, int port) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  auto* peer = reinterpret_cast<sockaddr*>(&storage);  // NOLINT: the sockets API
  if (::getpeername(socket, peer, &length) != 0) {
    return false;
  }
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  return ::getnameinfo(peer, length, host.data(), host.size(), service.data(), service.size(),
                       NI_NUMERICHOST | NI_NUMERICSERV) == 0 &&
         address == host.data() && std::to_string(port) == service.data();
}

// The library tells a handler who asks, but not through which socket.
int find_socket(const std::string& address, int port) {
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error)) {
    const int socket = std::atoi(it->path().filename().c_str());
    if (is_peer(socket, address, port)) {
      return socket;
    }
  }
  return -1;
}

bool is_closed(int socket) {
  pollfd state{socket, POLLRDHUP, 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace

HangUps::HangUps() : thread_([this] { run(); }) {}

HangUps::~HangUps() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void HangUps::run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kLookEvery, [&] { return over_; })) {
    for (Watch* watch : watches_) {
      look(*watch);
    }
  }
}

void HangUps::look(Watch& watch) {
  if (watch.socket_ < 0) {
    watch.socket_ = find_socket(watch.address_, watch.port_);
  }
  if (watch.socket_ >= 0 && is_closed(watch.socket_)) {
    watch.cancellation_.request();
  }
}

void HangUps::cancel_all() {
  const std::lock_guard lock(mutex_);
  for (Watch* watch : watches_) {
    watch->cancellation_.request();
  }
}

HangUps::Watch::Watch(HangUps& all, std::string address, int port, app::Cancellation& cancellation)
    : all_(all), address_(std::move(address)), port_(port), cancellation_(cancellation) {
  const std::lock_guard lock(all_.mutex_);
  all_.watches_.push_back(this);
}

HangUps::Watch::~Watch() {
  const std::lock_guard lock(all_.mutex_);
  all_.watches_.remove(this);
}

}  // namespace kedge::server
