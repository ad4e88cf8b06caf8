import { describe, expect, it } from 'vitest';
import { columns } from '../columns.ts';
import { outputTo, paintFor } from './output.ts';
import { printable, printableBlock, printableLine } from './printable.ts';

const UNSEEN: readonly number[] = [
  0x1b, 0x07, 0x7f, 0x9b, 0xad, 0x61c, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
  0x202c, 0x202d, 0x202e, 0x2060, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff, 0xfff9, 0xe0001, 0xe0041, 0xe007f,
];

describe('a text of others', () => {
  it.each(UNSEEN)('shows the character %i as an escape of JSON', (code) => {
    const text = `a${String.fromCodePoint(code)}b`;
    const shown = printable(text);
    expect(shown).toMatch(/^a(\\u[0-9a-f]{4}){1,2}b$/);
    expect(JSON.parse(`"${shown}"`)).toBe(text);
  });

  it.each(['owls\n\tand 潮汐', '👩\u200d🚀', '⚠\ufe0f', '👩🏽\u200d🚀', 'e\u0301', '한'])(
    'keeps %j',
    (text) => {
      expect(printable(text)).toBe(text);
    },
  );

  it('has no half of a character, and lines end as usual', () => {
    expect(printable('a\ud83db\r\nc\rd')).toBe('a\\ud83db\nc\\u000dd');
  });

  it('is one line where a line is needed', () => {
    expect(printableLine(' a\n\n  b\u202e ')).toBe('a b\\u202e');
  });

  it('has a mark before each line but the first, also where the terminal is too narrow', () => {
    expect(printableBlock('a\n  run  fake', 2)).toBe('a\n  │   run  fake');
    expect(printableBlock(`${'x'.repeat(20)}  run fake`, 0, 22)).toBe(`${'x'.repeat(20)}\n│   run fake`);
  });
});

describe('every output', () => {
  function written(form: 'lines' | 'json', text: string): string {
    let all = '';
    const add = (part: string): void => {
      all += `${part}\n`;
    };
    const out = outputTo(form, true, { print: add, note: add });
    out.give({ text }, `${paintFor(true).red('ok')} ${text}`);
    out.note(text);
    return all;
  }

  it.each(['lines', 'json'] as const)('as %s escapes texts that a command forgot', (form) => {
    for (const sign of ['\u202e', '\x1b[2J', '\u009b']) {
      expect(written(form, `a${sign}b`)).not.toContain(sign);
    }
    expect(written('lines', 'x')).toContain('\x1b[31mok\x1b[39m');
  });

  it('as a table has one line a row', () => {
    expect(columns([['A'], ['x\ny\u202e']])).toBe('A\nx y\\u202e');
  });
});
