#include "dialect/sqlite/statements.h"

#include "db/batch.h"

namespace kedge::dialect::sqlite {

void Statements::fetch_all() {
  std::vector<std::string> statements;
  for (const std::string_view sql : {kSpecialTables, kMaster, kColumns, kIndexes, kForeignKeys}) {
    statements.emplace_back(sql);
  }
  std::vector<db::ResultSet> results = db::query_batch(connection_, statements);
  for (std::size_t i = 0; i < statements.size() && i < results.size(); ++i) {
    fetched_[statements[i]] = std::move(results[i]);
  }
}

}  // namespace kedge::dialect::sqlite
