import { statSync } from 'node:fs';

const OTHERS = 0o077;

/** A file with secrets may be readable by its owner only. */
export function requireOwnerOnly(file: string): void {
  const { mode } = statSync(file);
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
    throw new Error(`${file} can be read by other users; run: chmod 600 ${file}`);
  }
}
