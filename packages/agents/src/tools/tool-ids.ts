import { createHash } from 'node:crypto';

/** The ids of the tools that every host has. */
export const BUILT_IN_IDS = ['baton:time', 'baton:calculate', 'baton:fetch'] as const;

/**
 * Whether an entry of an allow-list means this tool. Ids are compared character by character: another case, another
 * spelling or the name that the model is told never match.
 */
export function matches(allowed: string, id: string): boolean {
  return allowed.endsWith('*') ? id.startsWith(allowed.slice(0, -1)) : allowed === id;
}

const LONGEST = 64;
const DIGEST = 12;

/**
 * The name that a model is told for a tool: `files_read_file` for `mcp:files/read_file`, `http_ticket` for
 * `http:ticket`. It follows from the id alone, so a tool keeps its name when others come and go. Names of servers have
 * no underscore and are none of `http`, `baton` and `handoff`, so tools of different kinds and servers never share a name. If
 * characters of the id cannot be in a name, or if it is too long, the name ends with a digest of the id.
 */
export function modelName(id: string): string {
  const plain = id.startsWith('mcp:') ? id.slice('mcp:'.length).replace('/', '_') : id.replace(':', '_');
  if (/^[a-zA-Z0-9_-]+$/.test(plain) && plain.length <= LONGEST) return plain;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, DIGEST);
  return `${plain.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, LONGEST - DIGEST - 1)}_${digest}`;
}
