import { describe, expect, it } from 'vitest';
import { type Redactor, redactorOf, redactPayload } from './redaction.ts';

const KEY = 'sk-live/9f+2c"4b\\7a é?&';
const redactor = redactorOf([['openai', KEY]]) as Redactor;
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** As encoders write it that escape more than they have to: `+` as `\\u002B`, a line break as `\\n`. */
const escaping = (text: string, escaped: RegExp, upper: boolean) =>
  Array.from(text, (character) => {
    if (!character.match(escaped)) return inJson(character);
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${upper ? code.toUpperCase() : code}`;
  }).join('');

describe('redactText', () => {
  it.each<[string, string]>([
    ['as it is', KEY],
    ['in a JSON string', inJson(KEY)],
    ['in a JSON string in a JSON string', inJson(inJson(KEY))],
    ['three levels down', inJson(inJson(inJson(KEY)))],
    ['in JSON that escapes slashes', inJson(KEY).replaceAll('/', '\\/')],
    ['in JSON that is all ASCII', inJson(KEY).replace('é', '\\u00e9')],
    ['in JSON that escapes signs, in upper case', escaping(KEY, /[^A-Za-z0-9 \\]/g, true)],
    ['in JSON that escapes signs, in lower case', escaping(KEY, /[^A-Za-z0-9 \\]/g, false)],
    ['in JSON that escapes signs, in a JSON string', inJson(escaping(KEY, /[+&é]/g, true))],
    ['in JSON that escapes every character', escaping(KEY, /[\s\S]/g, true)],
    ['in base64 in JSON that escapes signs', escaping(base64(KEY), /[+/=]/g, true)],
    ['in an address', encodeURIComponent(KEY)],
    ['in an address, in lower case', encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams({ k: KEY }).toString().slice(2)],
    ['in base64', base64(KEY)],
    ['in base64 without padding', base64(KEY).replace(/=+$/, '')],
    ['in base64 for addresses', Buffer.from(KEY).toString('base64url')],
    ['in JSON in base64', base64(inJson(KEY))],
  ])('MEM-16 finds a secret %s', (_how, spelled) => {
    const text = redactor.redactText(`before ${spelled} after`);
    expect(text).toBe('before [REDACTED:openai] after');
  });

  it('finds a secret of several lines in JSON that escapes signs', () => {
    const lines = redactorOf([['pem', '-----BEGIN-----\nab+cd/ef\ngh<i>j\n']]) as Redactor;
    const spelled = '-----BEGIN-----\\nab\\u002Bcd/ef\\ngh\\u003Ci\\u003ej\\n';
    expect(lines.redactText(`{"key":"${spelled}"}`)).toBe('{"key":"[REDACTED:pem]"}');
    expect(lines.redactJson({ body: `{"key":"${spelled}"}` })).toEqual({ body: '{"key":"[REDACTED:pem]"}' });
  });

  it('holds back the beginning of a secret whose escape is not complete', () => {
    const one = redactorOf([['k', 'Zk3+abc/DEF+ghi9']]) as Redactor;
    const text = 'so Zk3\\u002Babc/DEF\\u002Bghi9';
    for (let length = 4; length < text.length; length += 1)
      expect(one.safeLength(text.slice(0, length))).toBe(3);
    expect(one.redactText(`${text}.`)).toBe('so [REDACTED:k].');
    expect(one.safeLength(`${text} and `)).toBe(text.length + 5);
  });

  it('reads a text with many backslashes once', () => {
    const text = '\\'.repeat(300_000);
    expect(redactor.redactText(`${text}u00`)).toBe(`${text}u00`);
    expect(redactor.redactText(`${text}u002`.repeat(2))).toBe(`${text}u002`.repeat(2));
  });

  it.each([0, 1, 2, 3, 4, 5])('MEM-16 finds a secret in base64, %i bytes in', (lead) => {
    for (const tail of ['', 'z', 'zz', 'zzz']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = redactor.redactText(
          Buffer.from(`${'a'.repeat(lead)}${KEY}${tail}`, 'utf8').toString(encoding),
        );
        expect(text).toContain('[REDACTED:openai]');
        // Only the neighbours are left, and the letters that they share with the secret.
        expect(Buffer.from(text.replace('[REDACTED:openai]', ''), 'base64').length).toBeLessThan(
          lead + tail.length + 4,
        );
      }
    }
  });

  it('replaces every occurrence', () => {
    expect(redactor.redactText(`${KEY}${KEY} ${KEY}`)).toBe(
      '[REDACTED:openai][REDACTED:openai] [REDACTED:openai]',
    );
  });

  it('prefers the longest of several secrets, and leaves nothing of those that overlap', () => {
    const several = redactorOf([
      ['short', 'abcdefgh'],
      ['long', 'abcdefghijkl'],
      ['late', 'ijklmnopqrstuvw'],
    ]) as Redactor;
    expect(several.redactText('1 abcdefgh 2')).toBe('1 [REDACTED:short] 2');
    expect(several.redactText('1 abcdefghijkl 2')).toBe('1 [REDACTED:long] 2');
    expect(several.redactText('1 abcdefghijklmnopqrstuvw 2')).toBe('1 [REDACTED:late] 2');
  });

  it('leaves other text as it is', () => {
    const text = `{"text":"nothing to see","near":"${KEY.slice(0, -1)}","é":"🎻"}`;
    expect(redactor.redactText(text)).toBe(text);
    expect(redactor.redactText('')).toBe('');
  });
});

describe('redactJson', () => {
  it('redacts texts and names at any depth, and keeps the shape', () => {
    expect(redactor.redactJson({ a: [1, { [KEY]: `x${KEY}` }], b: null, c: true })).toEqual({
      a: [1, { '[REDACTED:openai]': 'x[REDACTED:openai]' }],
      b: null,
      c: true,
    });
  });

  it('gives back the very value when there is nothing to redact', () => {
    const value = { a: ['b'] };
    expect(redactor.redactJson(value)).toBe(value);
  });

  it('cuts no escape in half', () => {
    const some = redactorOf([['n', 'nabcdefg']]) as Redactor;
    const payload = { text: '\nabcdefg' };
    expect(redactPayload(some, payload, JSON.stringify(payload))).toEqual({
      payload,
      text: JSON.stringify(payload),
    });
  });

  it('finds no secret in the structure around the texts', () => {
    const some = redactorOf([['odd', 'a":"bcdefg']]) as Redactor;
    const payload = { a: 'bcdefg' };
    expect(JSON.parse(redactPayload(some, payload, JSON.stringify(payload)).text)).toEqual(payload);
  });
});

it('has no redactor where there is nothing to redact', () => {
  expect(redactorOf([])).toBeUndefined();
});
