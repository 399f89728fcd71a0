// The table of spec/models.md 7 as data.
#pragma once

#include <span>
#include <string_view>

#include "dialect/buckets.h"

namespace kedge::dialect {

struct BucketRow {
  std::string_view dialect;
  ColumnClass column_class;
  std::string_view names;  // separated by '|', lower case, without arguments; "x*" = starts with x
};

std::span<const BucketRow> bucket_rows();

}  // namespace kedge::dialect
