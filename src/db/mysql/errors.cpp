#include "db/mysql/errors.h"

#include <array>

namespace kedge::db::mysql {
namespace {

struct Line {
  unsigned int number;
  FailureClass failure;
};

constexpr std::array kTable = {
    // unknown column, table, syntax, routine; unknown table (DROP), duplicate column
    Line{1054, FailureClass::Schema},
    Line{1146, FailureClass::Schema},
    Line{1064, FailureClass::Schema},
    Line{1305, FailureClass::Schema},
    Line{1051, FailureClass::Schema},
    Line{1060, FailureClass::Schema},
    // access to database, table, column, routine, privilege
    Line{1044, FailureClass::Permission},
    Line{1142, FailureClass::Permission},
    Line{1143, FailureClass::Permission},
    Line{1227, FailureClass::Permission},
    Line{1370, FailureClass::Permission},
    // login, unknown database, host, shut down, killed, gone
    Line{1045, FailureClass::Connection},
    Line{1049, FailureClass::Connection},
    Line{1053, FailureClass::Connection},
    Line{1077, FailureClass::Connection},
    Line{1129, FailureClass::Connection},
    Line{1130, FailureClass::Connection},
    Line{1158, FailureClass::Connection},
    Line{1159, FailureClass::Connection},
    Line{1160, FailureClass::Connection},
    Line{1161, FailureClass::Connection},
    Line{1698, FailureClass::Connection},
    Line{1927, FailureClass::Connection},
    Line{3159, FailureClass::Connection},
    // MAX_EXECUTION_TIME and max_statement_time
    Line{3024, FailureClass::Timeout},
    Line{1969, FailureClass::Timeout},
    Line{1317, FailureClass::Cancelled},
    Line{1205, FailureClass::Lock},
    Line{1213, FailureClass::Lock},
    Line{3572, FailureClass::Lock},
    Line{1015, FailureClass::Lock},
    // memory, disk, connections, full tables, too many locks
    Line{1021, FailureClass::Resource},
    Line{1037, FailureClass::Resource},
    Line{1038, FailureClass::Resource},
    Line{1040, FailureClass::Resource},
    Line{1041, FailureClass::Resource},
    Line{1114, FailureClass::Resource},
    Line{1135, FailureClass::Resource},
    Line{1153, FailureClass::Resource},
    Line{1203, FailureClass::Resource},
    Line{1206, FailureClass::Resource},
    Line{1226, FailureClass::Resource},
    // values: null, duplicate, range, truncation, conversion, division, keys, checks
    Line{1048, FailureClass::Data},
    Line{1062, FailureClass::Data},
    Line{1216, FailureClass::Data},
    Line{1217, FailureClass::Data},
    Line{1242, FailureClass::Data},
    Line{1264, FailureClass::Data},
    Line{1265, FailureClass::Data},
    Line{1292, FailureClass::Data},
    Line{1364, FailureClass::Data},
    Line{1365, FailureClass::Data},
    Line{1366, FailureClass::Data},
    Line{1406, FailureClass::Data},
    Line{1411, FailureClass::Data},
    Line{1451, FailureClass::Data},
    Line{1452, FailureClass::Data},
    Line{1526, FailureClass::Data},
    Line{1586, FailureClass::Data},
    Line{1690, FailureClass::Data},
    Line{3819, FailureClass::Data},
    Line{4025, FailureClass::Data},
};

constexpr unsigned int kFirstClientError = 2000;
constexpr unsigned int kLastClientError = 2999;

}  // namespace

FailureClass classify(unsigned int number) {
  for (const Line& line : kTable) {
    if (line.number == number) {
      return line.failure;
    }
  }
  if (number == 2008) {  // the client is out of memory
    return FailureClass::Resource;
  }
  // Everything else that the client library finds is the connection.
  return number >= kFirstClientError && number <= kLastClientError ? FailureClass::Connection
                                                                   : FailureClass::Other;
}

}  // namespace kedge::db::mysql
