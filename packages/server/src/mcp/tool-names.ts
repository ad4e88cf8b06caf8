import { createHash } from 'node:crypto';

const LONGEST = 64;
const DIGEST = 12;

/** Names with this prefix are those of the tools that every host has. */
export const OWN_PREFIX = 'baton_';

/**
 * The name of the tool for a worker: `research-desk` for the workflow `research-desk`. It follows from the id alone, so
 * a tool keeps its name when others are published. If the id has characters that many clients refuse, is too long or
 * looks like a tool of the host, the name ends with a digest of the id: `local_acme_writer_0c1f…`.
 */
export function toolName(workerId: string): string {
  const isPlain = /^[a-zA-Z0-9_-]+$/.test(workerId) && workerId.length <= LONGEST;
  if (isPlain && !workerId.startsWith(OWN_PREFIX)) return workerId;
  const digest = createHash('sha256').update(workerId).digest('hex').slice(0, DIGEST);
  const readable = workerId.startsWith(OWN_PREFIX) ? `worker_${workerId}` : workerId;
  return `${readable.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, LONGEST - DIGEST - 1)}_${digest}`;
}
