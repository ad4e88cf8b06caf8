import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Memory and processor time of a process, from `/proc`. Only Linux has it. */

export function canReadStats() {
  return existsSync('/proc/self/task');
}

export function residentMegabytes(pid) {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** The share of one processor that the process uses during some seconds, in percent. */
export async function cpuPercent(pid, seconds) {
  const before = secondsUsed(pid);
  await sleep(seconds * 1000);
  return ((secondsUsed(pid) - before) / seconds) * 100;
}

/** The sum over all threads. */
export function secondsUsed(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + threadSeconds(pid, thread).used, 0);
}

/**
 * How long a thread has computed, and how long it could not because other threads had the processors. The
 * first thread has the id of the process. `stat` counts ticks, which are too coarse for an idle host.
 */
export function threadSeconds(pid, thread = pid) {
  const [used, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
  return { used: Number(used) / 1e9, waited: Number(waited) / 1e9 };
}
