import type { InterruptRecord, RunAdvance } from '@baton/engine/ports';
import { pairRows } from './pair-rows.ts';
import type { NumberedRun } from './run-numbers.ts';
import { type Statement, writing } from './statement.ts';

/** The interrupts that a batch opens and closes. One that is opened and closed in the same batch is not written. */
interface InterruptRows {
  add(owner: NumberedRun, run: RunAdvance): void;
  write(): readonly Statement[];
}

export function interruptRows(): InterruptRows {
  const rows = pairRows<Opened>();
  return {
    add({ runNo, tenant }, { interruptsOpened, interruptsClosed }) {
      for (const one of interruptsOpened) rows.put(runNo, one.interruptId, { ...one, tenant });
      if (interruptsClosed === 'all') rows.removeAll(runNo);
      else for (const interruptId of interruptsClosed) rows.remove(runNo, interruptId);
    },
    write: () => [...rows.writeRemovals('interrupts', 'interrupt_id'), ...open(rows.left())],
  };
}

type Opened = InterruptRecord & { readonly tenant: string };

function open(opened: readonly (Opened & { readonly runNo: number })[]): readonly Statement[] {
  return writing(OPEN, opened, ({ bigint, text }) => [
    text('tenant', ({ tenant }) => tenant),
    bigint('run', ({ runNo }) => runNo),
    text('interrupt', ({ interruptId }) => interruptId),
    text('node of an interrupt', ({ nodeId }) => nodeId),
    text('kind of an interrupt', ({ kind }) => kind),
    text('title of an interrupt', ({ title }) => title),
    bigint('time of an interrupt', ({ requestedAt }) => requestedAt),
    bigint('deadline of an interrupt', ({ expiresAt }) => expiresAt ?? null),
  ]);
}

/** They are numbered in the order in which they were opened. */
const OPEN = `
  INSERT INTO interrupts (tenant, run_no, interrupt_id, node_id, kind, title, requested_at, expires_at)
  SELECT * FROM unnest(
    $1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])`;
