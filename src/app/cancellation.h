// Ends what a request does in databases once nobody waits for its answer: its client hung up, or
// took the request back. A request runs with a context of its own, whose connections are known
// here.
#pragma once

#include <memory>

#include "app/context.h"

namespace kedge::app {

class Cancellation {
 public:
  Cancellation();
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;
  // From any thread, more than once too: running statements fail with Cancelled, as does every one
  // that is begun afterwards, until the destructor.
  void request();
  bool requested() const;

  struct State;

 private:
  friend class CancellableContext;
  std::shared_ptr<State> state_;
};

// A copy of a context whose connections obey the cancellation. Both must outlive its use.
class CancellableContext {
 public:
  CancellableContext(const Context& context, const Cancellation& cancellation);
  Context& context() { return context_; }

 private:
  db::Registry registry_;
  Context context_;
};

}  // namespace kedge::app
