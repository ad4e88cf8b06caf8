import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the kernel says about a process. Only Linux tells it in this form. */

export function canReadStats() {
  return existsSync('/proc/self/task');
}

export function residentMegabytes(pid) {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Share of one processor that the process used over a while, in percent. */
export async function cpuPercent(pid, seconds) {
  const before = secondsUsed(pid);
  await sleep(seconds * 1000);
  return ((secondsUsed(pid) - before) / seconds) * 100;
}

/** Over all threads. The scheduler counts nanoseconds; the usual figures count ticks, too coarse for a host at rest. */
function secondsUsed(pid) {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  }
  return nanoseconds / 1e9;
}
