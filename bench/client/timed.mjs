/** Milliseconds that `task` takes. */
export async function timed(task) {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

/**
 * Times each task `times` times. The tasks alternate, so that a temporary slowdown of the machine affects all
 * of them. The first times are warm-up and do not count.
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
