import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { inHandFile, treeInHand } from './in-hand-file.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'baton-in-hand-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

it('names the tree that is being worked on to whoever reads the file, and nobody once it is put down', () => {
  const data = folder();
  expect(treeInHand(data)).toBeUndefined();
  const file = inHandFile(data);
  expect(treeInHand(data)).toBeUndefined();
  file.take({ rootId: 'a-long-root-id', length: 'step' });
  expect(treeInHand(data)).toBe('a-long-root-id');
  file.take({ rootId: 'short', length: 'step' });
  expect(treeInHand(data)).toBe('short');
  file.take({ length: 'step' });
  expect(treeInHand(data)).toBeUndefined();
  file.take({ rootId: 'short', length: 'step' });
  file.putDown();
  expect(treeInHand(data)).toBeUndefined();
  file.close();
  expect(statSync(join(data, 'in-hand')).mode & 0o777).toBe(0o600);
});

it('begins blank, whatever was there', () => {
  const data = folder();
  const first = inHandFile(data);
  first.take({ rootId: 'a', length: 'step' });
  first.close();
  inHandFile(data).close();
  expect(treeInHand(data)).toBeUndefined();
});
