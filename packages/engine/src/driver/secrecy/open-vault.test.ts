import { describe, expect, it } from 'vitest';
import { openVault } from './open-vault.ts';

const VALUE = 'sk-first-value';
const NEXT = 'sk-second-value';
const FILE = new Map([
  ['acme', new Map([['key', 'from-the-file']])],
  ['*', new Map([['shared', 'everybodys-value']])],
]);
const set = (id: string, value: string, tenant = 'acme') => ({ kind: 'set', tenant, id, value }) as const;

describe('a secret that is set while the vault is open', () => {
  it('comes before the one of the file, which comes back when it is dropped', () => {
    const vault = openVault(FILE);
    expect(vault.secret('acme', 'key')).toBe('from-the-file');
    vault.change(set('key', VALUE));
    expect(vault.secret('acme', 'key')).toBe(VALUE);
    vault.change({ kind: 'drop', tenant: 'acme', id: 'key' });
    expect(vault.secret('acme', 'key')).toBe('from-the-file');
  });

  it('is used and redacted for its own tenant only, whatever the tenant is called', () => {
    const vault = openVault(FILE);
    vault.change(set('mine', VALUE));
    vault.change(set('odd', NEXT, '*'));
    for (const stranger of ['globex', '', 'ACME']) {
      expect(vault.secret(stranger, 'mine')).toBeUndefined();
      expect(vault.secret(stranger, 'odd')).toBeUndefined();
      expect(vault.redactor(stranger)?.redactText(`${VALUE} ${NEXT} everybodys-value`)).toBe(
        `${VALUE} ${NEXT} [REDACTED:shared]`,
      );
    }
  });

  it('is redacted at once, also by a vault that had no secrets before', () => {
    const vault = openVault();
    expect(vault.redactor('acme')).toBeUndefined();
    expect(vault.everyRedactor()).toBeUndefined();
    vault.change(set('key', VALUE));
    expect(vault.redactor('acme')?.redactText(`a ${VALUE}`)).toBe('a [REDACTED:key]');
    expect(vault.everyRedactor()?.redactText(`a ${VALUE}`)).toBe('a [REDACTED:key]');
    vault.change(set('other', NEXT));
    expect(vault.redactor('acme')?.redactText(`${VALUE} ${NEXT}`)).toBe('[REDACTED:key] [REDACTED:other]');
  });

  it('is redacted but cannot be used while it is only learned', () => {
    const vault = openVault();
    vault.change({ kind: 'learn', tenant: 'acme', id: 'key', value: VALUE });
    expect(vault.secret('acme', 'key')).toBeUndefined();
    expect(vault.redactor('acme')?.redactText(VALUE)).toBe('[REDACTED:key]');
  });

  it('is redacted after it was replaced or dropped', () => {
    const vault = openVault();
    vault.change(set('key', VALUE));
    vault.change(set('key', NEXT));
    expect(vault.secret('acme', 'key')).toBe(NEXT);
    vault.change({ kind: 'drop', tenant: 'acme', id: 'key' });
    expect(vault.secret('acme', 'key')).toBeUndefined();
    expect(vault.redactor('acme')?.redactText(`${VALUE}, ${NEXT}`)).toBe('[REDACTED:key], [REDACTED:key]');
  });

  it('pushes out the oldest of many replaced values, and never one that can be used', () => {
    const vault = openVault();
    vault.change(set('kept', 'the-kept-value'));
    for (let i = 0; i < 70; i += 1) vault.change(set('key', `value-number-${i}.`));
    const redacted = (text: string) => vault.redactor('acme')?.redactText(text);
    expect(redacted('the-kept-value')).toBe('[REDACTED:kept]');
    expect(redacted('value-number-69.')).toBe('[REDACTED:key]');
    expect(redacted('value-number-68.')).toBe('[REDACTED:key]');
    expect(redacted('value-number-3.')).toBe('value-number-3.');
  });
});

it('hands on its changes, so that another vault has the same secrets', () => {
  const vault = openVault(FILE);
  vault.change(set('key', VALUE));
  vault.change(set('key', NEXT));
  vault.change(set('other', 'value-of-globex', 'globex'));
  vault.change({ kind: 'learn', tenant: 'acme', id: 'soon', value: 'not-yet-stored' });
  const other = openVault(FILE);
  for (const change of vault.changes()) other.change(change);
  expect(other.changes()).toEqual(vault.changes());
  expect(other.secret('acme', 'key')).toBe(NEXT);
  expect(other.secret('acme', 'soon')).toBeUndefined();
  expect(vault.changes('globex')).toEqual([set('other', 'value-of-globex', 'globex')]);
  expect(vault.changes('nobody')).toEqual([]);
});
