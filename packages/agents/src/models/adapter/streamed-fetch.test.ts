import { expect, it } from 'vitest';
import { pacedBody } from './streamed-fetch.ts';

const MEGABYTE = 1024 * 1024;

function arriving() {
  const due: (() => void)[] = [];
  const told: string[] = [];
  const socket = {
    pause: () => void told.push('pause'),
    resume: () => void told.push('resume'),
    abort: () => void told.push('abort'),
  };
  const body = pacedBody(socket, (read) => void due.push(read));
  const reader = body.stream.getReader();
  const next = async () => {
    const { value } = await reader.read();
    return value && new TextDecoder().decode(value);
  };
  const add = (text: string) => body.add(new TextEncoder().encode(text));
  return { ...body, add, reader, next, told, ring: () => due.splice(0).forEach((read) => void read()) };
}

it('gives the first part at once, and the parts of a while together', async () => {
  const { add, next, ring, end } = arriving();
  add('one ');
  expect(await next()).toBe('one ');
  add('two ');
  add('three ');
  ring();
  expect(await next()).toBe('two three ');
  add('four');
  end();
  expect(await next()).toBe('four');
  expect(await next()).toBeUndefined();
  ring();
});

it('pauses the socket while the reader is far behind', async () => {
  const { add, next, ring, told } = arriving();
  add('a'.repeat(MEGABYTE));
  expect(told).toEqual(['pause']);
  add('b');
  ring();
  expect(told).toEqual(['pause']);
  await next();
  await next();
  expect(told).toEqual(['pause', 'resume']);
});

it('pauses the socket when too much waits to be read', async () => {
  const { add, next, ring, told } = arriving();
  add('a');
  add('b'.repeat(MEGABYTE));
  expect(told).toEqual(['pause']);
  ring();
  await next();
  await next();
  expect(told).toEqual(['pause', 'resume']);
});

it('closes the socket when the reader does not want the rest', async () => {
  const { add, reader, told, ring, end, fail } = arriving();
  add('one');
  add('two');
  await reader.cancel();
  ring();
  add('three');
  end();
  fail(new Error('the socket was closed'));
  expect(told).toEqual(['abort']);
});

it('a body that fails is never complete', async () => {
  const { add, next, ring, fail } = arriving();
  add('one');
  expect(await next()).toBe('one');
  add('two');
  fail(new Error('cut'));
  ring();
  await expect(next()).rejects.toThrow('cut');
});
