import { describe, expect, it } from 'vitest';
import { type InHand, inHandMemory, inHandWriter, readInHand } from './in-hand.ts';
import { LOOKS, watch } from './watchdog.ts';

/** A watchdog that looks when the test calls it. */
function watched() {
  const memory = inHandMemory();
  const alarms: InHand[] = [];
  let look: () => void = () => undefined;
  watch({
    look: () => readInHand(memory),
    onStall: (work) => alarms.push(work),
    every: (_ms, callback) => {
      look = callback;
      return () => undefined;
    },
  });
  const looks = (count: number) => {
    for (let n = 0; n < count; n += 1) look();
  };
  return { engine: inHandWriter(memory), looks, alarms };
}

describe('the watchdog', () => {
  it('names the tree that the engine does not come back from', () => {
    const { engine, looks, alarms } = watched();
    engine.take({ rootId: 'run-1', length: 'step' });
    looks(LOOKS.step);
    expect(alarms).toEqual([]);
    looks(1);
    expect(alarms.map(({ rootId }) => rootId)).toEqual(['run-1']);
  });

  it('is content while the engine moves, also from one slice of a tree to the next', () => {
    const { engine, looks, alarms } = watched();
    for (let n = 0; n < 50; n += 1) {
      engine.take({ rootId: 'run-1', length: 'step' });
      looks(LOOKS.step);
    }
    expect(alarms).toEqual([]);
  });

  it('does not mind an engine that has nothing to do, or waits for the disk', () => {
    const { engine, looks, alarms } = watched();
    engine.take({ rootId: 'run-1', length: 'step' });
    engine.putDown();
    looks(10 * LOOKS.step);
    expect(alarms).toEqual([]);
  });

  it('is patient with long work, but not for ever', () => {
    const { engine, looks, alarms } = watched();
    engine.take({ length: 'long' });
    looks(LOOKS.long);
    expect(alarms).toEqual([]);
    looks(1);
    expect(alarms).toHaveLength(1);
    expect(alarms[0]?.rootId).toBeUndefined();
  });
});
