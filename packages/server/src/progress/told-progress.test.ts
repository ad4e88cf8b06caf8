import { openVault } from '@baton/engine';
import type { Effect, Effects } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { UNHEARD } from '../../../conformance/src/testkit/unheard.ts';
import { type LiveChunk, liveChunks } from './live-chunks.ts';
import { withToldProgress } from './told-progress.ts';

const EFFECT = { runId: 'r', nodeId: 'n', tenant: 'acme' } as Effect;

function telling(perform: Effects['perform']) {
  const live = liveChunks();
  const heard: LiveChunk[] = [];
  live.watch('r', (chunk) => void heard.push(chunk));
  live.watch('other', () => expect.unreachable());
  const recorded: [string, boolean | undefined][] = [];
  const timers: (() => void)[] = [];
  const vault = openVault(new Map([['acme', new Map([['key', 'sk-12345678']])]]));
  const later = (_ms: number, callback: () => void) => {
    timers.push(callback);
    return () => void timers.splice(timers.indexOf(callback), 1);
  };
  const effects = withToldProgress({ perform }, { live, vault, later });
  const context = {
    ...UNHEARD,
    progress: (chunk: string, last?: boolean) => void recorded.push([chunk, last]),
  };
  return {
    heard,
    recorded,
    ring: () => timers.splice(0).forEach((callback) => void callback()),
    perform: (effect: Effect = EFFECT) => effects.perform(effect, context),
  };
}

const DONE = { kind: 'done', outputs: {} } as const;

it('tells readers each part at once, and the log all parts of a while together', async () => {
  const told = telling(async (_, { progress }) => {
    progress('one ');
    progress('two ');
    told.ring();
    progress('three');
    return DONE;
  });
  await told.perform({ ...EFFECT, tenant: 'other' });
  expect(told.heard.map(({ chunk, isLast }) => [chunk, isLast])).toEqual([
    ['one ', false],
    ['two ', false],
    ['three', false],
    ['', true],
  ]);
  expect(told.recorded).toEqual([
    ['one two ', false],
    ['three', true],
  ]);
});

it('tells readers which run, node and effect a part belongs to', async () => {
  const { heard, perform } = telling(async (_, { progress }) => {
    progress('a word');
    return DONE;
  });
  await perform({ ...EFFECT, step: 2 });
  const named = { runId: 'r', nodeId: 'n', channel: '2' };
  expect(heard).toEqual([
    { ...named, chunk: 'a word', isLast: false },
    { ...named, chunk: '', isLast: true },
  ]);
});

it('does not let a secret of the tenant through in parts', async () => {
  const { heard, recorded, perform } = telling(async (_, { progress }) => {
    for (const chunk of ['It is sk-', '1234', '5678.']) progress(chunk);
    return DONE;
  });
  await perform();
  expect(heard.map(({ chunk }) => chunk).join('')).toBe('It is [REDACTED:key].');
  expect(recorded.map(([chunk]) => chunk).join('')).toBe('It is [REDACTED:key].');
});

it.each(['fresh', 'confidential'] as const)('tells nothing of an effect that is %s', async (mark) => {
  const { heard, recorded, perform } = telling(async (_, { progress }) => {
    progress('a word');
    return DONE;
  });
  expect(await perform({ ...EFFECT, [mark]: true })).toEqual(DONE);
  expect([heard, recorded]).toEqual([[], []]);
});

it('records the rest of an effect that fails', async () => {
  const { recorded, perform } = telling(async (_, { progress }) => {
    progress('half of a sentence, and');
    throw new Error('the line is dead');
  });
  await expect(perform()).rejects.toThrow('dead');
  expect(recorded.map(([chunk]) => chunk).join('')).toBe('half of a sentence, and');
});
