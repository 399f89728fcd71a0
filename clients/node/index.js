// A thin client over the kedge program: every call runs it once with --format json.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programPath } from './program.js';

export { programPath };

export class KedgeError extends Error {
  constructor(code, message, exitCode, document) {
    super(code ? `[${code}] ${message}` : message);
    this.name = new.target.name;
    this.code = code;
    this.exitCode = exitCode;
    this.document = document;
  }
}

export class SchemaDriftError extends KedgeError {
  constructor(body, exitCode) {
    const entries = body.to_delete ?? [];
    super('schema_drift', `Schema drift detected on models [${(body.models ?? []).join(', ')}]: ${entries.length} pending delete(s)`, exitCode, body);
    this.models = body.models ?? [];
    this.toDelete = entries;
    this.original = body.original ?? '';
  }
}

const parse = text => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const failure = (stdout, stderr, exitCode) => {
  const document = parse(stdout);
  if (document?.error === 'schema_drift') return new SchemaDriftError(document, exitCode);
  if (document?.error) return new KedgeError(document.error, document.message ?? '', exitCode, document);
  const first = Array.isArray(document?.errors) ? document.errors[0] : undefined;
  if (first) return new KedgeError(first.code ?? '', first.message ?? '', exitCode, document);
  const said = stderr.split('\n').map(parse).find(line => line?.code);
  return new KedgeError(said?.code ?? '', said?.message ?? (stderr.trim() || `kedge ended with ${exitCode}`), exitCode, document);
};

const json = value => {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new KedgeError('', `cannot be written as JSON: ${error.message}`, 2);
  }
};

const given = value => value !== undefined && value !== null;

const list = (flag, names) => names?.length ? [`${flag}=${names.join(',')}`] : [];

// The report of a check that could not look everywhere ends with 2 and is a result all the same.
const isResult = (document, exitCode) => document !== undefined && (exitCode !== 2 || document.guards !== undefined);

export class Engine {
  constructor(project = '.', { program = programPath(), env } = {}) {
    this.project = project;
    this.program = program;
    this.env = env ? { ...process.env, ...env } : process.env;
  }

  #run(command, rest, good) {
    return new Promise((resolve, reject) => {
      let child;
      try {
        child = spawn(this.program, [command, '-C', this.project, '--format', 'json', ...rest], { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
      } catch (error) { // a NUL in a word
        reject(new KedgeError('', `cannot run ${this.program}: ${error.message}`, 127));
        return;
      }
      const out = [], err = [];
      child.stdout.on('data', bytes => out.push(bytes));
      child.stderr.on('data', bytes => err.push(bytes));
      child.on('error', error => reject(new KedgeError('', `cannot run ${this.program}: ${error.message}`, 127)));
      child.on('close', exitCode => {
        const stdout = Buffer.concat(out).toString('utf8');
        const document = parse(stdout);
        if (good.includes(exitCode) && isResult(document, exitCode)) resolve(document);
        else if (good.includes(exitCode) && document === undefined) {
          reject(new KedgeError('', `kedge gave no JSON document: ${stdout.trim().slice(0, 200)}`, exitCode));
        } else reject(failure(stdout, Buffer.concat(err).toString('utf8'), exitCode));
      });
    });
  }

  validateModels(dataSource, { deep = false } = {}) {
    return this.#run('validate-models', [...(given(dataSource) ? [`--datasource=${dataSource}`] : []), ...(deep ? ['--deep'] : [])], [0]);
  }

  async applyDriftDeletes(entries) {
    const folder = await mkdtemp(join(tmpdir(), 'kedge-'));
    try {
      const path = join(folder, 'entries.json');
      await writeFile(path, json(entries));
      return await this.#run('validate-models', ['--force-clean', '--yes', '--from', path], [0, 1]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  ingest(dataSource, { schemaName, includeTables, excludeTables } = {}) {
    return this.#run('ingest', [`--datasource=${dataSource}`, ...(given(schemaName) ? [`--schema=${schemaName}`] : []),
      ...list('--include-tables', includeTables), ...list('--exclude-tables', excludeTables)], [0, 1]);
  }

  async query(query, { variables = {}, dataSource, dryRun = false } = {}) {
    const values = Object.entries(variables).map(([name, value]) => `--variables=${name}=${typeof value === 'string' ? value : json(value)}`);
    return this.#run('query', [...values, ...(given(dataSource) ? [`--data-source=${dataSource}`] : []), ...(dryRun ? ['--dry-run'] : []),
      '--', typeof query === 'string' ? query : json(query)], [0]);
  }

  check({ only, skip } = {}) {
    return this.#run('check', [...list('--only', only), ...list('--skip', skip)], [0, 1, 2]);
  }
}
