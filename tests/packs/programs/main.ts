// Uses the code that the typescript pack made, and answers the runner: see run_packs.py for the commands.
import { readFileSync } from "node:fs";
import {
  type Bed, type EveryRowPatch, EveryRowEnumRequiredValues, OddTable, checkStartup, checkStartupDatabase, isAlphaNote, kedgeTables,
  parseBed, parseEvery, parseGarden, requireStartup, type AlphaNote, type NewEveryRow, type Row, type StartupProblem,
} from "./gen/index.js";

const required = {
  stringRequired: "x", stringListRequired: [], intRequired: 1, intListRequired: [], longRequired: 1, longListRequired: [],
  floatRequired: 1.5, floatListRequired: [], doubleRequired: 1.5, doubleListRequired: [], decimalRequired: "1.5",
  decimalListRequired: [], currencyRequired: 100, currencyListRequired: [], booleanRequired: true, booleanListRequired: [],
  dateRequired: "2026-05-03", dateListRequired: [], timeRequired: "10:00:00", timeListRequired: [],
  timestampRequired: "2026-05-03T10:00:00Z", timestampListRequired: [], uuidRequired: "0e8f3a8e-6f0b-4c5e-9a51-1d2c3b4a5f60",
  uuidListRequired: [], uriRequired: "https://example.org", uriListRequired: [], inetRequired: "::1", inetListRequired: [],
  bytesRequired: "AQ==", bytesListRequired: [], enumRequired: "NORTH", enumListRequired: [], mapRequired: {}, mapListRequired: [],
  objectRequired: { text: "t" }, objectListRequired: [], limited: "seven77", localRequired: "2026-05-03T10:00:00",
};

function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(`not so: ${what}`);
}
function problems(value: unknown): string {
  try {
    parseEvery(value);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

function use(): void {
  expect(problems(required) === "", `a full value is one: ${problems(required)}`);
  expect(problems({ ...required, stringField: null, enumList: ["class", "None"] }) === "", "null and lists");
  for (const [key, value] of Object.entries({
    stringRequired: undefined, intRequired: 1.5, longRequired: "1", floatRequired: "x", booleanRequired: 1, decimalRequired: 1.5,
    enumRequired: "WEST", enumList: ["NORTH", "WEST"], stringList: "x", mapRequired: [], objectRequired: { text: 1 },
    objectList: [{}], limited: "eight888", dateRequired: 5, bytesRequired: 1, currencyRequired: 0.5,
  })) {
    expect(problems({ ...required, [key]: value }).includes(`/${key}`), `${key} is refused`);
  }
  const two = problems({ ...required, intRequired: "a", dateRequired: 1 });
  expect(two.includes("/intRequired") && two.includes("/dateRequired"), "every problem is listed");
  expect(isAlphaNote !== undefined && problems(null) !== "" && problems([]) !== "", "null and lists are no objects");
  const bed: Bed = parseBed({ parts: [{ parts: [{ name: "deep" }] }], garden: { beds: [], note: { number: 1 } } });
  expect(bed.parts?.[0]?.parts?.[0]?.name === "deep", "recursion");
  expect(parseGarden({ beds: [], note: { number: 2 } }).note.number === 2, "equal names of two packages");
  const fresh: NewEveryRow | undefined = undefined;
  const patch: EveryRowPatch = { stringField: null };
  const note: AlphaNote = { text: "x" };
  expect(fresh === undefined && patch.stringField === null && note.text === "x", "types");
  expect(EveryRowEnumRequiredValues.join() === "NORTH,south_east,class,None,x1", "members");
  expect(OddTable.table === 'an "odd" $table' && OddTable.columns.KEY === 'the "key" \\$k', "physical names");
}

const print = (found: StartupProblem[]): void => {
  for (const problem of found) console.log(`${problem.code} ${problem.message}`);
};
const [command, first, second] = process.argv.slice(2);
if (command === "use") use();
else if (command === "check") print(checkStartup(readModel(first)));
else if (command === "require") {
  requireStartup(checkStartup(readModel(first)), process.env["KEDGE_STARTUP_CHECK"] ?? "enforce", console.error);
  console.log("started");
} else if (command === "sql" || command === "rows") {
  const engine = first as "sqlite" | "postgres" | "mysql";
  print(await checkStartupDatabase(engine, (sql): Row[] => {
    if (command === "sql") {
      process.stdout.write(sql);
      process.exit(0);
    }
    return readFileSync(second!, "utf8").split("\x1e").filter((line) => line !== "").map((line) => {
      const [s, t, c, ty, n] = line.split("\x1f");
      return { s, t, c, ty, n };
    });
  }));
}

function readModel(path: string | undefined): unknown {
  try {
    return JSON.parse(readFileSync(path!, "utf8"));
  } catch {
    return undefined;
  }
}
expect(kedgeTables.length > 5, "tables");
