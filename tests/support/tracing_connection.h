// A connection that counts the statements that go through it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "db/connection.h"

namespace kedge::test {

class TracingConnection : public db::Connection {
 public:
  explicit TracingConnection(db::Connection& inner) : inner_(inner) {}
  std::size_t statements() const { return texts_.size(); }
  const std::vector<std::string>& texts() const { return texts_; }

  schema::Dialect dialect() const override { return inner_.dialect(); }
  const schema::Engine& engine() override { return inner_.engine(); }
  db::ResultSet query(std::string_view sql, std::span<const db::Value> parameters,
                      const db::ExecuteOptions& options) override {
    texts_.emplace_back(sql);
    return inner_.query(sql, parameters, options);
  }
  std::vector<db::ResultColumn> stream(std::string_view sql, const db::RowHandler& handler,
                                       const db::ExecuteOptions& options) override {
    texts_.emplace_back(sql);
    return inner_.stream(sql, handler, options);
  }
  std::vector<db::ResultColumn> describe(std::string_view sql) override {
    texts_.emplace_back(sql);
    return inner_.describe(sql);
  }
  void execute(std::string_view sql) override {
    texts_.emplace_back(sql);
    inner_.execute(sql);
  }
  void begin() override {
    texts_.emplace_back("BEGIN");
    inner_.begin();
  }
  void commit() override {
    texts_.emplace_back("COMMIT");
    inner_.commit();
  }
  void rollback() override {
    texts_.emplace_back("ROLLBACK");
    inner_.rollback();
  }
  bool in_transaction() const override { return inner_.in_transaction(); }
  void cancel() override { inner_.cancel(); }

 private:
  db::Connection& inner_;
  std::vector<std::string> texts_;
};

}  // namespace kedge::test
