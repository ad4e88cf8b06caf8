import { expectCompleted, expectStatus, runIdIn } from './expect.mjs';
import { readEvents } from './requests.mjs';

/** At least so many of the last bytes are kept, so that they contain the whole last event. */
const LAST_FRAME_BYTES = 1000;

/** Creates a run, then reads its stream of events to the last one. */
export async function runToEnd(connection, create) {
  const runId = runIdIn(expectStatus(await connection.send(create), 201));
  expectCompleted(expectStatus(await connection.send(readEvents(runId)), 200));
  return runId;
}

/** Reads a long stream of events to the last one, without keeping all of it. */
export async function followToEnd(connection, runId, read = readEvents) {
  let last = Buffer.alloc(0);
  const { status } = await connection.send(read(runId), (bytes) => {
    last = bytes.length > LAST_FRAME_BYTES ? bytes : Buffer.concat([last, bytes]);
  });
  expectStatus({ status, body: last }, 200);
  expectCompleted(last);
}
