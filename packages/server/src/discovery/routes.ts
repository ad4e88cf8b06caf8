import { createHash } from 'node:crypto';
import { DEFAULT_LIMITS } from '@baton/engine';
import { type CapabilityDocument, CONTRACTS } from '@baton/protocol';
import { bind } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { notModified } from '../http/etag.ts';
import { limitsIn } from '../settings.ts';
import { capabilityDocument } from './document.ts';

export const discoveryRoutes: Routes = (app, host) => {
  const current = rememberedDocument(host);
  bind(app, CONTRACTS.discover, async (request, reply) => {
    const { text, etag } = await current();
    reply.header('cache-control', 'public, max-age=0, must-revalidate');
    if (notModified(request, reply, etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(text);
  });
};

interface WrittenDocument {
  readonly text: string;
  readonly etag: string;
}

/** Written again only when a workflow was registered or a capability switched. */
function rememberedDocument(host: HostContext): () => Promise<WrittenDocument> {
  let written: WrittenDocument | undefined;
  let version = '';
  return async () => {
    const now = `${host.shelf.revision()}.${host.extension?.revision() ?? 0}`;
    if (written !== undefined && version === now) return written;
    const fresh = await writeDocument(host);
    // Set together: a caller in between must not take the document before for the new version.
    written = fresh;
    version = now;
    return fresh;
  };
}

/** What the host can do by itself, without what an extension adds. */
export function capabilitiesOf(host: HostContext): CapabilityDocument['capabilities'] {
  return capabilityDocument(partsOf(host)).capabilities;
}

function partsOf({ extension, settings, hostId, auditKey, models, publicUrl }: HostContext) {
  const isPublishing = settings.publish !== undefined && settings.publish.length > 0;
  return {
    isOn: extension?.isOn ?? (() => true),
    hostId,
    auditKey,
    limits: { ...DEFAULT_LIMITS, ...limitsIn(settings) },
    ...(settings.retentionMs !== undefined && { retentionMs: settings.retentionMs }),
    maxRequestBodyBytes: settings.bodyLimitBytes,
    traced: settings.traces !== undefined,
    ...(isPublishing && { agentCardUrl: `${publicUrl()}${CONTRACTS.readAgentCard.path}` }),
    providers: models.health().providers.map(({ id }) => id),
  };
}

async function writeDocument(host: HostContext): Promise<WrittenDocument> {
  const { settings, extension, reads } = host;
  const own = capabilityDocument(partsOf(host));
  const document = settings.testSeams && extension ? await extension.described(own, reads) : own;
  const text = JSON.stringify(document);
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
