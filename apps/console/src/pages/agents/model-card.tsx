import { useQuery } from '@tanstack/react-query';
import { LookBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import type { StatusLook } from '../../ui/status.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { modelsQuery } from './queries.ts';

const STATES: Readonly<Record<string, readonly [StatusLook, string]>> = {
  working: ['completed', 'Working'],
  failing: ['waiting', 'The last call failed'],
  unavailable: ['failed', 'Not asked for a while'],
};

/** Which model serves each class, and whether its provider works. */
export function ModelCard() {
  const models = useQuery({ ...modelsQuery, refetchInterval: 15_000 });
  return (
    <Card title="Models" flush={models.data !== undefined}>
      {models.isPending && <Skeleton rows={4} className="p-0" />}
      {models.isError && <ErrorState error={models.error} retry={() => void models.refetch()} />}
      {models.data !== undefined && (
        <Table label="Models">
          <thead>
            <tr>
              <Th>Class</Th>
              <Th>Model</Th>
              <Th className="hidden md:table-cell">In its place</Th>
              <Th>Provider</Th>
            </tr>
          </thead>
          <tbody>
            {models.data.classes.map(({ modelClass, provider, model, fallbacks }) => {
              const state = models.data.providers.find((one) => one.provider === provider)?.state ?? '';
              const [look, word] = STATES[state] ?? (['pending', 'Not known'] as const);
              return (
                <tr key={modelClass}>
                  <Td className="font-medium">{modelClass}</Td>
                  <Td className="font-mono text-xs break-all">
                    {provider}/{model}
                  </Td>
                  <Td className="hidden md:table-cell font-mono text-xs text-muted">
                    {fallbacks.map((one) => `${one.provider}/${one.model}`).join(', ')}
                  </Td>
                  <Td className="whitespace-nowrap">
                    <LookBadge look={look}>{word}</LookBadge>
                  </Td>
                </tr>
              );
            })}
          </tbody>
        </Table>
      )}
    </Card>
  );
}
