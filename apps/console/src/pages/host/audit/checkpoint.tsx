import { useQuery } from '@tanstack/react-query';
import { baton } from '../../../api/baton.ts';
import { LookBadge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyText, shortId } from '../../../ui/copy.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { Facts } from '../../../ui/table.tsx';
import { readNewestCheckpoint } from './newest-checkpoint.ts';

/** The newest signed checkpoint, and the key with which anybody can verify it. */
export function Checkpoint() {
  const newest = useQuery({
    queryKey: ['audit', 'newest'],
    queryFn: ({ signal }) => readNewestCheckpoint((from, to) => baton.audit.log(from, to, { signal })),
    staleTime: 10_000,
  });
  const key = useQuery({ queryKey: ['audit', 'key'], queryFn: ({ signal }) => baton.audit.key({ signal }) });
  return (
    <Card title="Newest signed checkpoint">
      {newest.isPending && <Skeleton rows={3} className="p-0" />}
      {newest.isError && <ErrorState error={newest.error} retry={() => void newest.refetch()} />}
      {newest.data === null && (
        <p className="text-sm text-muted">
          There is none yet. The host signs one as soon as a run has written events.
        </p>
      )}
      {newest.data != null && (
        <Facts
          facts={[
            ['Number', newest.data.checkpoint.checkpoint],
            [
              'Signature',
              newest.data.isValid ? (
                <LookBadge look="completed">Valid</LookBadge>
              ) : (
                <LookBadge look="failed">Not valid</LookBadge>
              ),
            ],
            [
              'Root',
              <CopyText
                key="root"
                text={newest.data.checkpoint.merkleRoot}
                shown={shortId(newest.data.checkpoint.merkleRoot, 12)}
                label="root"
              />,
            ],
            [
              'Signed as',
              <CopyText
                key="signature"
                text={newest.data.checkpoint.signature}
                shown={shortId(newest.data.checkpoint.signature, 12)}
                label="signature"
              />,
            ],
          ]}
        />
      )}
      {key.data !== undefined && (
        <div className="mt-4 pt-4 border-t border-line">
          <h3>Key of the host</h3>
          <div className="mt-1">
            <Facts
              facts={[
                ['Id', <CopyText key="id" text={key.data.keyId} label="key id" />],
                ['Algorithm', key.data.algorithm],
                [
                  'Public key',
                  <CopyText
                    key="public"
                    text={key.data.publicKey}
                    shown={shortId(key.data.publicKey.replace(/-----[^-]+-----|\s/g, ''), 14)}
                    label="public key"
                  />,
                ],
              ]}
            />
          </div>
          <p className="text-xs text-muted mt-3">
            Keep the newest checkpoint in another place. A log that was changed before it no longer fits its
            root.
          </p>
        </div>
      )}
    </Card>
  );
}
