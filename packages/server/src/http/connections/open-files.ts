import { readFileSync } from 'node:fs';

/** Used when the system does not tell its limit. Most systems allow at least this many. */
const USUAL = 1024;

/** How many files and sockets this process may have open at once. */
export function openFilesAllowed(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (limit !== undefined) return Number(limit);
  } catch {
    // Only Linux has this file. Elsewhere the limit is read from the process report, which takes longer.
  }
  return fromReport() ?? USUAL;
}

function fromReport(): number | undefined {
  const { userLimits } = (process.report?.getReport() ?? {}) as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}
