// A small service over the harbour database: it checks itself against the model that it was deployed
// with and against the live database, and only then serves. Arguments: model file, database file.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { VesselTable, checkStartup, checkStartupDatabase, requireStartup, type Row } from "./gen/index.js";

// The service's own driver. Any would do; this one needs nothing but Python's sqlite3.
const program = `
import json, sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.row_factory = sqlite3.Row
print(json.dumps([dict(r) for r in c.execute(sys.argv[2])]))
`;
const query = (database: string) => (sql: string): Row[] =>
  JSON.parse(execFileSync("python3", ["-c", program, database, sql], { encoding: "utf8" })) as Row[];

const [model, database] = process.argv.slice(2);
if (model === undefined || database === undefined) {
  console.error("usage: service MODEL DATABASE");
  process.exit(2);
}
const mode = process.env["KEDGE_STARTUP_CHECK"] ?? "enforce";
try {
  requireStartup(checkStartup(JSON.parse(readFileSync(model, "utf8"))), mode, console.error);
  requireStartup(await checkStartupDatabase("sqlite", query(database)), mode, console.error);
} catch (error) {
  console.error(`not started:\n${(error as Error).message}`);
  process.exit(1);
}
console.log("started");
for (const row of query(database)(`SELECT * FROM ${VesselTable.table} ORDER BY 1`)) {
  console.log(row[VesselTable.columns.CALL_SIGN], row[VesselTable.columns.NAME]);
}
