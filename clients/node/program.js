// Where the program is: $KEDGE_BIN, else the one in this package, else `kedge` on PATH.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function programPath() {
  if (process.env.KEDGE_BIN) return process.env.KEDGE_BIN;
  const bundled = fileURLToPath(new URL('bin/kedge', import.meta.url));
  return existsSync(bundled) ? bundled : 'kedge';
}
