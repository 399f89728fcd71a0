// Drives `kedge mcp` (stdio) and the HTTP endpoint with the official SDK client.
//   node mcp_client.mjs KEDGE PROJECT NODE_MODULES [URL]
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const [kedge, project, modules, url] = process.argv.slice(2);
const load = path => import(pathToFileURL(join(modules, '@modelcontextprotocol/sdk/dist/esm', path)).href);
const { Client } = await load('client/index.js');
const { StdioClientTransport } = await load('client/stdio.js');
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js');

const transport = url ? new StreamableHTTPClientTransport(new URL(url))
  : new StdioClientTransport({ command: kedge, args: ['-C', project, 'mcp'] });
const client = new Client({ name: 'kedge-test', version: '1' });
await client.connect(transport);
const result = { server: client.getServerVersion(), tools: (await client.listTools()).tools };
const call = async (name, args) => {
  const answer = await client.callTool({ name, arguments: args });
  return { isError: answer.isError ?? false, json: JSON.parse(answer.content[0].text) };
};
result.validate = await call('validate_models', {});
result.unknown = await call('validate_models', { data_source: 'nowhere' });
result.badKey = await call('validate_models', { data_sorce: 'x' });
result.check = await call('check', {});
result.impact = await call('impact', { drop_columns: ['crates.kg'] });
result.url = await call('diff', { from: 'sqlite:/etc/passwd', to: 'empty:' });
result.resources = (await client.listResources()).resources.map(resource => resource.uri);
result.resource = (await client.readResource({ uri: 'kedge://models/main/crates.yml' })).contents[0].text;
await client.close();
console.log(JSON.stringify(result));
