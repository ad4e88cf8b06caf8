/** Milliseconds that `task` takes. */
export async function timed(task) {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

/**
 * Times tasks so many times each, taking turns, so that whatever slows the machine for a while slows all of
 * them. The first times are warm-up and do not count.
 */
export async function timedInTurns(tasks, times) {
  const warmUp = Math.ceil(times / 10);
  const found = tasks.map(() => []);
  for (let round = 0; round < warmUp + times; round += 1) {
    for (const [index, task] of tasks.entries()) {
      const milliseconds = await timed(() => task(round));
      if (round >= warmUp) found[index].push(milliseconds);
    }
  }
  return found;
}
