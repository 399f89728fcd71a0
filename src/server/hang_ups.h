// Clients that hang up while their request is at work: nobody waits for the answer any more, so
// what the request does in databases is cancelled and its place becomes free.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "app/cancellation.h"

namespace kedge::server {

class HangUps {
 public:
  HangUps();
  ~HangUps();
  HangUps(const HangUps&) = delete;
  HangUps& operator=(const HangUps&) = delete;

  // Watches the connection of a client for the length of a scope.
  class Watch {
   public:
    Watch(HangUps& all, std::string address, int port, app::Cancellation& cancellation);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    friend class HangUps;
    HangUps& all_;
    std::string address_;
    int port_;
    app::Cancellation& cancellation_;
    int socket_ = -1;  // found when the request is still at work after a while
  };

  void cancel_all();  // whoever waits: the server stops

 private:
  void run();
  void look(Watch& watch);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Watch*> watches_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace kedge::server
