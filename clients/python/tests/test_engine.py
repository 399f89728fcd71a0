"""Quick start of the package on a real project: KEDGE_BIN names the program."""
import asyncio
import pathlib
import sqlite3
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import kedge  # noqa: E402

CONNECTIONS = "main:\n  connector: sqlite\n  path: yard.db\n"


class EngineTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = pathlib.Path(self.folder.name)
        (root / "connections.yml").write_text(CONNECTIONS)
        self.database = str(root / "yard.db")
        self.sql("CREATE TABLE crates (id INTEGER PRIMARY KEY, kg REAL, lot TEXT); INSERT INTO crates VALUES (1, 2.5, 'a'), (2, 3.5, 'b')")
        self.engine = kedge.Engine(root)

    def sql(self, text):
        connection = sqlite3.connect(self.database)
        connection.executescript(text)
        connection.close()

    def test_ingest_query_drift_apply(self):
        added = self.engine.ingest("main")
        self.assertEqual([entry["model_name"] for entry in added["additions"]], ["crates"])
        query = {"source_model": "crates", "measures": ["kg:sum"]}
        self.assertEqual(self.engine.query(query)["data"], [{"crates.kg_sum": 6.0}])
        self.assertEqual(self.engine.validate_models(), [])
        self.sql("ALTER TABLE crates DROP COLUMN kg")
        with self.assertRaises(kedge.SchemaDriftError) as caught:
            self.engine.query(query)
        self.assertEqual(caught.exception.models, ["crates"])
        entries = self.engine.validate_models("main")
        self.assertEqual(entries[0]["remove"]["columns"], ["kg"])
        result = self.engine.apply_drift_deletes(entries)
        self.assertEqual((len(result["applied"]), result["residual"]), (1, []))

    def test_an_unknown_data_source_has_its_code(self):
        with self.assertRaises(kedge.KedgeError) as caught:
            self.engine.validate_models("nope")
        self.assertEqual((caught.exception.code, caught.exception.exit_code), ("unknown_data_source", 2))

    def test_a_database_that_is_down_does_not_lose_the_report(self):
        self.engine.ingest("main")
        pathlib.Path(self.database).unlink()
        report = self.engine.check(only=["models"])
        self.assertEqual((report["exit_code"], bool(report["errors"])), (2, True))

    def test_words_that_look_like_options_are_values(self):
        for text in ("--help", "--version", "-C"):
            with self.assertRaises(kedge.KedgeError) as caught:
                self.engine.query(text)
            self.assertEqual(caught.exception.exit_code, 2, text)
        with self.assertRaises(kedge.KedgeError) as caught:
            self.engine.validate_models("--help")
        self.assertEqual(caught.exception.code, "unknown_data_source")

    def test_whatever_fails_is_an_error_of_the_client(self):
        with self.assertRaises(kedge.KedgeError):
            kedge.Engine(".", program="/nowhere/kedge").check()
        with self.assertRaises(kedge.KedgeError):
            kedge.Engine(".", program="/bin/true").check()
        with self.assertRaises(kedge.KedgeError):
            asyncio.run(kedge.AsyncEngine(".", program="/nowhere/kedge").check())

    def test_what_cannot_be_asked_is_an_error_of_the_client(self):
        circle = {}
        circle["self"] = circle
        asked = [lambda e: e.query("a\0b"), lambda e: e.query("half \ud800"), lambda e: e.query({"limit": {1}}), lambda e: e.query(circle),
                 lambda e: e.query("x", variables={"v": {1}}), lambda e: e.validate_models("a\0b"), lambda e: e.check(only=[None]),
                 lambda e: e.check(only=[""]), lambda e: e.ingest("main", include_tables=[""]), lambda e: e.apply_drift_deletes([{1}])]
        for number, call in enumerate(asked):
            with self.subTest(number), self.assertRaises(kedge.KedgeError):
                call(self.engine)

            async def later():
                await call(kedge.AsyncEngine(self.folder.name))

            with self.subTest(f"async {number}"), self.assertRaises(kedge.KedgeError):
                asyncio.run(later())

    def test_async_gives_the_same(self):
        async def both():
            engine = kedge.AsyncEngine(self.folder.name)
            await engine.ingest("main")
            return await asyncio.gather(engine.validate_models(), engine.query({"source_model": "crates", "measures": ["*:count"]}))

        entries, result = asyncio.run(both())
        self.assertEqual((entries, result["data"]), ([], [{"crates._count": 2}]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
