import type { Json } from '@baton/protocol';

/** Hides what looks like somebody's credentials. A bundle leaves the house, and nobody knows where to. */

export const MASK = '[REDACTED]';

/** The shapes that providers give to keys and tokens. None of them can contain what JSON would escape. */
const CREDENTIALS = new RegExp(
  [
    'sk-[\\w-]{16,}',
    '(?:sk|rk|pk)_(?:live|test)_\\w{10,}',
    'AIza[\\w-]{20,}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'gh[opsur]_\\w{20,}',
    'github_pat_\\w{20,}',
    'glpat-[\\w-]{16,}',
    'xox[abeoprs]-[\\w-]{10,}',
    'cred_[\\w-]{16,}',
    'eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]{8,}',
  ]
    .map((shape) => `(?<![\\w-])${shape}`)
    .join('|'),
  'g',
);

/** A value that stands for one that may not be seen. */
const SEALED = /sealed:v1:[\w.!~*'()%-]*:[\w-]*/g;

export function maskText(text: string): string {
  return text.replace(CREDENTIALS, MASK);
}

/** For what people look at: sealed values are hidden too, as they mean nothing to them. */
export function maskForReaders(value: Json): Json {
  return JSON.parse(maskText(JSON.stringify(value)).replace(SEALED, MASK)) as Json;
}
