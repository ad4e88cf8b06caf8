import { describe, expect, it } from 'vitest';
import { fairSlots } from './fair-slots.ts';

const ALWAYS = new AbortController().signal;

/** Takes a slot and notes when it was given. */
function taking(slots: ReturnType<typeof fairSlots>, served: string[]) {
  return async (tenant: string, name = tenant) => {
    const free = await slots.take(tenant, ALWAYS);
    served.push(name);
    return () => free?.();
  };
}

describe('the slots of a provider', () => {
  it('are as many as the limit', async () => {
    const slots = fairSlots(2);
    const served: string[] = [];
    const take = taking(slots, served);
    const calls = [take('a', '1'), take('a', '2'), take('a', '3')];
    const free = await calls[0];
    await calls[1];
    expect(served).toEqual(['1', '2']);
    expect(slots.counts()).toEqual({ active: 2, waiting: 1 });
    free?.();
    free?.();
    await calls[2];
    expect(slots.counts()).toEqual({ active: 2, waiting: 0 });
  });

  it('go to the tenant with the fewest calls, however many another one has waiting', async () => {
    const slots = fairSlots(2);
    const served: string[] = [];
    const take = taking(slots, served);
    const busy = [take('busy', 'busy 1'), take('busy', 'busy 2')];
    const more = [take('busy', 'busy 3'), take('busy', 'busy 4')];
    const late = take('late');
    (await busy[0])?.();
    const freeLate = await late;
    expect(served).toEqual(['busy 1', 'busy 2', 'late']);
    freeLate();
    await more[0];
    expect(served.at(-1)).toBe('busy 3');
  });

  it('go round among tenants with equally many', async () => {
    const slots = fairSlots(1);
    const served: string[] = [];
    const take = taking(slots, served);
    const calls = ['a', 'a', 'b', 'b', 'c'].map((tenant) => take(tenant));
    const order = [0, 1, 2, 4, 3];
    for (const at of order) (await calls[at])?.();
    expect(served).toEqual(['a', 'a', 'b', 'c', 'b']);
    expect(slots.counts()).toEqual({ active: 0, waiting: 0 });
  });

  it('are not given to a call that was aborted', async () => {
    const slots = fairSlots(1);
    const free = await slots.take('a', ALWAYS);
    const abort = new AbortController();
    const waiting = slots.take('b', abort.signal);
    abort.abort();
    expect(await waiting).toBeUndefined();
    expect(slots.counts()).toEqual({ active: 1, waiting: 0 });
    free?.();
    expect(await slots.take('c', AbortSignal.abort())).toBeUndefined();
    expect(slots.counts()).toEqual({ active: 0, waiting: 0 });
  });
});
