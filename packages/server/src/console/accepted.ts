import { ENCODINGS, type Encoding } from './console-files.ts';

/** Reads the headers with which a client says what it accepts. */

/** Whether HTML is named, and not only covered by a wildcard: scripts and programs send wildcards. */
export function namesHtml(accept: string | undefined): boolean {
  return weightOf(accept, 'text/html') > 0;
}

/** Whether HTML is accepted, also by a wildcard or because nothing is said. */
export function takesHtml(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return ['text/html', 'text/*', '*/*'].some((type) => weightOf(accept, type) > 0);
}

/** The first compressed form, of those that are there, that a client accepts. */
export function encodingFor(header: string | undefined, there: readonly Encoding[]): Encoding | undefined {
  return ENCODINGS.find((encoding) => there.includes(encoding) && weightOf(header, encoding) > 0);
}

/** The weight of a name in a list such as `text/html, * / *;q=0.8`; 0 when it is not there or not wanted. */
function weightOf(header: string | undefined, name: string): number {
  for (const part of (header ?? '').split(',')) {
    const [given = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (given !== name) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number.parseFloat(weight.slice(2)) || 0;
  }
  return 0;
}
