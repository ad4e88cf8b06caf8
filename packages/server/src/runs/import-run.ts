import type { ImportPartCommand, ImportResult } from '@baton/engine';
import { BatonError, CONTRACTS } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { callerOf } from '../auth/bearer.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { refusal } from '../http/errors.ts';
import { idempotencyKeyOf } from '../http/idempotency.ts';
import type { ReadingBundle } from '../imports/bundle-reader.ts';
import { BUNDLE_BYTES } from './debug-bundle.ts';

/**
 * Large enough for the events and the memory of a bundle, and for the data about them. The values in it are not
 * counted, as they are in other bodies: the thread that reads it has limits on its time and its memory.
 */
const BODY_BYTES = 3 * BUNDLE_BYTES;

type ImportRequest = RequestTo<typeof CONTRACTS.importRun>;

export const importRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.importRun, (request, reply) => importRun(host, request, reply), {
    heavy: 'import',
    rawBody: true,
    bodyLimit: BODY_BYTES,
    // The thread that reads the bundle validates it.
    validatorCompiler: () => () => true,
  });
};

async function importRun(
  host: HostContext,
  request: ImportRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const key = idempotencyKeyOf(request);
  if (!(request.body instanceof Uint8Array)) throw new BatonError('invalid_json');
  const body = request.body as Uint8Array<ArrayBuffer>;
  const reading = await host.bundles.read(body, callerOf(request));
  try {
    const idempotency = key === undefined ? undefined : { key, request: reading.digest };
    const { result, replayed } = await storeParts(host, reading, { caller: callerOf(request), idempotency });
    // A part of a tree is not visible before the last part, so notices of its runs tell nothing.
    host.changedRuns.missed(callerOf(request).tenant);
    if (replayed) reply.header('openwop-idempotent-replay', 'true');
    const { runId, from, runs, verified, vouchedBy } = result;
    reply.code(201).header('location', `/v1/runs/${runId}`);
    return reply.send({ runId, from, runs, verified, vouchedBy });
  } finally {
    reading.close();
  }
}

async function storeParts(
  { engine }: HostContext,
  reading: ReadingBundle,
  asked: Pick<ImportPartCommand, 'caller' | 'idempotency'>,
): Promise<{ readonly result: ImportResult; readonly replayed: boolean }> {
  try {
    for (let at = 0; ; at += 1) {
      const last = at === reading.parts - 1;
      const { idempotency, ...by } = asked;
      const stored = await engine.execute({
        kind: 'import-part',
        ...by,
        // The first part checks whether the same request was made before. The last part records the request.
        ...((at === 0 || last) && idempotency && { idempotency }),
        part: await reading.next(),
        ...(last && { result: reading.result }),
      });
      if (!stored.ok) throw refusal(stored.error);
      if (stored.value.kind === 'imported') return { result: stored.value, replayed: stored.replayed };
    }
  } catch (problem) {
    await engine.execute({ kind: 'abandon-import', rootId: reading.result.runId });
    throw problem;
  }
}
