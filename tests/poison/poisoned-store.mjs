import { writeSync } from 'node:fs';

/**
 * A store that stops the engine when a run recalls a certain entry: it stands for every defect that nobody has thought
 * of. `poison:stall` never comes back, `poison:memory` uses all memory, `poison:kill` ends the process at once.
 */
export function poisoned(store) {
  return {
    ...store,
    memory(query) {
      if (query.id === 'poison:stall') for (;;);
      if (query.id === 'poison:memory') exhaust();
      if (query.id === 'poison:kill') {
        writeSync(1, 'poisoned\n');
        process.kill(process.pid, 'SIGKILL');
        for (;;);
      }
      return store.memory(query);
    },
  };
}

function exhaust() {
  const kept = [];
  for (;;) kept.push(new Array(100_000).fill({}));
}
