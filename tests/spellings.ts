import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Looks for a value that must not be there, in every way in which it could have been written down. */
function spellings(value: string): readonly string[] {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((lead) =>
    Buffer.concat([Buffer.alloc(lead), bytes])
      .toString('base64')
      .slice(lead === 0 ? 0 : lead + 1, -4),
  );
  const found = [
    value,
    inJson(value),
    inJson(inJson(value)),
    encodeURIComponent(value),
    encodeURIComponent(value).toLowerCase(),
    new URLSearchParams({ v: value }).toString().slice(2),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(found)];
}

export function traces(text: string, values: readonly string[]): readonly string[] {
  return values.flatMap(spellings).filter((spelled) => text.includes(spelled));
}

/** All bytes of all files below a folder, database and write-ahead log included. */
export function bytesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
