// The Database interface of the typescript pack under kysely's own types: what may be left out, what may be null.
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { Database } from "./gen/database.js";

const db = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new SqliteIntrospector(of),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
// id and level have a default, note and others may be null: none of them has to be given.
const visit = db.insertInto("visits").values({}).compile();
const settings = db.insertInto("settingses").values({ id: 1, seat_street: "Quay 1" }).compile();
// @ts-expect-error: seat.street is required, also inside the flattened value.
db.insertInto("settingses").values({ id: 1 }).compile();
// @ts-expect-error: a number is no street.
db.updateTable("settingses").set({ seat_street: 5 }).compile();
const update = db.updateTable("settingses").set({ place_street: null, level: 4 }).compile();
// @ts-expect-error: made up.
db.selectFrom("settingses").select("nowhere");
const odd = db.selectFrom('an "odd" $table').select('the "key" \\$k').compile();
const level: Promise<{ level: number; place_floor: number | null }[]> = db.selectFrom("settingses").select(["level", "place_floor"]).execute();
if ((await level).length !== 0) throw new Error("a dummy has no rows");
for (const query of [visit, settings, update, odd]) {
  if (query.sql.length === 0) throw new Error("no SQL");
}
if (!odd.sql.includes('"an ""odd"" $table"')) throw new Error(odd.sql);
