import { existsSync, writeFileSync } from 'node:fs';

/**
 * The reference MCP server over stdio. It writes its process id to the first argument, and it does not start while
 * the file in the second argument exists.
 */
const [, , pidFile, blockFile] = process.argv;
if (existsSync(blockFile)) process.exit(3);
writeFileSync(pidFile, String(process.pid));

process.argv[2] = 'stdio';
await import('@modelcontextprotocol/server-everything/dist/index.js');
