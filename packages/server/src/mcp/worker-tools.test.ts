import { expect, it } from 'vitest';
import { toolName } from './worker-tools.ts';

it('keeps an id that every client accepts', () => {
  expect(toolName('research-desk')).toBe('research-desk');
  expect(toolName('a'.repeat(64))).toBe('a'.repeat(64));
});

it('adds a digest where characters are replaced or cut, so that no two ids share a name', () => {
  const dotted = toolName('local.acme.writer');
  expect(dotted).toMatch(/^local_acme_writer_[0-9a-f]{12}$/);
  expect(toolName('local_acme.writer')).not.toBe(dotted);
  const long = toolName('a'.repeat(65));
  expect(long).toHaveLength(64);
  expect(toolName('a'.repeat(66))).not.toBe(long);
  expect(toolName('日本語')).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

it('never gives a worker the name of a tool of the host', () => {
  expect(toolName('baton_get')).toMatch(/^worker_baton_get_[0-9a-f]{12}$/);
});
