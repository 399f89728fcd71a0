// The blocks of project.yml that belong to the other chapters, and what both project files share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "document/node.h"
#include "kedge/finding.h"
#include "project/block_reader.h"
#include "project/settings.h"
#include "project/variables.h"

namespace kedge::project {

void read_metadata_block(const Report& report, const document::Node& block, MetadataSettings& out);
void read_migrate_block(const Report& report, const document::Node& block, MigrateSettings& out);
void read_gen_block(const Report& report, const document::Node& block, GenSettings& out);
void read_docs_block(const Report& report, const document::Node& block, DocsSettings& out);
void read_templates_block(const Report& report, const document::Node& block, TemplateSettings& out);

// Nothing when there is no such file. Problems of the text are PZ0101; a root that is no mapping
// makes the document unusable.
std::optional<document::Document> read_project_file(const base::FileSystem& files,
                                                    const std::string& folder,
                                                    const std::string& name,
                                                    std::vector<Problem>& problems);
// PZ0135 when there is a file of the name.
void warn_about_yaml(const base::FileSystem& files, const std::string& folder,
                     const std::string& name, std::vector<Finding>& warnings);
void sort_by_place(std::vector<Problem>& problems);
void report_unset(const Unset& unset, const Report& report);

}  // namespace kedge::project
