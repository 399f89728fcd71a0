// Quick start of the package: KEDGE_BIN names the program, KEDGE_TEST_PROJECT a project (tests/clients/run_node.py).
import assert from 'node:assert';
import { test } from 'node:test';
import { Engine, KedgeError, SchemaDriftError } from './index.js';

const engine = new Engine(process.env.KEDGE_TEST_PROJECT, { env: { YARD: 'yard.db' } });
const query = { source_model: 'crates', measures: ['kg:sum'] };

test('ingest, query, check, drift, apply', async () => {
  const added = await engine.ingest('main');
  assert.deepStrictEqual(added.additions.map(entry => entry.model_name), ['crates']);
  assert.deepStrictEqual((await engine.query(query)).data, [{ 'crates.kg_sum': 6 }]);
  assert.deepStrictEqual(await engine.validateModels(), []);
  assert.strictEqual((await engine.check({ only: ['models'] })).exit_code, 0);
  const broken = new Engine(process.env.KEDGE_TEST_PROJECT, { env: { YARD: 'drifted.db' } });
  await assert.rejects(broken.query(query), error => error instanceof SchemaDriftError && error.models[0] === 'crates');
  const entries = await broken.validateModels('main');
  assert.deepStrictEqual(entries[0].remove.columns, ['kg']);
  const applied = await broken.applyDriftDeletes(entries);
  assert.deepStrictEqual([applied.applied.length, applied.residual], [1, []]);
});

test('a database that is down does not lose the report', async () => {
  const report = await new Engine(process.env.KEDGE_TEST_PROJECT, { env: { YARD: 'nowhere.db' } }).check({ only: ['models'] });
  assert.deepStrictEqual([report.exit_code, report.errors.length > 0], [2, true]);
});

test('words that look like options, and no program at all, are errors of the client', async () => {
  for (const text of ['--help', '--version', '-C', '--']) {
    await assert.rejects(engine.query(text), error => error instanceof KedgeError && error.exitCode === 2, text);
  }
  await assert.rejects(engine.validateModels('--help'), error => error.code === 'unknown_data_source');
  await assert.rejects(new Engine('.', { program: '/nowhere/kedge' }).check(), KedgeError);
});

test('what cannot be asked is an error of the client', async () => {
  const circle = {};
  circle.self = circle;
  for (const call of [() => engine.query('a\0b'), () => engine.query({ limit: 1n }), () => engine.query(circle), () => engine.validateModels('a\0b'),
    () => engine.check({ only: ['a\0b'] }), () => engine.ingest('main', { includeTables: [''] }), () => engine.validateModels(''),
    () => engine.applyDriftDeletes(circle), () => engine.query(query, { variables: { x: 1n } })]) {
    await assert.rejects(async () => call(), KedgeError, String(call));
  }
});

test('an unknown data source has its code', async () => {
  await assert.rejects(engine.validateModels('nope'),
    error => error instanceof KedgeError && error.code === 'unknown_data_source' && error.exitCode === 2);
});
