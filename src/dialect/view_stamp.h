// kedge's mark on a view that it made (spec/migrate.md 9.1): the last line of its comment, or a
// comment at the head of its stored text.
#pragma once

#include <string>
#include <string_view>

#include "kedge/schema.h"

namespace kedge::dialect {

// Sets comment (without the stamp line), stamp, fingerprint and definition hash of the view.
void read_comment_stamp(std::string_view comment, schema::View& view);
// D1: a query that nobody reads bears the stamp, because wrangler takes comments out of what it
// sends: WITH "kedge:v1:sha256:<hex>" AS (SELECT 1) before the body.
std::string stamp_query(const std::string& body, std::string_view stamp);
// Takes that, or "/* kedge:v1:sha256:<hex> */", off the head of the body.
void read_body_stamp(schema::View& view);
// "kedge:v1:sha256:<64 hex>[:def:<32 hex>:<major>]" or a stamp of another tool that counts.
// The hash of the engine's own rendering now, of a view whose stamp holds the one of when it was
// made: another one says that somebody replaced the view and left the stamp.
inline constexpr std::string_view kChangedUnderStamp = "changed";
void check_rendering(schema::View& view, std::string_view hash_now);
bool read_stamp(std::string_view text, schema::View& view);

}  // namespace kedge::dialect
