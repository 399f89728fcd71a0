#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { programPath } from './program.js';

const done = spawnSync(programPath(), process.argv.slice(2), { stdio: 'inherit' });
if (done.error) {
  console.error(`kedge: ${done.error.message}`);
  process.exit(2);
}
process.exit(done.status ?? 128);
