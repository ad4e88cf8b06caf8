import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRun } from '../client/requests.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { bytesWritten, databaseOf } from '../host/disk.mjs';
import { runScript } from '../host/run-script.mjs';
import { withHost } from '../host/with-host.mjs';
import { handoffRate } from '../langgraph-server/times.mjs';
import { amount, range } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { atLeastShare, atLeastTimes, atMost, noTarget, share } from '../report/targets.mjs';
import { HANDOFF, HANDOFF_WORKFLOWS } from '../workflows/handoff.mjs';
import { IN_FLIGHT, runRates } from './throughput.mjs';

const BARE_WRITER = fileURLToPath(new URL('../limits/bare-writer.mjs', import.meta.url));
/** Two thirds of what version 0.3.0 stored. */
const MOST_BYTES = 6580;
const LANGGRAPH = fileURLToPath(new URL('../langgraph/handoffs.mjs', import.meta.url));

/** How many handoffs a second the host completes, compared with the limit of the disk. */
export async function handoff({ sizes, nodeFlags, langGraph, langGraphServer, progress }) {
  progress(`handoffs, ${IN_FLIGHT} in flight`);
  const { rates, limit, disk } = await withHost(HANDOFF_WORKFLOWS, { nodeFlags }, async (host) => {
    // The database of a new host has some pages for each of its tables. They are not counted.
    const before = { ...databaseOf(host.dataFolder), written: bytesWritten(host.pid) };
    const measured = await runRates(host.port, createRun(HANDOFF), sizes);
    progress(`this host: ${range(measured, 'handoffs/s')}`);
    const written = bytesWritten(host.pid) - before.written;
    const { trees, bytes } = databaseOf(host.dataFolder);
    progress('the same rows, written by SQLite alone');
    return {
      rates: measured,
      disk: { stored: (bytes - before.bytes) / trees, written: written / trees },
      limit: await bareWriter(host.dataFolder, sizes),
    };
  });
  progress(
    `bare SQLite: ${range(limit.small, 'rows/s')} in batches of 100 rows, ` +
      `${range(limit.large, 'rows/s')} in batches of 100 handoffs, ${amount(limit.oneByOne)} rows/s one by one`,
  );
  const peer = await peerRate(langGraph, sizes, progress);
  const server = await serverRate(langGraphServer, sizes, progress);

  const rate = median(rates);
  const rows = rate * limit.rowsPerTree;
  const inSmallBatches = median(limit.small);
  const inLargeBatches = median(limit.large);
  return [
    {
      what: `Handoffs, ${IN_FLIGHT} in flight`,
      host: `${amount(rate)} /s`,
      peer: peer === undefined ? langGraph.missing : `${amount(peer)} /s`,
      server: server === undefined ? langGraphServer.missing : `${amount(server)} /s`,
      target: atLeastTimes(16, rate, peer, 'LangGraph'),
    },
    {
      what: `  rows written, ${limit.rowsPerTree} a handoff`,
      host: `${amount(rows)} /s`,
      limit: `SQLite ${amount(inSmallBatches)} /s`,
      target: atLeastShare(45, rows, inSmallBatches, 'bare SQLite'),
    },
    {
      what: '  against batches of 100 handoffs',
      host: `${amount(rows)} /s`,
      limit: `SQLite ${amount(inLargeBatches)} /s`,
      target: share(rows, inLargeBatches),
    },
    {
      what: '  the database, for each handoff',
      host: `${amount(disk.stored)} bytes`,
      target: atMost(MOST_BYTES, disk.stored, 'bytes'),
    },
    {
      what: '  written to the disk meanwhile',
      host: Number.isNaN(disk.written) ? 'unknown' : `${amount(disk.written)} bytes`,
      target: noTarget(),
    },
  ];
}

async function bareWriter(dataFolder, { capturedTrees, rounds }) {
  const folder = makeDataFolder();
  try {
    return await runScript(BARE_WRITER, [join(dataFolder, 'baton.db'), folder, capturedTrees, rounds]);
  } finally {
    removeDataFolder(folder);
  }
}

async function peerRate(langGraph, { warmUpSeconds, seconds }, progress) {
  if (langGraph.missing) return undefined;
  progress('the same with LangGraph, in-process');
  const folder = makeDataFolder();
  try {
    const database = join(folder, 'langgraph.db');
    const { rate } = await runScript(LANGGRAPH, [database, IN_FLIGHT, warmUpSeconds, seconds]);
    progress(`LangGraph: ${amount(rate)} handoffs/s`);
    return rate;
  } finally {
    removeDataFolder(folder);
  }
}

async function serverRate(langGraphServer, sizes, progress) {
  if (langGraphServer.missing) return undefined;
  progress('the same with the server of LangGraph, over HTTP');
  const rate = await handoffRate(IN_FLIGHT, sizes);
  progress(`LangGraph server: ${amount(rate)} handoffs/s`);
  return rate;
}
