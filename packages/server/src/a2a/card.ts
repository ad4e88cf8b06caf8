import { AgentCard, type AgentSkill, canonicalizeAgentCard } from '@a2a-js/sdk';
import { HANDOFF_EXTENSION } from '@baton/protocol';
import { OPERATOR_TENANT } from '../auth/keyring.ts';
import type { HostContext } from '../http/context.ts';
import { type Skill, skillsFor } from '../published/skills.ts';
import { VERSION } from '../version.ts';
import { A2A_VERSIONS } from './call.ts';

/** The card with which the host presents itself to A2A clients. */

type CardHost = Pick<HostContext, 'settings' | 'hostId' | 'auditKey' | 'reads' | 'publicUrl'>;

const MODES = ['text/plain', 'application/json'];

/** The card of A2A 1.0, with what is published to everybody. */
async function agentCard({ settings, hostId, auditKey, reads, publicUrl }: CardHost): Promise<AgentCard> {
  const skills = await skillsFor(reads, OPERATOR_TENANT, settings.publish ?? []);
  const card: AgentCard = {
    name: 'Baton',
    description: 'Runs durable workflows and agents. A task is a run, and its result is signed.',
    version: VERSION,
    provider: undefined,
    supportedInterfaces: A2A_VERSIONS.map((protocolVersion) => ({
      url: `${publicUrl()}/v1/a2a`,
      protocolBinding: 'JSONRPC',
      tenant: '',
      protocolVersion,
    })),
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: false,
      extensions: [
        {
          uri: HANDOFF_EXTENSION,
          description:
            'Hands work from one Baton host to another: idempotent, with its cause and a signed result.',
          required: false,
          params: { hostId },
        },
      ],
    },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: 'An API key, or a JWT of a peer', scheme: 'Bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: skills.map(entryOf),
    signatures: [],
  };
  // The client of the SDK verifies the card as it has it in memory, where security schemes have another form.
  const forms = [AgentCard.toJSON(card) as AgentCard, card];
  return { ...card, signatures: forms.map((form) => signatureOf(form, auditKey)) };
}

/** The card, and the document in which it is sent. */
interface SentCard {
  readonly card: AgentCard;
  readonly document: object;
}

export type Cards = () => Promise<SentCard>;

/** Made again only when a workflow was registered. */
export function rememberedCards(host: CardHost & Pick<HostContext, 'shelf'>): Cards {
  let made: SentCard | undefined;
  let revision = -1;
  return async () => {
    const now = host.shelf.revision();
    if (made !== undefined && revision === now) return made;
    const card = await agentCard(host);
    made = { card, document: documentOf(card) };
    revision = now;
    return made;
  };
}

/**
 * One document for clients of both versions. It is the card of 1.0 with the fields of 0.3 beside them. The signature
 * covers the fields of 1.0 only, so these are not changed.
 */
function documentOf(card: AgentCard): object {
  const sent = AgentCard.toJSON(card) as { readonly securitySchemes: { readonly bearer: object } };
  return {
    skills: [],
    ...sent,
    protocolVersion: '0.3.0',
    url: card.supportedInterfaces[0]?.url,
    preferredTransport: 'JSONRPC',
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', ...sent.securitySchemes.bearer } },
    security: [{ bearer: [] }],
    supportsAuthenticatedExtendedCard: false,
  };
}

function entryOf({ id, definition, agent }: Skill): AgentSkill {
  return {
    id,
    name: agent?.label ?? agent?.persona ?? definition.name ?? id,
    description: agent?.description ?? definition.description ?? `Runs ${id}.`,
    tags: [agent ? 'agent' : 'workflow'],
    examples: [],
    inputModes: [],
    outputModes: [],
    securityRequirements: [],
  };
}

/** A JWS over the canonical form of the card, as the protocol defines it. */
function signatureOf(card: AgentCard, key: CardHost['auditKey']): AgentCard['signatures'][number] {
  const head = encoded(JSON.stringify({ alg: 'EdDSA', kid: key.keyId, typ: 'JOSE' }));
  const signature = Buffer.from(key.sign(`${head}.${encoded(canonicalizeAgentCard(card))}`), 'base64');
  return { protected: head, signature: signature.toString('base64url'), header: undefined };
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}
