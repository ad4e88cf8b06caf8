import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { explain } from './explain.ts';

function failure(message: string, fields: object): Error {
  return Object.assign(new Error(message), fields);
}

describe('explain', () => {
  it('says what to do when the port is taken', async () => {
    const first = createServer();
    await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve));
    const { port } = first.address() as { port: number };
    const error = await new Promise((resolve) =>
      createServer().on('error', resolve).listen(port, '127.0.0.1'),
    );
    first.close();
    expect(explain(error)).toBe(
      `The port ${port} on 127.0.0.1 is already in use. Stop the program that uses it, ` +
        'or choose another one with BATON_PORT (0 picks a free port).',
    );
  });

  it.each([
    ['EADDRNOTAVAIL', { address: '10.9.8.7' }, /no address 10\.9\.8\.7.*BATON_HOST/],
    ['ENOTFOUND', {}, /BATON_HOST is not known/],
    ['EACCES', { syscall: 'listen', port: 80, address: '127.0.0.1' }, /port 80.*above 1023/],
    ['EACCES', { syscall: 'mkdir', path: '/root/x' }, /may not use \/root\/x.*BATON_DATA/],
    ['EROFS', { path: '/mnt/x' }, /^\/mnt\/x.*BATON_DATA/],
    ['ENOSPC', {}, /disk is full/],
    ['SQLITE_FULL', {}, /disk is full/],
    ['EEXIST', { path: '/tmp/x' }, /A part of \/tmp\/x is a file.*BATON_DATA/],
  ])('turns %s into advice', (code, fields, advice) => {
    expect(explain(failure('raw words', { code, ...fields }))).toMatch(advice);
  });

  it('gives other messages on one line', () => {
    expect(explain(new Error('The folder is in use.\n  by another host\n'))).toBe(
      'The folder is in use. by another host',
    );
  });

  it('has words for what is no error, or an empty one', () => {
    expect(explain({ message: 'copied from\n another thread' })).toBe(
      'Something went wrong: copied from another thread',
    );
    expect(explain({ odd: 1 })).toBe('Something went wrong: {"odd":1}');
    expect(explain('text')).toBe('Something went wrong: text');
    expect(explain(new Error(''))).toMatch(/BATON_LOG_LEVEL=debug/);
  });
});
