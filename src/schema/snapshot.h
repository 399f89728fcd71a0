// The shape as text and back: the snapshot file `kedge-schema/1` (spec/migrate.md 3.1), and its
// values as JSON for every report that shows them. One description (describe.h) serves both
// directions, so nothing can be written that is not read.
#pragma once

#include <string>

#include "document/json.h"
#include "kedge/schema.h"

namespace kedge::schema {

// Canonical text: two-space indent, keys sorted, lists as normalise() leaves them, ends with a
// newline. Equal schemas give equal bytes.
std::string write_snapshot(const Schema& schema);

// Throws ERR_SNAPSHOT_CORRUPT with the position in `file`.
Schema read_snapshot(std::string file, std::string source);

// 64 hex digits over everything that is compared: engine version and estimates do not count.
std::string fingerprint(const Schema& schema);

// Values for reports; members in the order name, type, nullable, ... and absent ones left out.
document::Json to_json(const Column& column);
document::Json to_json(const PrimaryKey& key);
document::Json to_json(const Index& index);
document::Json to_json(const ForeignKey& key);
document::Json to_json(const Check& check);
document::Json to_json(const Table& table);
document::Json to_json(const View& view);
document::Json to_json(const Sequence& sequence);
document::Json to_json(const EnumType& type);
document::Json to_json(const DomainType& type);
document::Json to_json(const CompositeType& type);
document::Json to_json(const DefinedObject& object);
document::Json to_json(const Schema& schema);

}  // namespace kedge::schema
