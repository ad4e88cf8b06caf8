import type { Json } from '@baton/protocol';

/** Hides texts that look like credentials, because a bundle is sent to other people. */

export const MASK = '[REDACTED]';

/** The formats of keys and tokens of known providers. None of them contains characters that JSON escapes. */
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

/** The token of a sealed value. */
const SEALED = /sealed:v1:[\w.!~*'()%-]*:[\w-]*/g;

export function maskText(text: string): string {
  return text.replace(CREDENTIALS, MASK);
}

/** For people: sealed values are hidden too, because their tokens have no meaning for a reader. */
export function maskForReaders(value: Json): Json {
  return JSON.parse(maskText(JSON.stringify(value)).replace(SEALED, MASK)) as Json;
}
