import { expect, it } from 'vitest';
import { effectSlots } from './effect-slots.ts';

function kindOfWork(limit: number) {
  const slots = effectSlots(limit);
  const begun: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    begun,
    ask(key: string, kind = 'call') {
      const [tenant = ''] = key.split('-');
      releases.set(
        key,
        slots.add({ kind, tenant }, () => void begun.push(key)),
      );
    },
    end: (key: string) => releases.get(key)?.(),
  };
}

it('performs so many effects of one kind at once, and the next when one has ended', () => {
  const { begun, ask, end } = kindOfWork(2);
  for (const key of ['a-1', 'b-1', 'a-2', 'b-2']) ask(key);
  expect(begun).toEqual(['a-1', 'b-1']);
  end('a-1');
  expect(begun).toEqual(['a-1', 'b-1', 'a-2']);
});

it('bounds each kind by itself', () => {
  const { begun, ask } = kindOfWork(1);
  ask('a-1', 'call');
  ask('a-2', 'tool');
  expect(begun).toEqual(['a-1', 'a-2']);
});

it('gives a free slot to the tenant that has the fewest under way', () => {
  const { begun, ask, end } = kindOfWork(4);
  for (const key of ['a-1', 'a-2', 'a-3', 'b-1', 'a-4', 'a-5', 'b-2']) ask(key);
  expect(begun).toEqual(['a-1', 'a-2', 'a-3', 'b-1']);
  end('a-1');
  expect(begun.at(-1)).toBe('b-2');
});

it('keeps a slot free of the tenant that has most, for the first effect of another', () => {
  const { begun, ask } = kindOfWork(3);
  for (const key of ['a-1', 'a-2', 'a-3']) ask(key);
  expect(begun).toEqual(['a-1', 'a-2']);
  ask('b-1');
  expect(begun).toEqual(['a-1', 'a-2', 'b-1']);
});

it('lets a tenant use the only slot', () => {
  const { begun, ask } = kindOfWork(1);
  ask('a-1');
  expect(begun).toEqual(['a-1']);
});

it('does not begin an effect that is no longer needed, and frees no slot for it', () => {
  const { begun, ask, end } = kindOfWork(1);
  for (const key of ['a-1', 'a-2', 'a-3']) ask(key);
  end('a-2');
  expect(begun).toEqual(['a-1']);
  end('a-1');
  end('a-1');
  expect(begun).toEqual(['a-1', 'a-3']);
});
