import type { RunDiff } from '@baton/client';
import { Card } from '../../ui/card.tsx';
import { ChangeMark, comparedWord, ValueChangesView } from '../../ui/value-changes.tsx';
import { SIDES } from './run-side.tsx';
import { COMPARED, type ComparedPart, type Difference, differencesOf } from './state-differences.ts';

const TITLES: Readonly<Record<ComparedPart, string>> = {
  variables: 'Variables',
  channels: 'Channels',
  memory: 'Memory',
};

const MOST = 100;

/** How the states of the two runs differ at the end of their logs. */
export function FinalValues({ diff }: { readonly diff: RunDiff }) {
  const parts = COMPARED.map((part) => [part, differencesOf(diff, part)] as const);
  const some = parts.filter(([, differences]) => differences.length > 0);
  return (
    <Card title="Values at the end">
      {some.length === 0 && (
        <p className="text-sm">The variables, channels and memory of both runs are equal.</p>
      )}
      <div className="flex flex-col gap-5">
        {some.map(([part, differences]) => (
          <section key={part} className="flex flex-col gap-3 min-w-0">
            <h3>{TITLES[part]}</h3>
            <ul className="flex flex-col gap-3">
              {differences.slice(0, MOST).map((difference) => (
                <Differing key={difference.name} difference={difference} />
              ))}
            </ul>
            {differences.length > MOST && (
              <p className="text-sm text-muted">{differences.length - MOST} more are different.</p>
            )}
          </section>
        ))}
      </div>
    </Card>
  );
}

function Differing({ difference: { name, a, b } }: { readonly difference: Difference }) {
  const kind = a === undefined ? 'added' : b === undefined ? 'removed' : 'changed';
  return (
    <li className="min-w-0 flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-2">
        <bdi className="font-mono text-xs break-all">{name}</bdi>
        <ChangeMark kind={kind} word={comparedWord(kind, SIDES)} />
      </p>
      <ValueChangesView before={a} after={b} sides={SIDES} most={10} />
    </li>
  );
}
