import { expect, it } from 'vitest';
import { advanced, birth, childRecord, created, interrupt, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function interruptContract(factory: StoreFactory): void {
  it('lists what is open over all runs, what has waited longest first', async () => {
    const { store, reads } = await fresh(factory);
    const first = interrupt('a.1', 'i1', { expiresAt: T0 + 99 });
    const second = interrupt('b', 'i2', { kind: 'clarification', nodeId: 'ask' });
    await store.commit([
      slice('a', [
        created(record('a'), 1),
        created(childRecord('a.1', 'a', { workflowId: 'demo.child' }), 1, { interruptsOpened: [first] }),
      ]),
      birth(record('b'), 1, { interruptsOpened: [second] }),
    ]);
    expect((await reads.interrupts('acme', 10)).items).toEqual([
      { ...first, workflowId: 'demo.child', rootId: 'a' },
      { ...second, workflowId: 'demo.greet', rootId: 'b' },
    ]);
  });

  it('lists what is open in one run and its descendants', async () => {
    const { store, reads } = await fresh(factory);
    const open = (runId: string) => ({ interruptsOpened: [interrupt(runId, `i of ${runId}`)] });
    await store.commit([
      slice('a', [
        created(record('a'), 1, open('a')),
        created(childRecord('a.1', 'a'), 1, open('a.1')),
        created(childRecord('a.1.1', 'a.1'), 1, open('a.1.1')),
        created(childRecord('a.10', 'a'), 1, open('a.10')),
      ]),
      birth(record('b'), 1, open('b')),
    ]);
    const openIn = async (runId: string) =>
      (await reads.interrupts('acme', 10, undefined, runId)).items.map((one) => one.runId);
    expect(await openIn('a')).toEqual(['a', 'a.1', 'a.1.1', 'a.10']);
    expect(await openIn('a.1')).toEqual(['a.1', 'a.1.1']);
    expect(await openIn('a.10')).toEqual(['a.10']);
    expect(await openIn('b')).toEqual(['b']);
    expect((await reads.interrupts('other', 10, undefined, 'b')).items).toEqual([]);
    const first = await reads.interrupts('acme', 3, undefined, 'a');
    const rest = await reads.interrupts('acme', 3, first.next, 'a');
    expect([...first.items, ...rest.items].map((one) => one.runId)).toEqual(['a', 'a.1', 'a.1.1', 'a.10']);
  });

  it('no longer lists what was closed', async () => {
    const { store, reads } = await fresh(factory);
    const opened = [interrupt('a', 'i1'), interrupt('a', 'i2')];
    await store.commit([birth(record('a'), 1, { interruptsOpened: opened })]);
    await store.commit([slice('a', [advanced('a', 1, 1, { interruptsClosed: ['i1'] })])]);
    expect((await reads.interrupts('acme', 10)).items.map((one) => one.interruptId)).toEqual(['i2']);
  });

  it('lists none of a run that was set aside', async () => {
    const { store, reads } = await fresh(factory);
    const opened = [interrupt('a', 'i1'), interrupt('a', 'i2')];
    await store.commit([birth(record('a'), 1, { interruptsOpened: opened })]);
    await store.commit([slice('a', [advanced('a', 1, 1, { interruptsClosed: 'all' })])]);
    expect((await reads.interrupts('acme', 10)).items).toEqual([]);
  });

  it('never lists what was opened and closed in one slice', async () => {
    const { store, reads } = await fresh(factory);
    const both = { interruptsOpened: [interrupt('a', 'i1')], interruptsClosed: ['i1'] };
    await store.commit([birth(record('a'), 1, both)]);
    expect(await reads.interrupts('acme', 10)).toEqual({ items: [] });
  });

  it('closes an interrupt of its own run only', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      birth(record('a'), 1, { interruptsOpened: [interrupt('a', 'same')] }),
      birth(record('b'), 1, { interruptsOpened: [interrupt('b', 'same')] }),
    ]);
    await store.commit([slice('a', [advanced('a', 1, 1, { interruptsClosed: ['same'] })])]);
    expect((await reads.interrupts('acme', 10)).items.map((one) => one.runId)).toEqual(['b']);
  });

  it('pages through them, also when those of the page before are gone', async () => {
    const { store, reads } = await fresh(factory);
    const ids = ['i1', 'i2', 'i3', 'i4', 'i5'];
    const opened = ids.map((id) => interrupt('a', id));
    await store.commit([birth(record('a'), 1, { interruptsOpened: opened })]);
    const first = await reads.interrupts('acme', 2);
    await store.commit([slice('a', [advanced('a', 1, 1, { interruptsClosed: ['i1', 'i2'] })])]);
    const second = await reads.interrupts('acme', 2, first.next);
    const third = await reads.interrupts('acme', 2, second.next);
    const pages = [first, second, third].map((page) => page.items.map((one) => one.interruptId));
    expect(pages).toEqual([['i1', 'i2'], ['i3', 'i4'], ['i5']]);
    expect(third.next).toBeUndefined();
  });

  it('finds the oldest open one of a tree, in the root or below it', async () => {
    const { store, reads } = await fresh(factory);
    const [root, child] = [interrupt('a', 'of-root'), interrupt('a.1', 'of-child')];
    await store.commit([
      slice('a', [
        created(record('a'), 1),
        created(childRecord('a.1', 'a'), 1, { interruptsOpened: [child] }),
      ]),
      birth(record('b'), 1, { interruptsOpened: [interrupt('b', 'of-another')] }),
    ]);
    await store.commit([slice('a', [advanced('a', 1, 1, { interruptsOpened: [root] })])]);
    const first = async (tenant = 'acme') => (await reads.firstInterrupt(tenant, 'a'))?.interruptId;
    expect(await reads.firstInterrupt('acme', 'a')).toMatchObject({ ...child, rootId: 'a' });
    expect(await first('other')).toBeUndefined();
    await store.commit([slice('a', [advanced('a.1', 1, 1, { interruptsClosed: ['of-child'] })])]);
    expect(await first()).toBe('of-root');
    await store.commit([slice('a', [advanced('a', 2, 1, { interruptsClosed: ['of-root'] })])]);
    expect(await first()).toBeUndefined();
  });

  it('refuses a cursor that it did not give', async () => {
    const { reads } = await fresh(factory);
    await expect(reads.interrupts('acme', 2, 'nonsense')).rejects.toThrow(/cursor/);
  });
}
