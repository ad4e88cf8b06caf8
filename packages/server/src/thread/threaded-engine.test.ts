import { expect, it } from 'vitest';
import type { ToEngine } from './messages.ts';
import { toldSecrets } from './threaded-engine.ts';

const change = (id: string) => ({ kind: 'learn', tenant: 'acme', id, value: `value of ${id}` }) as const;

it('tells a thread that takes the place of a lost one what came meanwhile, in order and once', () => {
  let isRunning = true;
  const said: ToEngine[] = [];
  const { tell, replaced } = toldSecrets(() => ({
    isRunning: () => isRunning,
    say: (message) => void said.push(message),
  }));
  tell(change('a'));
  isRunning = false;
  tell(change('b'));
  tell(change('c'));
  expect(said).toEqual([{ kind: 'secret', change: change('a') }]);
  isRunning = true;
  replaced();
  replaced();
  expect(said.slice(1)).toEqual(['b', 'c'].map((id) => ({ kind: 'secret', change: change(id) })));
});
