/** The bundle of a short run, made as long as one likes: with many changes of a variable before its last event. */

// biome-ignore lint/suspicious/noExplicitAny: bundles are taken apart here
export function longRun(bundle: any, bytes: number): object {
  const { runId } = bundle.run;
  const [record] = bundle.baton.runs;
  const last = bundle.events.at(-1);
  const events = bundle.events.slice(0, -1);
  const add = (type: string, payload: object) => {
    const sequence = events.length;
    events.push({
      eventId: `${runId}:${sequence}`,
      runId,
      sequence,
      timestamp: last.timestamp,
      type,
      payload,
    });
  };
  for (let sum = 0; sum < bytes; sum += 1000) {
    add('variable.changed', { name: `v${events.length % 10}`, next: 'x'.repeat(800) });
  }
  add(last.type, last.payload);
  const { chain: _chain, steps: _steps, ...kept } = record;
  const places = events.map((_: object, at: number) => at + 1);
  return { ...bundle, events, baton: { ...bundle.baton, runs: [{ ...kept, places }] } };
}
