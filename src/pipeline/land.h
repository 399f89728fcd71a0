// Landing: the rows of one entity become staging."src_<connection>__<entity>" (spec/contracts.md
// 4.3, 4.4, 17.4). A failed load lands nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contracts/baseline.h"
#include "pipeline/convert.h"
#include "pipeline/engine.h"

namespace kedge::pipeline {

struct Landed {
  std::int64_t rows = 0;
  std::vector<contracts::ShapeColumn> columns;  // of the staged table, native types beside
  std::string position;                         // of change capture; empty: none
};

// `bound`: the stored cursor of an incremental read, where there is one.
enum class SlotUse { Keep, LeaveAlone };  // of change capture: kedge test leaves no slot behind
Landed land(const Engine& engine, const ReadSpec& read, const std::optional<StoredCursor>& bound,
            SlotUse use = SlotUse::Keep);

// Shared by files and databases: staging."name" from a raw relation that holds texts or typed
// values. Throws PZ0804 naming every column that holds a value that cannot be converted.
struct RawColumn {
  std::string name;    // in the raw relation
  std::string landed;  // in the landed table
  schema::Type from;
  schema::Type to;
  TextForm form = TextForm::Any;  // of nested values in a text
};
void land_converted(const Engine& engine, db::Connection& staging, const ReadSpec& read,
                    const std::string& raw, const std::vector<RawColumn>& columns);
[[noreturn]] void fail_missing_columns(const ReadSpec& read,
                                       const std::vector<std::string>& missing,
                                       const std::vector<std::string>& present,
                                       const std::string& where);

// What the engine says of a file that it cannot read: PZ0804, or PZ0330 when it cannot be opened.
[[noreturn]] void fail_unreadable(const Engine& engine, const ReadSpec& read,
                                  const db::DatabaseError& error);

void land_files(const Engine& engine, db::Connection& staging, const ReadSpec& read);
// Every FROM clause that `next` gives, until it gives none, lands in one table.
struct Transfer {
  db::Connection& source;
  db::Connection& staging;
};
using FromClauses = std::function<std::optional<std::string>()>;
std::vector<contracts::ShapeColumn> land_selected(const Engine& engine, const Transfer& transfer,
                                                  const ReadSpec& read, const FromClauses& next);
// Gives the native types of what it landed, by column name.
std::vector<contracts::ShapeColumn> land_database(const Engine& engine, db::Connection& staging,
                                                  const ReadSpec& read,
                                                  const std::optional<StoredCursor>& bound);
// The first text that a csv or json read has in a column, as it stands in the file.
std::optional<std::string> first_text(const Engine& engine, db::Connection& staging,
                                      const ReadSpec& read, const std::string& column);
// What a file read would land, without landing it (validate --connect). PZ0330 when nothing is
// there.
std::vector<contracts::ShapeColumn> describe_files(const World& world, const Workspace& workspace,
                                                   db::Connection& duckdb, const ReadSpec& read);

// The columns of the source in its staged table: without the mark of change capture.
std::vector<contracts::ShapeColumn> describe_landed(db::Connection& staging, const ReadSpec& read);
std::vector<contracts::ShapeColumn> describe_staged(db::Connection& staging,
                                                    const std::string& table);

}  // namespace kedge::pipeline
