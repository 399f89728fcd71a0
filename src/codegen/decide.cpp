#include "codegen/decide.h"

#include "base/text.h"
#include "codegen/merge.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

Decision write(FileStatus status, const std::string& text) {
  Decision decision;
  decision.status = status;
  decision.text = text;
  decision.records = true;
  return decision;
}

Decision leave(FileStatus status, Code code, std::string message) {
  Decision decision;
  decision.status = status;
  decision.code = code;
  decision.message = std::move(message);
  return decision;
}

Decision conflict(const std::string& disk, int regions) {
  Decision decision = leave(FileStatus::Conflict, codes::ERR_GEN_CONFLICT_UNRESOLVED,
                            "settle the conflict in the file, then run kedge gen again");
  decision.regions = regions;
  decision.line = first_marker_line(disk);
  return decision;
}

int count_regions(const std::string& text) {
  int count = 0;
  for (const std::string& line : base::split(text, '\n')) {
    count += line.starts_with("<<<<<<< ") ? 1 : 0;
  }
  return count;
}

Decision merge(const std::string& disk, const std::string& base, const GeneratedFile& fresh) {
  // Every generation writes another header line: it is no edit, whoever wrote the one on disk.
  MergeResult merged =
      merge_texts(with_header_of(base, fresh.text), with_header_of(disk, fresh.text), fresh.text);
  if (merged.regions == 0) {
    const bool same = merged.text == fresh.text;
    return write(same ? FileStatus::Updated : FileStatus::Merged, merged.text);
  }
  Decision decision = conflict(merged.text, merged.regions);
  decision.text = std::move(merged.text);
  decision.merge_base = base;
  return decision;
}

}  // namespace

std::string to_string(FileStatus status) {
  switch (status) {
    case FileStatus::Created:
      return "created";
    case FileStatus::Restored:
      return "restored";
    case FileStatus::Updated:
      return "updated";
    case FileStatus::Unchanged:
      return "unchanged";
    case FileStatus::Kept:
      return "kept";
    case FileStatus::Merged:
      return "merged";
    case FileStatus::Conflict:
      return "conflict";
    case FileStatus::Refused:
      return "refused";
    case FileStatus::Removed:
      return "removed";
    case FileStatus::Orphan:
      return "orphan";
  }
  return "";
}

bool is_pristine(const std::string& disk, const std::optional<std::string>& recorded_sha) {
  if (recorded_sha && base::sha256_hex(disk) == *recorded_sha) {
    return true;
  }
  const std::optional<HeaderSum> header = read_header(disk);
  return header && header->agrees;
}

OrphanFate fate_of_orphan(bool pristine, bool keeps, bool target_gone) {
  return !pristine     ? OrphanFate::Edited
         : keeps       ? OrphanFate::Kept
         : target_gone ? OrphanFate::TargetGone
                       : OrphanFate::Removed;
}

Decision decide(const GeneratedFile& fresh, const FileFacts& facts) {
  if (!facts.disk) {
    return write(facts.recorded_sha ? FileStatus::Restored : FileStatus::Created, fresh.text);
  }
  if (!base::is_valid_utf8(*facts.disk)) {
    return leave(FileStatus::Refused, codes::ERR_GEN_NOT_TEXT,
                 "the file on disk is not UTF-8 text");
  }
  const std::string as_is = normal_line_ends(*facts.disk);
  const std::string disk = drop_header_conflicts(as_is);
  if (facts.pending || holds_markers(disk)) {
    Decision standing = conflict(disk, count_regions(disk));
    if (standing.line > 0) {  // as the file is: conflicts of headers stand above all others
      standing.line += base::split(as_is, '\n').size() - base::split(disk, '\n').size();
    }
    return standing;
  }
  if (without_header(disk) == without_header(fresh.text)) {
    Decision same =
        write(as_is == fresh.text ? FileStatus::Unchanged : FileStatus::Updated, fresh.text);
    if (as_is == fresh.text) {
      same.text.reset();
    }
    return same;
  }
  if (is_pristine(disk, facts.recorded_sha)) {
    return write(FileStatus::Updated, fresh.text);
  }
  const bool ours = facts.recorded_sha || read_header(disk);
  if (fresh.exact && ours) {
    return leave(
        FileStatus::Refused, codes::ERR_GEN_EXACT_EDITED,
        "move your constants to a file of your own, then kedge gen --discard " + fresh.path);
  }
  const std::optional<std::string> base = facts.base();
  if (base && *base == fresh.text) {
    Decision kept;
    kept.status = FileStatus::Kept;
    kept.records = true;
    return kept;
  }
  if (base) {
    return merge(disk, *base, fresh);
  }
  return ours ? leave(FileStatus::Refused, codes::ERR_GEN_NO_BASE,
                      "the file was edited and what kedge last wrote is not known: kedge gen "
                      "--adopt " +
                          fresh.path + " keeps it, --discard replaces it")
              : leave(
                    FileStatus::Refused, codes::ERR_GEN_FOREIGN_FILE,
                    "kedge did not write this file: move it, or kedge gen --discard " + fresh.path);
}

}  // namespace kedge::codegen
