import type { Command } from '@baton/engine';
import { expect, it } from 'vitest';
import { inFlightCommands } from './in-flight.ts';
import type { Numbered } from './messages.ts';

const cancel = (runId: string): Command => ({
  kind: 'cancel-run',
  runId,
  caller: { tenant: 't', principal: 'p' },
});

it('tells callers whose command a lost thread had, and sends the others to the next one', async () => {
  const posted: Numbered[] = [];
  const commands = inFlightCommands((batch) => void posted.push(batch));
  const sent = commands.send(cancel('sent'));
  commands.flush();
  const unsent = commands.send(cancel('unsent'));
  commands.hold();
  expect(await sent).toMatchObject({ ok: false, error: { error: 'engine_restarted' } });
  expect(commands.count()).toBe(1);
  commands.flush();
  expect(posted).toHaveLength(1);
  commands.go();
  expect(posted).toHaveLength(2);
  const [id, text] = posted[1] ?? [];
  expect(text).toContain('unsent');
  commands.answer([id ?? 0, JSON.stringify({ ok: true, value: { kind: 'done' }, replayed: false })]);
  expect(await unsent).toMatchObject({ ok: true });
  expect(commands.count()).toBe(0);
});
