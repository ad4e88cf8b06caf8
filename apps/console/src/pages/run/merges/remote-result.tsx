import { CopyText, shortId } from '../../../ui/copy.tsx';
import { Facts } from '../../../ui/table.tsx';
import type { HostFinding } from './use-merges.ts';

const SIGNATURES: Readonly<Record<string, string>> = {
  valid: 'valid',
  invalid: 'not valid: the result was not signed by this host',
  'key-unknown': 'not checked: this host does not know the key of the other one',
};

/** What another host has signed, if the child stands for a run there. */
export function RemoteResult({ remote }: { readonly remote: NonNullable<HostFinding['remote']> }) {
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">Result of another host</h3>
      <Facts
        facts={[
          ['Host', <bdi key="host">{remote.hostId}</bdi>],
          ['Run there', <CopyText key="run" text={remote.runId} label="id of the run" />],
          [
            'Signed checksum',
            <CopyText
              key="sum"
              text={remote.checksum}
              shown={shortId(remote.checksum)}
              label="signed checksum"
            />,
          ],
          ['Signature', SIGNATURES[remote.signature] ?? remote.signature],
        ]}
      />
    </div>
  );
}
