import type { Json } from '@baton/client';
import { Badge } from '../../../ui/badge.tsx';
import { JsonView } from '../../../ui/json-view.tsx';
import type { MergedValue, MergeView } from './merge-view.ts';
import type { HostFinding } from './use-merges.ts';

interface MergedValuesProps {
  readonly merge: MergeView;
  readonly finding: HostFinding | undefined;
}

/** The exact values that entered the parent, and the values that they replaced. */
export function MergedValues({ merge, finding }: MergedValuesProps) {
  const { values, edited, artifact } = merge;
  if (values.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 min-w-0">
      <h3 className="text-sm font-semibold">Values that entered the run</h3>
      <ul className="border border-line rounded-md divide-y divide-line">
        {values.map((value) => {
          const found = finding?.variables.find(({ name }) => name === value.name);
          const brought = edited && found && artifact?.[found.from];
          return <Value key={value.sequence} value={value} found={found} brought={brought} />;
        })}
      </ul>
    </div>
  );
}

interface ValueProps {
  readonly value: MergedValue;
  readonly found: HostFinding['variables'][number] | undefined;
  /** The output of the child run, if a person has changed it. */
  readonly brought: Json | undefined;
}

function Value({ value, found, brought }: ValueProps) {
  const { name, next, previous } = value;
  return (
    <li className="px-3 py-2 grid md:grid-cols-2 gap-x-4 gap-y-2 min-w-0">
      <div className="min-w-0">
        <p className="text-sm flex flex-wrap items-center gap-x-2 gap-y-1">
          <bdi className="font-mono font-medium break-all">{name}</bdi>
          {found !== undefined && found.from !== name && (
            <span className="text-xs text-muted">
              from <bdi className="font-mono">{found.from}</bdi> of the child run
            </span>
          )}
          {found?.current === false && <Badge>written again since</Badge>}
        </p>
        {next === undefined ? (
          <p className="text-xs text-muted">The variable was removed.</p>
        ) : (
          <JsonView value={next} depth={1} />
        )}
      </div>
      <div className="min-w-0 md:border-l md:border-line md:pl-4">
        <p className="text-xs text-muted leading-5">
          {previous === undefined ? 'Replaced nothing.' : 'Replaced:'}
        </p>
        {previous !== undefined && <JsonView value={previous} depth={1} />}
        {brought !== undefined && (
          <>
            <p className="text-xs text-muted leading-5 mt-1">The child run brought, before the edit:</p>
            <JsonView value={brought} depth={1} />
          </>
        )}
      </div>
    </li>
  );
}
