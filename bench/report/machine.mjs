import { cpus, loadavg, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** A description of the machine, for the report. */
export function machine() {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${processors.length} × ${model}, ${memory} GB, ${process.platform}-${process.arch}, Node ${process.versions.node}`;
}

/** How busy the processors are with other programs, in percent. Other programs make the figures too low. */
export async function busyPercent(milliseconds = 1000) {
  const before = processorTimes();
  await sleep(milliseconds);
  const after = processorTimes();
  return (1 - (after.idle - before.idle) / (after.all - before.all)) * 100;
}

function processorTimes() {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    for (const time of Object.values(times)) all += time;
  }
  return { idle, all };
}

/** Added to figures that other programs make worse, such as those of a whole cluster on one machine. */
export function load() {
  return `; load average ${loadavg()[0].toFixed(1)}`;
}
