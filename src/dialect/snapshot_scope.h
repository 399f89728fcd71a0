// One read-only snapshot around an introspection. A transaction that the caller has open is used as
// it is and left open.
#pragma once

#include <optional>
#include <string_view>

#include "db/connection.h"

namespace kedge::dialect {

enum class TransactionOwner { Caller, Introspection };

class SnapshotScope {
 public:
  // `mode`: a statement right after begin() that makes the transaction a snapshot; may be empty.
  SnapshotScope(db::Connection& connection, std::string_view mode) {
    if (connection.in_transaction()) {
      return;
    }
    transaction_.emplace(connection);
    if (!mode.empty()) {
      connection.execute(mode);
    }
  }
  TransactionOwner owner() const {
    return transaction_ ? TransactionOwner::Introspection : TransactionOwner::Caller;
  }
  void finish() {
    if (transaction_) {
      transaction_->commit();
    }
  }

 private:
  std::optional<db::Transaction> transaction_;
};

}  // namespace kedge::dialect
