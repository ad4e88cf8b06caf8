import { expect, it } from 'vitest';
import { keyIdOf, openSecret, wrapSecret } from './secret-envelope.ts';
import { withNewKey } from './wrapping-keys.ts';

const KEYS = withNewKey({ newest: '', keys: new Map() });
const PLACE = { tenant: 'acme', name: 'openai' };
const VALUE = 'sk-live "quoted" é';
const record = (jwe: string, more = {}) => ({ ...PLACE, jwe, updatedAt: 0, ...more });

it('opens what it has wrapped, and names the key', async () => {
  const jwe = await wrapSecret(KEYS, PLACE, VALUE);
  expect(await openSecret(KEYS, record(jwe))).toBe(VALUE);
  expect(await keyIdOf(jwe)).toBe(KEYS.newest);
  expect(jwe).not.toContain(Buffer.from(VALUE).toString('base64url').slice(0, 8));
});

it('wraps equal values differently, so that nobody sees that they are equal', async () => {
  expect(await wrapSecret(KEYS, PLACE, VALUE)).not.toBe(await wrapSecret(KEYS, PLACE, VALUE));
});

it('does not open a secret that was copied to another tenant or name', async () => {
  const jwe = await wrapSecret(KEYS, PLACE, VALUE);
  expect(await openSecret(KEYS, record(jwe, { tenant: 'globex' }))).toBeUndefined();
  expect(await openSecret(KEYS, record(jwe, { name: 'other' }))).toBeUndefined();
});

it('does not open a secret whose header was changed', async () => {
  const [head = '', ...rest] = (await wrapSecret(KEYS, PLACE, VALUE)).split('.');
  const header = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), tenant: 'globex' };
  const forged = [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
  expect(await openSecret(KEYS, record(forged, { tenant: 'globex' }))).toBeUndefined();
});

it.each(['', 'no jwe', 'a.b.c.d.e', '....'])('does not open "%s"', async (jwe) => {
  expect(await openSecret(KEYS, record(jwe))).toBeUndefined();
});

it('does not open a secret of a key that is gone', async () => {
  const jwe = await wrapSecret(KEYS, PLACE, VALUE);
  expect(await openSecret(withNewKey({ newest: '', keys: new Map() }), record(jwe))).toBeUndefined();
});
