import { expect, it } from 'vitest';
import type { ModelAnswerRecord } from '../../../engine/src/ports/model-answers.ts';
import { created, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const KEY = 'c92498949e9cc0e38bb2887e88e55b6936932e219b8344f0a7059b1de960073d';

export function modelAnswerContract(factory: StoreFactory): void {
  it('keeps an answer for its tenant and for nobody else', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([keeping('a', answer({ text: 'one' })), keeping('b', answer(2, 'other'))]);
    expect(await reads.modelAnswer('acme', KEY)).toEqual({ text: 'one' });
    expect(await reads.modelAnswer('other', KEY)).toBe(2);
    expect(await reads.modelAnswer('acme', 'unknown')).toBeUndefined();
    for (const stranger of ['', '*', 'ACME', 'acme ', '%']) {
      expect(await reads.modelAnswer(stranger, KEY)).toBeUndefined();
    }
  });

  it('lets the first answer under a key stand, and refuses nothing for it', async () => {
    const { store, reads } = await fresh(factory);
    expect(await store.commit([keeping('a', answer('first')), keeping('b', answer('second'))])).toEqual([
      'committed',
      'committed',
    ]);
    expect(await reads.modelAnswer('acme', KEY)).toBe('first');
  });
}

function answer(given: ModelAnswerRecord['answer'], tenant = 'acme'): ModelAnswerRecord {
  return { tenant, cacheKey: KEY, answer: given, at: T0 };
}

function keeping(runId: string, modelAnswer: ModelAnswerRecord) {
  return slice(runId, [created(record(runId), 1)], { modelAnswer });
}
