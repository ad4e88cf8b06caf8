import type { Command } from 'commander';
import type { OwnHost, PeerFlags } from '../peers/add-peer.ts';
import { auditKeyFile, environment, type Flags, ownHostId } from '../settings/given.ts';
import { acting } from './acting.ts';
import { locationOf, withData } from './options.ts';

export function addPeers(baton: Command): void {
  const peers = baton
    .command('peers')
    .description(
      'Other hosts that work for this one, or give work to it. Changes reach a running host within a second.',
    );
  acting<[string], Flags & PeerFlags>(withData(peers.command('add <name>')), async () => {
    const { addPeer } = await import('../peers/add-peer.ts');
    return (out, flags, name) => addPeer(ownHost(flags), name, flags, out);
  })
    .description('Add another host. Its id and its audit key are read from the host, unless they are given.')
    .requiredOption('--url <address>', 'the address of the host, such as https://baton.acme.example')
    .option('--host-id <id>', 'the id of the host')
    .option('--audit-key <file>', 'the public audit key of the host, as PEM')
    .option('--a2a', 'an agent of another kind, which only works for this host')
    .option(
      '--secret <name>',
      'a secret of the tenant * that is sent to the host (a token that this host signs)',
    )
    .option('--cert <file>', 'a certificate (PEM) that is presented to the host, in place of a token')
    .option('--cert-key <file>', 'the private key (PEM) of this certificate, readable by its owner only')
    .option('--ca <file>', 'the authorities (PEM) that may have signed the certificate of the host')
    .option('--accept-cert <file>', 'the certificates (PEM) by which the host is recognised when it calls')
    .option('--tenant <name>', 'the tenant in which the runs of the host are (peer-<name>)')
    .option('--publish <list>', 'workflows and agents that only this host may use, separated by commas');
  acting(withData(peers.command('list')), async () => {
    const { listPeers } = await import('../peers/known-peers.ts');
    return (out, flags) => {
      const auditKey = auditKeyFile(environment(), flags);
      return listPeers({ ...ownHost({ data: flags.data }), auditKeyFile: auditKey }, out);
    };
  })
    .description('Show this host as other hosts know it, and all peers.')
    .option('--audit-key <file>', 'public or private audit key of this host (BATON_AUDIT_KEY)');
  acting<[string]>(withData(peers.command('remove <name>')), async () => {
    const { removePeer } = await import('../peers/known-peers.ts');
    return (out, flags, name) => removePeer(ownHost(flags), name, out);
  }).description('Remove a peer. Its requests are refused, and no work is handed to it.');
}

/** The flag `--host-id` of these commands names the other host, so only the environment names this one. */
function ownHost(flags: Flags): OwnHost {
  return { location: locationOf(flags), hostId: ownHostId(environment()) };
}
